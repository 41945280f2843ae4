#include "whisper_encoder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "float_panels.h"
#include "row_ops.h"
#include "softmax.h"

namespace earshot {
namespace {

/** Values of a convolution's output that come from one place of its input. */
constexpr size_t kTaps = 3;
/** Positions that go through a layer's matrices together: their values stay in the cache. */
constexpr size_t kRowGroup = 60;
/** Queries whose scores are in memory at a time. */
constexpr size_t kQueries = 36;

void add(float* to, const float* from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] += from[i];
}

void add_to_rows(float* rows, size_t count, size_t width, const float* bias) {
  for (size_t row = 0; row < count; row++) add(rows + row * width, bias, width);
}

template <class V> EARSHOT_INLINE void soften_rows(float* scores, size_t stride, size_t rows, size_t count) {
  for (size_t row = 0; row < rows; row++) softmax<V>(scores + row * stride, count);
}
EARSHOT_AVX2 void soften_avx2(float* scores, size_t stride, size_t rows, size_t count) {
  soften_rows<f32x8>(scores, stride, rows, count);
}
void soften_baseline(float* scores, size_t stride, size_t rows, size_t count) {
  soften_rows<f32x4>(scores, stride, rows, count);
}

}  // namespace

/** Of one window; too much to be kept. */
struct WhisperEncoder::Memory {
  Memory(const EncoderShape& shape, size_t count)
      : positions(count),
        stream(positions * shape.width()),
        query(stream.size()),
        key(stream.size()),
        value(stream.size()),
        rows(kRowGroup * shape.width()),
        feed(kRowGroup * shape.feed_width),
        keys(packed_floats(shape.head_width, positions)),
        values(packed_floats(positions, shape.head_width)),
        scores(kQueries * float_panels(positions) * kFloatPanel) {}

  const size_t positions;

  /** [positions][width]; a head's queries make room for its answers. */
  std::vector<float> stream, query, key, value;
  /** Of some positions. */
  std::vector<float> rows, feed;
  /** Of one head. */
  std::vector<float> keys, values, scores;
  Q8Vectors quantised;
};

WhisperEncoder::WhisperEncoder(Simd simd, const EncoderShape& shape) : simd_(simd), shape_(shape), weights_(simd) {
  const size_t width = shape.width(), feed_width = shape.feed_width;
  for (size_t layer = 0; layer < shape.layers; layer++) {
    for (EncoderMatrix which{}; which != EncoderMatrix::count; which = EncoderMatrix(size_t(which) + 1))
      weights_.add_matrix({which == EncoderMatrix::feed_in ? feed_width : width,
                           which == EncoderMatrix::feed_out ? feed_width : width});
    for (EncoderVector which{}; which != EncoderVector::count; which = EncoderVector(size_t(which) + 1))
      weights_.add_vector(which == EncoderVector::feed_in_bias ? feed_width : width);
  }
  for (EncoderFinal which{}; which != EncoderFinal::first; which = EncoderFinal(size_t(which) + 1))
    weights_.add_vector(which == EncoderFinal::positions ? shape.positions() * width : width);
  for (size_t index = 0; index < 2; index++)
    weights_.add_vector(packed_floats(convolution_length(index) / width, width));
}

size_t WhisperEncoder::convolution_length(size_t index) const {
  return shape_.width() * kTaps * (index == 0 ? shape_.bands : shape_.width());
}

void WhisperEncoder::set_convolution(uint8_t* weights, size_t index, const float* values) const {
  const size_t width = shape_.width(), inputs = convolution_length(index) / width / kTaps;
  // Neighbouring rows of an input lie behind each other: first all values of one tap, then those of the next.
  std::vector<float> by_taps(width * kTaps * inputs);
  for (size_t output = 0; output < width; output++)
    for (size_t input = 0; input < inputs; input++)
      for (size_t tap = 0; tap < kTaps; tap++)
        by_taps[(output * kTaps + tap) * inputs + input] = values[(output * inputs + input) * kTaps + tap];
  std::vector<float> packed(packed_floats(kTaps * inputs, width));
  pack_columns(by_taps.data(), kTaps * inputs, kTaps * inputs, width, packed.data());
  weights_.set_vector(weights, weights_.vectors() - 2 + index, packed.data());
}

const float* WhisperEncoder::vector(const uint8_t* weights, size_t layer, EncoderVector which) const {
  return weights_.vector(weights, layer * size_t(EncoderVector::count) + size_t(which));
}

const float* WhisperEncoder::vector(const uint8_t* weights, EncoderFinal which) const {
  return weights_.vector(weights, shape_.layers * size_t(EncoderVector::count) + size_t(which));
}

const uint8_t* WhisperEncoder::matrix(const uint8_t* weights, size_t layer, EncoderMatrix which) const {
  return weights_.matrix(weights, layer * size_t(EncoderMatrix::count) + size_t(which));
}

