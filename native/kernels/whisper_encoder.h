// The encoder of a Whisper with weights of 8 bits: a window's log-mel spectrum in, what the decoder listens to out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "q8_matrix.h"
#include "simd.h"

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
/** Behind the layers. */
enum class EncoderFinal : size_t { norm_weight, norm_bias, positions, first_bias, second_bias, count };

class WhisperEncoder {
 public:
  WhisperEncoder(Simd simd, const EncoderShape& shape);

  const EncoderShape& shape() const { return shape_; }

  /** Weights are one block of memory that any encoders of the same shape may read. */
  size_t weight_bytes() const { return weight_bytes_; }
  size_t matrices() const { return shape_.layers * size_t(EncoderMatrix::count); }
  size_t vectors() const { return shape_.layers * size_t(EncoderVector::count) + size_t(EncoderFinal::count); }
  struct Size {
    size_t rows;
    size_t columns;
  };
  Size matrix_size(size_t index) const;
  size_t vector_length(size_t index) const;
  /** Numbers of a convolution's weights, [width][inputs][3]. */
  size_t convolution_length(size_t index) const;
  void set_matrix(uint8_t* weights, size_t index, const uint8_t* table, const float* scales) const;
  void set_vector(uint8_t* weights, size_t index, const float* values) const;
  /** @param index 0 or 1 */
  void set_convolution(uint8_t* weights, size_t index, const float* values) const;

  /**
   * @param spectrum [bands][frames]
   * @param out [positions][width]
   */
  void encode(const uint8_t* weights, const float* spectrum, float* out) const;

 private:
  struct Memory;
  const float* vector(const uint8_t* weights, size_t layer, EncoderVector which) const;
  const float* vector(const uint8_t* weights, EncoderFinal which) const;
  const uint8_t* matrix(const uint8_t* weights, size_t layer, EncoderMatrix which) const;
  void convolve(const uint8_t* weights, const float* spectrum, float* stream) const;
  void attend(Memory& memory) const;
  void prepare_attention(const uint8_t* weights, size_t layer, Memory& memory) const;
  void finish_layer(const uint8_t* weights, size_t layer, Memory& memory) const;

  Simd simd_;
  EncoderShape shape_;
  std::vector<size_t> matrix_places_, vector_places_, convolution_places_;
  size_t weight_bytes_ = 0;
};

}  // namespace earshot
