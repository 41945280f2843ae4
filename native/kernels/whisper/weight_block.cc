#include "weight_block.h"

#include <cstring>

#include "q8_matrix.h"

namespace earshot {
namespace {

constexpr size_t kLine = 64;

}  // namespace

size_t WeightBlock::reserve(size_t bytes) {
  const size_t place = bytes_;
  bytes_ += (bytes + kLine - 1) / kLine * kLine;
  return place;
}

void WeightBlock::add_matrix(Size size) { matrices_.push_back({size, reserve(q8_bytes(size.rows, size.columns))}); }

void WeightBlock::add_vector(size_t length) { vectors_.push_back({length, reserve(length * sizeof(float))}); }

void WeightBlock::set_matrix(uint8_t* weights, size_t index, const uint8_t* table, const float* scales) const {
  const Matrix& matrix = matrices_[index];
  pack_q8(simd_, table, scales, matrix.size.rows, matrix.size.columns, weights + matrix.place);
}

void WeightBlock::set_vector(uint8_t* weights, size_t index, const float* values) const {
  std::memcpy(weights + vectors_[index].place, values, vectors_[index].length * sizeof(float));
}

}  // namespace earshot
