// The weights of a network in one block of memory, which all threads may read: matrices of 8 bits, and vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/simd.h"

namespace earshot {

class WeightBlock {
 public:
  struct Size {
    size_t rows;
    size_t columns;
  };

  explicit WeightBlock(Simd simd) : simd_(simd) {}

  /** Their order is that in which they are set. */
  void add_matrix(Size size);
  void add_vector(size_t length);

  size_t bytes() const { return bytes_; }
  size_t matrices() const { return matrices_.size(); }
  size_t vectors() const { return vectors_.size(); }
  Size matrix_size(size_t index) const { return matrices_[index].size; }
  size_t vector_length(size_t index) const { return vectors_[index].length; }

  /** @param table, scales as of `pack_q8` */
  void set_matrix(uint8_t* weights, size_t index, const uint8_t* table, const float* scales) const;
  void set_vector(uint8_t* weights, size_t index, const float* values) const;

  const uint8_t* matrix(const uint8_t* weights, size_t index) const { return weights + matrices_[index].place; }
  const float* vector(const uint8_t* weights, size_t index) const {
    return reinterpret_cast<const float*>(weights + vectors_[index].place);
  }

 private:
  struct Matrix {
    Size size;
    size_t place;
  };
  struct Vector {
    size_t length;
    size_t place;
  };
  size_t reserve(size_t bytes);

  Simd simd_;
  std::vector<Matrix> matrices_;
  std::vector<Vector> vectors_;
  size_t bytes_ = 0;
};

}  // namespace earshot
