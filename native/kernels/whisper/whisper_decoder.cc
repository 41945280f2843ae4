#include "whisper_decoder.h"

#include <cmath>
#include <cstring>

#include "cross_cache.h"
#include "row_ops.h"
#include "softmax.h"

namespace earshot {
namespace {

constexpr size_t kScoresPad = 16;

/** One head over positions [0, count) of keys and values [positions][stride]. */
template <class V>
EARSHOT_INLINE void attend_head(const float* keys, const float* values, size_t stride, size_t width, size_t count,
                                const float* query, float* scores, float* out) {
  constexpr size_t W = lanes_of<V>;
  for (size_t at = 0; at < count; at++) {
    V sums{};
    for (size_t d = 0; d < width; d += W) sums += load<V>(keys + at * stride + d) * load<V>(query + d);
    scores[at] = float(hsum(sums));
  }
  softmax<V>(scores, count);
  for (size_t d = 0; d < width; d += W) store<V>(out + d, V{});
  for (size_t at = 0; at < count; at++) {
    const V weight = splat<V>(scores[at]);
    for (size_t d = 0; d < width; d += W)
      store<V>(out + d, load<V>(out + d) + load<V>(values + at * stride + d) * weight);
  }
}
EARSHOT_AVX2 void head_avx2(const float* k, const float* v, size_t stride, size_t width, size_t count, const float* q,
                            float* scores, float* out) {
  attend_head<f32x8>(k, v, stride, width, count, q, scores, out);
}
void head_baseline(const float* k, const float* v, size_t stride, size_t width, size_t count, const float* q,
                   float* scores, float* out) {
  attend_head<f32x4>(k, v, stride, width, count, q, scores, out);
}

void add(std::vector<float>& to, const std::vector<float>& from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] += from[i];
}

}  // namespace

WhisperDecoder::WhisperDecoder(Simd simd, const WhisperShape& shape) : simd_(simd), shape_(shape), weights_(simd) {
  const size_t width = shape.width(), feed_width = shape.feed_width;
  for (size_t layer = 0; layer < shape.layers; layer++) {
    for (LayerMatrix which{}; which != LayerMatrix::count; which = LayerMatrix(size_t(which) + 1))
      weights_.add_matrix(
          {which == LayerMatrix::feed_in ? feed_width : width, which == LayerMatrix::feed_out ? feed_width : width});
    for (LayerVector which{}; which != LayerVector::count; which = LayerVector(size_t(which) + 1))
      weights_.add_vector(which == LayerVector::feed_in_bias ? feed_width : width);
  }
  weights_.add_matrix({shape.vocabulary, width});
  for (FinalVector which{}; which != FinalVector::count; which = FinalVector(size_t(which) + 1))
    weights_.add_vector(which == FinalVector::positions ? shape.most_tokens * width : width);
}

const float* WhisperDecoder::vector(const uint8_t* weights, size_t layer, LayerVector which) const {
  return weights_.vector(weights, layer * size_t(LayerVector::count) + size_t(which));
}

const float* WhisperDecoder::vector(const uint8_t* weights, FinalVector which) const {
  return weights_.vector(weights, shape_.layers * size_t(LayerVector::count) + size_t(which));
}

const uint8_t* WhisperDecoder::matrix(const uint8_t* weights, size_t layer, LayerMatrix which) const {
  return weights_.matrix(weights, layer * size_t(LayerMatrix::count) + size_t(which));
}

size_t WhisperDecoder::cross_bytes(size_t positions) const {
  return shape_.layers * earshot::cross_bytes({shape_.heads, shape_.head_width, positions});
}

void WhisperDecoder::open(const uint8_t* weights, const float* heard, size_t positions, uint8_t* cross) {
  const size_t width = shape_.width();
  const CrossShape shape{shape_.heads, shape_.head_width, positions};
  quantised_.quantise(simd_, heard, positions, width);
  // Of their own: they are much larger than a step's.
  std::vector<float> keys(positions * width), values(positions * width);
  for (size_t layer = 0; layer < shape_.layers; layer++) {
    multiply_q8(simd_, matrix(weights, layer, LayerMatrix::cross_key), width, quantised_, nullptr, keys.data());
    multiply_q8(simd_, matrix(weights, layer, LayerMatrix::cross_value), width, quantised_,
                vector(weights, layer, LayerVector::cross_value_bias), values.data());
    pack_cross(simd_, shape, keys.data(), values.data(), cross + layer * earshot::cross_bytes(shape));
  }
}

void WhisperDecoder::norm(const float* weight, const float* bias, size_t count) {
  const size_t width = shape_.width();
  normed_.resize(count * width);
  norm_rows(simd_, stream_.data(), weight, bias, count, width, normed_.data());
  quantised_.quantise(simd_, normed_.data(), count, width);
}

void WhisperDecoder::attend_self(float* own, size_t layer, size_t at, const float* query, float* out) {
  const size_t width = shape_.width(), all = shape_.most_tokens * width;
  const float* keys = own + 2 * layer * all;
  scores_.resize(shape_.most_tokens + kScoresPad);
  for (size_t head = 0; head < shape_.heads; head++) {
    const size_t from = head * shape_.head_width;
    (simd_ == Simd::avx2 ? head_avx2 : head_baseline)(keys + from, keys + all + from, width, shape_.head_width, at + 1,
                                                      query + from, scores_.data(), out + from);
  }
}