void WhisperEncoder::convolve(const uint8_t* weights, const float* spectrum, Memory& memory) const {
  const size_t width = shape_.width(), bands = shape_.bands, positions = memory.positions, frames = 2 * positions;
  float* stream = memory.stream.data();
  // A frame a row, between two frames of silence.
  std::vector<float> sound((frames + 2) * bands), heard((frames + 2) * width);
  for (size_t band = 0; band < bands; band++)
    for (size_t frame = 0; frame < frames; frame++) sound[(frame + 1) * bands + band] = spectrum[band * frames + frame];
  float* first = heard.data() + width;
  multiply_panels(simd_, {sound.data(), bands, frames, kTaps * bands}, vector(weights, EncoderFinal::first), width,
                  first, width);
  add_to_rows(first, frames, width, vector(weights, EncoderFinal::first_bias));
  gelu_rows(simd_, first, frames * width);
  multiply_panels(simd_, {heard.data(), 2 * width, positions, kTaps * width}, vector(weights, EncoderFinal::second),
                  width, stream, width);
  add_to_rows(stream, positions, width, vector(weights, EncoderFinal::second_bias));
  gelu_rows(simd_, stream, positions * width);
  add(stream, vector(weights, EncoderFinal::positions), positions * width);
}

void WhisperEncoder::prepare_attention(const uint8_t* weights, size_t layer, Memory& memory) const {
  const size_t width = shape_.width();
  const float scale = 1 / std::sqrt(float(shape_.head_width));
  const auto of = [&](EncoderVector which) { return vector(weights, layer, which); };
  for (size_t from = 0; from < memory.positions; from += kRowGroup) {
    const size_t count = std::min(kRowGroup, memory.positions - from), place = from * width;
    norm_rows(simd_, memory.stream.data() + place, of(EncoderVector::attention_norm_weight),
              of(EncoderVector::attention_norm_bias), count, width, memory.rows.data());
    memory.quantised.quantise(simd_, memory.rows.data(), count, width);
    const auto multiply = [&](EncoderMatrix which, const float* bias, std::vector<float>& out) {
      multiply_q8(simd_, matrix(weights, layer, which), width, memory.quantised, bias, out.data() + place);
    };
    multiply(EncoderMatrix::query, of(EncoderVector::query_bias), memory.query);
    multiply(EncoderMatrix::key, nullptr, memory.key);
    multiply(EncoderMatrix::value, of(EncoderVector::value_bias), memory.value);
    for (size_t i = place; i < place + count * width; i++) memory.query[i] *= scale;
  }
}

void WhisperEncoder::attend(Memory& memory) const {
  const size_t width = shape_.width(), all = memory.positions, depth = shape_.head_width;
  const size_t stride = float_panels(all) * kFloatPanel;
  for (size_t head = 0; head < shape_.heads; head++) {
    const size_t place = head * depth;
    pack_columns(memory.key.data() + place, width, depth, all, memory.keys.data());
    pack_rows(memory.value.data() + place, width, all, depth, memory.values.data());
    for (size_t from = 0; from < all; from += kQueries) {
      const size_t count = std::min(kQueries, all - from);
      float* queries = memory.query.data() + from * width + place;
      float* scores = memory.scores.data();
      multiply_panels(simd_, {queries, width, count, depth}, memory.keys.data(), all, scores, stride);
      (simd_ == Simd::avx2 ? soften_avx2 : soften_baseline)(scores, stride, count, all);
      multiply_panels(simd_, {scores, stride, count, all}, memory.values.data(), depth, queries, width);
    }
  }
}

void WhisperEncoder::finish_layer(const uint8_t* weights, size_t layer, Memory& memory) const {
  const size_t width = shape_.width(), feed_width = shape_.feed_width;
  const auto of = [&](EncoderVector which) { return vector(weights, layer, which); };
  for (size_t from = 0; from < memory.positions; from += kRowGroup) {
    const size_t count = std::min(kRowGroup, memory.positions - from);
    float* stream = memory.stream.data() + from * width;
    const auto multiply = [&](const float* values, size_t columns, EncoderMatrix which, size_t rows, const float* bias,
                              std::vector<float>& out) {
      memory.quantised.quantise(simd_, values, count, columns);
      multiply_q8(simd_, matrix(weights, layer, which), rows, memory.quantised, bias, out.data());
    };
    multiply(memory.query.data() + from * width, width, EncoderMatrix::out, width, of(EncoderVector::out_bias),
             memory.rows);
    add(stream, memory.rows.data(), count * width);
    norm_rows(simd_, stream, of(EncoderVector::feed_norm_weight), of(EncoderVector::feed_norm_bias), count, width,
              memory.rows.data());
    multiply(memory.rows.data(), width, EncoderMatrix::feed_in, feed_width, of(EncoderVector::feed_in_bias),
             memory.feed);
    gelu_rows(simd_, memory.feed.data(), count * feed_width);
    multiply(memory.feed.data(), feed_width, EncoderMatrix::feed_out, width, of(EncoderVector::feed_out_bias),
             memory.rows);
    add(stream, memory.rows.data(), count * width);
  }
}

void WhisperEncoder::encode(const uint8_t* weights, const float* spectrum, size_t frames, float* out) const {
  Memory memory(shape_, frames / 2);
  convolve(weights, spectrum, memory);
  for (size_t layer = 0; layer < shape_.layers; layer++) {
    prepare_attention(weights, layer, memory);
    attend(memory);
    finish_layer(weights, layer, memory);
  }
  norm_rows(simd_, memory.stream.data(), vector(weights, EncoderFinal::norm_weight),
            vector(weights, EncoderFinal::norm_bias), memory.positions, shape_.width(), out);
}

}  // namespace earshot
