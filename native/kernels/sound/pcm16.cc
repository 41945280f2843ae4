#include "pcm16.h"

#include <algorithm>
#include <cmath>

namespace earshot {
namespace {

constexpr size_t kTile = 512;
// A thirty-second of a step.
constexpr float kNothing = 1.0f / 1048576;
// As in every kernel (frame_tiles.h).
constexpr float kMostUsable = 4294967296.0f;

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
template <class V> struct WordsOf;
template <> struct WordsOf<f32x4> {
  using type = u32x4;
};
template <> struct WordsOf<f32x8> {
  using type = u32x8;
};

/** Every bit of the result depends on every bit of x (C. Wellons, "Prospecting for hash functions", 2018). */
template <class U> EARSHOT_INLINE U mixed(U x) {
  x ^= x >> 16;
  x *= 0x21f0aaadu;
  x ^= x >> 15;
  x *= 0xd35a2d97u;
  return x ^ (x >> 15);
}

/** Steps of [from, from + kTile), as whole numbers in floats; n: a multiple of 8. */
template <class V, bool Dithered>
EARSHOT_INLINE void round_body(const float* x, const float* loudest, size_t n, uint32_t from, uint32_t salt,
                               float* out) {
  using U = typename WordsOf<V>::type;
  constexpr size_t W = lanes_of<V>;
  // Added and taken away again, it leaves a whole number; the nearest, as floats round.
  const V whole = splat<V>(12582912.0f), least = splat<V>(-32768.0f), most = splat<V>(32767.0f), zero{};
  U frame;
  for (size_t i = 0; i < W; i++) frame[i] = from + uint32_t(i);
  for (size_t i = 0; i < n; i += W, frame += uint32_t(W)) {
    const V given = load<V>(x + i), sample = vabs(given) <= kMostUsable ? given : zero;
    V steps = sample * 32768.0f;
    if (Dithered) {
      const U random = mixed(frame ^ salt);
      const V first = __builtin_convertvector((typename IntOf<V>::type)(random & 0xffffu), V);
      const V second = __builtin_convertvector((typename IntOf<V>::type)(random >> 16), V);
      steps += (first - second) * (1.0f / 65536);
    }
    steps = vmin(vmax(steps, least), most);
    steps = (steps + whole) - whole;
    if (Dithered) steps = load<V>(loudest + i) < kNothing ? zero : steps;
    store<V>(out + i, steps);
  }
}

template <bool Dithered>
EARSHOT_AVX2 void round_avx2(const float* x, const float* loudest, size_t n, uint32_t from, uint32_t salt, float* out) {
  round_body<f32x8, Dithered>(x, loudest, n, from, salt, out);
}
template <bool Dithered>
void round_baseline(const float* x, const float* loudest, size_t n, uint32_t from, uint32_t salt, float* out) {
  round_body<f32x4, Dithered>(x, loudest, n, from, salt, out);
}

void round_tile(Simd simd, bool dithered, const float* x, const float* loudest, size_t n, uint32_t from, uint32_t salt,
                float* out) {
  if (simd == Simd::avx2)
    (dithered ? round_avx2<true> : round_avx2<false>)(x, loudest, n, from, salt, out);
  else
    (dithered ? round_baseline<true> : round_baseline<false>)(x, loudest, n, from, salt, out);
}

/** The greatest magnitude of each frame. */
void find_loudest(const float* const* planes, size_t channels, size_t at, size_t n, float* loudest) {
  std::fill(loudest, loudest + n, 0.0f);
  for (size_t c = 0; c < channels; c++)
    for (size_t i = 0; i < n; i++) {
      const float level = std::fabs(planes[c][at + i]);
      loudest[i] = level > loudest[i] && level <= kMostUsable ? level : loudest[i];
    }
}

void put(const float* steps, size_t n, int16_t* out, size_t step) {
  if (step == 1)
    for (size_t i = 0; i < n; i++) out[i] = int16_t(int32_t(steps[i]));
  else
    for (size_t i = 0; i < n; i++) out[i * step] = int16_t(int32_t(steps[i]));
}

}  // namespace

void to_pcm16(Simd simd, const float* const* planes, size_t channels, size_t frames, Rounding rounding,
              uint64_t first_frame, int16_t* out, size_t frame_step, size_t channel_step) {
  const bool dithered = rounding == Rounding::dithered;
  alignas(32) float loudest[kTile], steps[kTile], rest[kTile];
  for (size_t at = 0, n = 0; at < frames; at += n) {
    const uint64_t first = first_frame + at, same = (uint64_t(1) << 32) - uint32_t(first);
    n = size_t(std::min(uint64_t(std::min(kTile, frames - at)), same));
    const size_t whole = n - n % 8;
    if (dithered) find_loudest(planes, channels, at, n, loudest);
    for (size_t c = 0; c < channels; c++) {
      const uint32_t salt = mixed(uint32_t(first >> 32) * 0x9e3779b9u + uint32_t(c) + 1);
      round_tile(simd, dithered, planes[c] + at, loudest, whole, uint32_t(first), salt, steps);
      if (whole < n) {
        std::copy(planes[c] + at + whole, planes[c] + at + n, rest);
        std::fill(rest + (n - whole), rest + 8, 0.0f);
        std::fill(loudest + n, loudest + whole + 8, 0.0f);
        round_tile(simd, dithered, rest, loudest + whole, 8, uint32_t(first + whole), salt, steps + whole);
      }
      put(steps, n, out + at * frame_step + c * channel_step, frame_step);
    }
  }
}

}  // namespace earshot
