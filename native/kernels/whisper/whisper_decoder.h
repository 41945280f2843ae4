// The decoder of a Whisper with weights of 8 bits: cross keys and values of a window once, then tokens one after the
// other for any windows side by side. What one window gives does not depend on the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "q8_matrix.h"
#include "../base/simd.h"
#include "weight_block.h"

namespace earshot {

struct WhisperShape {
  size_t layers;
  size_t heads;
  size_t head_width;  // a multiple of 8
  size_t feed_width;  // of the layers between attentions; a multiple of 32, as heads * head_width
  size_t vocabulary;
  size_t most_tokens;

  size_t width() const { return heads * head_width; }
};

/** Where each layer's weights are, in the order in which they are set. */
enum class LayerMatrix : size_t {
  self_query,
  self_key,
  self_value,
  self_out,
  cross_query,
  cross_key,
  cross_value,
  cross_out,
  feed_in,
  feed_out,
  count,
};
enum class LayerVector : size_t {
  self_norm_weight,
  self_norm_bias,
  self_query_bias,
  self_value_bias,
  self_out_bias,
  cross_norm_weight,
  cross_norm_bias,
  cross_query_bias,
  cross_value_bias,
  cross_out_bias,
  feed_norm_weight,
  feed_norm_bias,
  feed_in_bias,
  feed_out_bias,
  count,
};
/** Behind the layers. */
enum class FinalVector : size_t { norm_weight, norm_bias, positions, count };

class WhisperDecoder {
 public:
  WhisperDecoder(Simd simd, const WhisperShape& shape);

  const WhisperShape& shape() const { return shape_; }

  /** Any decoders of the same shape may read them. The last matrix is the table of tokens. */
  const WeightBlock& weights() const { return weights_; }

  /** Of a window: keys and values of what the encoder heard, in 8 bits. */
  size_t cross_bytes(size_t positions) const;
  /** @param heard [positions][width] */
  void open(const uint8_t* weights, const float* heard, size_t positions, uint8_t* cross);

  /** Of a window: keys and values of its own tokens. */
  size_t own_length() const { return shape_.layers * 2 * shape_.most_tokens * shape_.width(); }

  struct Row {
    const uint8_t* cross;
    size_t positions;
    float* own;
    /** [vocabulary], behind the last token. */
    float* logits;
    /** [aligned heads][positions], at the last token; nullptr: not wanted. */
    float* attention;
  };
  struct Head {
    size_t layer;
    size_t head;
  };
  /**
   * @param tokens [rows][count]
   * @param past tokens before them, past + count at most most_tokens
   */
  void step(const uint8_t* weights, const std::vector<Row>& rows, const int32_t* tokens, size_t count, size_t past,
            const std::vector<Head>& aligned);

 private:
  const float* vector(const uint8_t* weights, size_t layer, LayerVector which) const;
  const float* vector(const uint8_t* weights, FinalVector which) const;
  const uint8_t* matrix(const uint8_t* weights, size_t layer, LayerMatrix which) const;
  void norm(const float* weight, const float* bias, size_t count);
  void attend_self(float* own, size_t layer, size_t at, const float* query, float* out);
  void attend_cross(const Row& row, size_t layer, const float* query, float* out, const std::vector<Head>* aligned);

  Simd simd_;
  WhisperShape shape_;
  WeightBlock weights_;
  // Memory of a run, kept for the next.
  Q8Vectors quantised_;
  std::vector<float> stream_, normed_, query_, key_, value_, context_, feed_, scores_;
};

}  // namespace earshot
