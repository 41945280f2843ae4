// Whisper's networks. Weights lie where JavaScript keeps them: of each matrix or vector it asks for the place and
// writes what `...Pack` made of it there.
#include <memory>

#include "../kernels/whisper/whisper_decoder.h"
#include "../kernels/whisper/whisper_encoder.h"
#include "api.h"

namespace earshot::wasm {
namespace {

/** Of a matrix or vector that is set: rows, columns (of a vector 1), its first byte in the weights, and bytes. */
void give_place(const WeightBlock& block, size_t index, bool matrix) {
  const auto* start = reinterpret_cast<const uint8_t*>(&block);  // any address
  const WeightBlock::Size size = matrix ? block.matrix_size(index) : WeightBlock::Size{block.vector_length(index), 1};
  const auto place = matrix ? block.matrix(start, index) - start
                            : reinterpret_cast<const uint8_t*>(block.vector(start, index)) - start;
  answers.numbers[0] = double(size.rows);
  answers.numbers[1] = double(size.columns);
  answers.numbers[2] = double(place);
  answers.numbers[3] = double(matrix ? q8_bytes(size.rows, size.columns) : size.rows * sizeof(float));
}

}  // namespace

EXPORT(decoderCreate)
WhisperDecoder* decoder_create(size_t layers, size_t heads, size_t head_width, size_t feed_width, size_t vocabulary,
                               size_t most_tokens) {
  return new WhisperDecoder(kSimd, {layers, heads, head_width, feed_width, vocabulary, most_tokens});
}
EXPORT(decoderFree) void decoder_free(WhisperDecoder* decoder) { delete decoder; }
EXPORT(decoderWeights) const WeightBlock* decoder_weights(WhisperDecoder* decoder) { return &decoder->weights(); }
EXPORT(decoderOwnLength) size_t decoder_own_length(WhisperDecoder* decoder) { return decoder->own_length(); }
EXPORT(decoderCrossBytes) size_t decoder_cross_bytes(WhisperDecoder* decoder, size_t positions) {
  return decoder->cross_bytes(positions);
}
EXPORT(decoderOpen)
void decoder_open(WhisperDecoder* decoder, const uint8_t* weights, const float* heard, size_t positions,
                  uint8_t* cross) {
  decoder->open(weights, heard, positions, cross);
}
EXPORT(decoderStep)
void decoder_step(WhisperDecoder* decoder, const uint8_t* weights, size_t rows, size_t count, size_t past,
                  const int32_t* tokens, const int32_t* positions, const uint8_t* const* cross, float* const* own,
                  const int32_t* aligned, size_t heads, float* logits, float* attention) {
  std::vector<WhisperDecoder::Head> at;
  for (size_t i = 0; i < heads; i++) at.push_back({size_t(aligned[2 * i]), size_t(aligned[2 * i + 1])});
  std::vector<WhisperDecoder::Row> given;
  size_t seen = 0;
  for (size_t r = 0; r < rows; r++) {
    const size_t here = size_t(positions[r]);
    given.push_back({cross[r], here, own[r], logits + r * decoder->shape().vocabulary, attention + seen});
    seen += heads * here;
  }
  decoder->step(weights, given, tokens, count, past, at);
}

EXPORT(encoderCreate)
WhisperEncoder* encoder_create(size_t bands, size_t frames, size_t layers, size_t heads, size_t head_width,
                               size_t feed_width) {
  return new WhisperEncoder(kSimd, {bands, frames, layers, heads, head_width, feed_width});
}
EXPORT(encoderFree) void encoder_free(WhisperEncoder* encoder) { delete encoder; }
EXPORT(encoderWeights) const WeightBlock* encoder_weights(WhisperEncoder* encoder) { return &encoder->weights(); }
EXPORT(encoderConvolutionLength) size_t encoder_convolution_length(WhisperEncoder* encoder, size_t index) {
  return encoder->convolution_length(index);
}
/** @param packed as many bytes as the convolution's vector has, the last but one or the last */
EXPORT(encoderConvolutionPack)
void encoder_convolution_pack(WhisperEncoder* encoder, size_t index, const float* values, uint8_t* packed) {
  const WeightBlock& block = encoder->weights();
  give_place(block, block.vectors() - 2 + index, false);
  encoder->set_convolution(packed - size_t(answers.numbers[2]), index, values);
}
EXPORT(encoderEncode)
void encoder_encode(WhisperEncoder* encoder, const uint8_t* weights, const float* spectrum, size_t frames, float* out) {
  encoder->encode(weights, spectrum, frames, out);
}

EXPORT(weightBytes) size_t weight_bytes(const WeightBlock* block) { return block->bytes(); }
EXPORT(weightMatrices) size_t weight_matrices(const WeightBlock* block) { return block->matrices(); }
EXPORT(weightVectors) size_t weight_vectors(const WeightBlock* block) { return block->vectors(); }
EXPORT(weightMatrixPlace) void weight_matrix_place(const WeightBlock* block, size_t index) {
  give_place(*block, index, true);
}
EXPORT(weightVectorPlace) void weight_vector_place(const WeightBlock* block, size_t index) {
  give_place(*block, index, false);
}
EXPORT(weightMatrixPack)
void weight_matrix_pack(const uint8_t* table, const float* scales, size_t rows, size_t columns, uint8_t* packed) {
  pack_q8(kSimd, table, scales, rows, columns, packed);
}

}  // namespace earshot::wasm
