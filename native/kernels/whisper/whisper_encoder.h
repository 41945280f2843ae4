// The encoder of a Whisper with weights of 8 bits: a window's log-mel spectrum in, what the decoder listens to out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "q8_matrix.h"
#include "../base/simd.h"
#include "weight_block.h"

namespace earshot {

struct EncoderShape {
  size_t bands;
  size_t frames;  // of the spectrum, even; the second convolution leaves half of them
  size_t layers;
  size_t heads;
  size_t head_width;  // a multiple of 16
  size_t feed_width;  // of the layers between attentions; a multiple of 32, as heads * head_width

  size_t width() const { return heads * head_width; }
  size_t positions() const { return frames / 2; }
};

/** Where each layer's weights are, in the order in which they are set. */
enum class EncoderMatrix : size_t { query, key, value, out, feed_in, feed_out, count };
enum class EncoderVector : size_t {
  attention_norm_weight,
  attention_norm_bias,
  query_bias,
  value_bias,
  out_bias,
  feed_norm_weight,
  feed_norm_bias,
  feed_in_bias,
  feed_out_bias,
  count,
};
/** Behind the layers; weights of convolutions are set by `set_convolution`. */
enum class EncoderFinal : size_t { norm_weight, norm_bias, positions, first_bias, second_bias, first, second, count };

class WhisperEncoder {
 public:
  WhisperEncoder(Simd simd, const EncoderShape& shape);

  const EncoderShape& shape() const { return shape_; }

  /** Any encoders of the same shape may read them. */
  const WeightBlock& weights() const { return weights_; }
  /** Numbers of a convolution's weights, [width][inputs][3]. @param index 0 or 1 */
  size_t convolution_length(size_t index) const;
  void set_convolution(uint8_t* weights, size_t index, const float* values) const;

  /**
   * @param frames even, at most the shape's; the rest of the window is left out
   * @param spectrum [bands][frames]
   * @param out [frames / 2][width]
   */
  void encode(const uint8_t* weights, const float* spectrum, size_t frames, float* out) const;

 private:
  struct Memory;
  const float* vector(const uint8_t* weights, size_t layer, EncoderVector which) const;
  const float* vector(const uint8_t* weights, EncoderFinal which) const;
  const uint8_t* matrix(const uint8_t* weights, size_t layer, EncoderMatrix which) const;
  void convolve(const uint8_t* weights, const float* spectrum, Memory& memory) const;
  void attend(Memory& memory) const;
  void prepare_attention(const uint8_t* weights, size_t layer, Memory& memory) const;
  void finish_layer(const uint8_t* weights, size_t layer, Memory& memory) const;

  Simd simd_;
  EncoderShape shape_;
  WeightBlock weights_;
};

}  // namespace earshot
