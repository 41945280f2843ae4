#include "cross_cache.h"

#include <cstring>

#include "../base/packed_vectors.h"
#include "softmax.h"

namespace earshot {
namespace {

constexpr size_t kLane = 16;  // positions that lie side by side in the keys

size_t padded(const CrossShape& shape) { return (shape.positions + kLane - 1) / kLane * kLane; }

/** Of one head: keys [positions / 16][width][16], values [positions][width], and the scales of both. */
struct HeadPlaces {
  size_t values, key_scales, value_scales, bytes;
};

HeadPlaces places_of(const CrossShape& shape) {
  const size_t all = padded(shape), numbers = all * shape.head_width;
  return {numbers, 2 * numbers, 2 * numbers + 4 * all, 2 * numbers + 8 * all};
}

/** Quantises to 8 bits; returns the scale. */
template <class V> EARSHOT_INLINE float to_bytes(const float* numbers, size_t count, int8_t* out) {
  constexpr size_t W = lanes_of<V>;
  V peaks{};
  for (size_t i = 0; i < count; i += W) peaks = vmax(vabs(load<V>(numbers + i)), peaks);
  const float peak = hmax(peaks);
  const bool sounds = peak > 1e-30f && peak < 1e30f;
  const V by = splat<V>(sounds ? 127 / peak : 0);
  for (size_t i = 0; i < count; i += W) store_bytes<V>(out + i, nearest_whole<V>(load<V>(numbers + i) * by));
  return sounds ? peak / 127 : 0;
}

template <class V>
EARSHOT_INLINE void pack(const CrossShape& shape, const float* keys, const float* values, uint8_t* packed) {
  const HeadPlaces places = places_of(shape);
  const size_t width = shape.head_width;
  int8_t key[kMostWidth];
  for (size_t head = 0; head < shape.heads; head++) {
    uint8_t* own = packed + head * places.bytes;
    std::memset(own, 0, places.bytes);
    int8_t* key_bytes = reinterpret_cast<int8_t*>(own);
    int8_t* value_bytes = reinterpret_cast<int8_t*>(own + places.values);
    float* key_scales = reinterpret_cast<float*>(own + places.key_scales);
    float* value_scales = reinterpret_cast<float*>(own + places.value_scales);
    for (size_t at = 0; at < shape.positions; at++) {
      const size_t from = (at * shape.heads + head) * width;
      key_scales[at] = to_bytes<V>(keys + from, width, key);
      value_scales[at] = to_bytes<V>(values + from, width, value_bytes + at * width);
      int8_t* to = key_bytes + at / kLane * kLane * width + at % kLane;
      for (size_t d = 0; d < width; d++) to[d * kLane] = key[d];
    }
  }
}
EARSHOT_AVX2 void pack_avx2(const CrossShape& s, const float* k, const float* v, uint8_t* p) {
  pack<f32x8>(s, k, v, p);
}
void pack_baseline(const CrossShape& s, const float* k, const float* v, uint8_t* p) { pack<f32x4>(s, k, v, p); }

/** Numbers [d, d + kCount) of the sum of all values by their weights. */
template <class V, size_t kCount>
EARSHOT_INLINE void add_values(const CrossShape& shape, const int8_t* values, const float* scales, size_t d,
                               const float* weights, float* out) {
  constexpr size_t W = lanes_of<V>;
  V sums[kCount / W] = {};
  for (size_t at = 0; at < shape.positions; at++) {
    const V weight = spread<V>(weights[at] * scales[at]);
    for (size_t part = 0; part < kCount / W; part++)
      sums[part] += widened<V>(values + at * shape.head_width + d + part * W) * weight;
  }
  for (size_t part = 0; part < kCount / W; part++) store<V>(out + d + part * W, sums[part]);
}

template <class V>
EARSHOT_INLINE void attend(const CrossShape& shape, const uint8_t* packed, size_t head, const float* query,
                           float* scores, float* out) {
  constexpr size_t W = lanes_of<V>;
  const HeadPlaces places = places_of(shape);
  const uint8_t* own = packed + head * places.bytes;
  const size_t all = padded(shape), width = shape.head_width;
  const int8_t* keys = reinterpret_cast<const int8_t*>(own);
  const int8_t* values = reinterpret_cast<const int8_t*>(own + places.values);
  const float* key_scales = reinterpret_cast<const float*>(own + places.key_scales);
  const float* value_scales = reinterpret_cast<const float*>(own + places.value_scales);
  for (size_t at = 0; at < all; at += kLane) {
    V even[kLane / W] = {}, odd[kLane / W] = {};
    const int8_t* from = keys + at * width;
    for (size_t d = 0; d < width; d += 2) {
      for (size_t part = 0; part < kLane / W; part++) {
        even[part] += widened<V>(from + d * kLane + part * W) * spread<V>(query[d]);
        odd[part] += widened<V>(from + (d + 1) * kLane + part * W) * spread<V>(query[d + 1]);
      }
    }
    for (size_t part = 0; part < kLane / W; part++)
      store<V>(scores + at + part * W, (even[part] + odd[part]) * load<V>(key_scales + at + part * W));
  }
  softmax<V>(scores, shape.positions);
  size_t d = 0;
  for (; d + 64 <= width; d += 64) add_values<V, 64>(shape, values, value_scales, d, scores, out);
  for (; d < width; d += 8) add_values<V, 8>(shape, values, value_scales, d, scores, out);
}

EARSHOT_AVX2 void attend_avx2(const CrossShape& s, const uint8_t* p, size_t h, const float* q, float* a, float* o) {
  attend<f32x8>(s, p, h, q, a, o);
}
void attend_baseline(const CrossShape& s, const uint8_t* p, size_t h, const float* q, float* a, float* o) {
  attend<f32x4>(s, p, h, q, a, o);
}

}  // namespace

size_t cross_bytes(const CrossShape& shape) { return shape.heads * places_of(shape).bytes; }

void pack_cross(Simd simd, const CrossShape& shape, const float* keys, const float* values, uint8_t* packed) {
  (simd == Simd::avx2 ? pack_avx2 : pack_baseline)(shape, keys, values, packed);
}

void attend_packed(Simd simd, const CrossShape& shape, const uint8_t* packed, size_t head, const float* query,
                   float* scores, float* out) {
  (simd == Simd::avx2 ? attend_avx2 : attend_baseline)(shape, packed, head, query, scores, out);
}

}  // namespace earshot