void WhisperDecoder::attend_cross(const Row& row, size_t layer, const float* query, float* out,
                                  const std::vector<Head>* aligned_heads) {
  const CrossShape shape{shape_.heads, shape_.head_width, row.positions};
  const uint8_t* packed = row.cross + layer * earshot::cross_bytes(shape);
  scores_.resize(row.positions + kScoresPad);
  for (size_t head = 0; head < shape_.heads; head++) {
    const size_t from = head * shape_.head_width;
    attend_packed(simd_, shape, packed, head, query + from, scores_.data(), out + from);
    if (!aligned_heads || !row.attention) continue;
    for (size_t i = 0; i < aligned_heads->size(); i++) {
      if ((*aligned_heads)[i].layer == layer && (*aligned_heads)[i].head == head)
        std::memcpy(row.attention + i * row.positions, scores_.data(), row.positions * sizeof(float));
    }
  }
}

void WhisperDecoder::step(const uint8_t* weights, const std::vector<Row>& rows, const int32_t* tokens, size_t count,
                          size_t past, const std::vector<Head>& aligned_heads) {
  const size_t width = shape_.width(), all = rows.size() * count, per_cache = shape_.most_tokens * width;
  const float scale = 1 / std::sqrt(float(shape_.head_width));
  const uint8_t* table = weights_.matrix(weights, weights_.matrices() - 1);
  const float* places = vector(weights, FinalVector::positions) + past * width;
  for (std::vector<float>* memory : {&stream_, &query_, &key_, &value_, &context_}) memory->resize(all * width);
  feed_.resize(all * shape_.feed_width);
  for (size_t m = 0; m < all; m++) {
    float* out = stream_.data() + m * width;
    unpack_q8_row(simd_, table, width, size_t(tokens[m]), out);
    for (size_t i = 0; i < width; i++) out[i] += places[m % count * width + i];
  }
  const auto multiply = [&](size_t layer, LayerMatrix which, const float* bias, std::vector<float>& out) {
    const size_t rows = which == LayerMatrix::feed_in ? shape_.feed_width : width;
    multiply_q8(simd_, matrix(weights, layer, which), rows, quantised_, bias, out.data());
  };
  const auto of = [&](size_t layer, LayerVector which) { return vector(weights, layer, which); };
  const auto scale_query = [&] {
    for (size_t i = 0; i < all * width; i++) query_[i] *= scale;
  };

  for (size_t layer = 0; layer < shape_.layers; layer++) {
    norm(of(layer, LayerVector::self_norm_weight), of(layer, LayerVector::self_norm_bias), all);
    multiply(layer, LayerMatrix::self_query, of(layer, LayerVector::self_query_bias), query_);
    multiply(layer, LayerMatrix::self_key, nullptr, key_);
    multiply(layer, LayerMatrix::self_value, of(layer, LayerVector::self_value_bias), value_);
    scale_query();
    for (size_t m = 0; m < all; m++) {
      float* keys = rows[m / count].own + 2 * layer * per_cache + (past + m % count) * width;
      std::memcpy(keys, key_.data() + m * width, width * sizeof(float));
      std::memcpy(keys + per_cache, value_.data() + m * width, width * sizeof(float));
      attend_self(rows[m / count].own, layer, past + m % count, query_.data() + m * width, context_.data() + m * width);
    }
    quantised_.quantise(simd_, context_.data(), all, width);
    multiply(layer, LayerMatrix::self_out, of(layer, LayerVector::self_out_bias), query_);
    add(stream_, query_, all * width);

    norm(of(layer, LayerVector::cross_norm_weight), of(layer, LayerVector::cross_norm_bias), all);
    multiply(layer, LayerMatrix::cross_query, of(layer, LayerVector::cross_query_bias), query_);
    scale_query();
    for (size_t m = 0; m < all; m++)
      attend_cross(rows[m / count], layer, query_.data() + m * width, context_.data() + m * width,
                   m % count + 1 == count ? &aligned_heads : nullptr);
    quantised_.quantise(simd_, context_.data(), all, width);
    multiply(layer, LayerMatrix::cross_out, of(layer, LayerVector::cross_out_bias), query_);
    add(stream_, query_, all * width);

    norm(of(layer, LayerVector::feed_norm_weight), of(layer, LayerVector::feed_norm_bias), all);
    multiply(layer, LayerMatrix::feed_in, of(layer, LayerVector::feed_in_bias), feed_);
    gelu_rows(simd_, feed_.data(), all * shape_.feed_width);
    quantised_.quantise(simd_, feed_.data(), all, shape_.feed_width);
    multiply(layer, LayerMatrix::feed_out, of(layer, LayerVector::feed_out_bias), query_);
    add(stream_, query_, all * width);
  }
  // Only what is behind the last tokens is asked for.
  for (size_t row = 0; row < rows.size() && count > 1; row++)
    std::memmove(stream_.data() + row * width, stream_.data() + ((row + 1) * count - 1) * width, width * sizeof(float));
  norm(vector(weights, FinalVector::norm_weight), vector(weights, FinalVector::norm_bias), rows.size());
  std::vector<float>& logits = feed_;
  logits.resize(rows.size() * shape_.vocabulary);
  multiply_q8(simd_, table, shape_.vocabulary, quantised_, nullptr, logits.data());
  for (size_t row = 0; row < rows.size(); row++)
    std::memcpy(rows[row].logits, logits.data() + row * shape_.vocabulary, shape_.vocabulary * sizeof(float));
}

}  // namespace earshot
