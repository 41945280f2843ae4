// Products with matrices of 8 bits: blocks of 32 weights along a row share a scale, and so do blocks of 32 values of
// what they are multiplied with (the arithmetic of ONNX Runtime's MatMulNBits at accuracy level 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/simd.h"

namespace earshot {

constexpr size_t kQ8Block = 32;

/** Bytes of a packed matrix of `rows` outputs and `columns` inputs, columns a multiple of 32. */
size_t q8_bytes(size_t rows, size_t columns);

/**
 * Packs a matrix. Outputs go in panels of 16, and of a panel each block holds its weights and then its scales, so that
 * a product reads memory from front to back.
 * @param simd of all who read it
 * @param table [rows][columns], 128 means 0
 * @param scales [rows][columns / 32]
 */
void pack_q8(Simd simd, const uint8_t* table, const float* scales, size_t rows, size_t columns, uint8_t* packed);

/** One row of a packed matrix as it was before: `columns` numbers. */
void unpack_q8_row(Simd simd, const uint8_t* packed, size_t columns, size_t row, float* out);

/** Vectors in blocks of 8 bits, [count][columns]. */
class Q8Vectors {
 public:
  void quantise(Simd simd, const float* values, size_t count, size_t columns);

  size_t count() const { return count_; }
  size_t columns() const { return columns_; }
  const int8_t* values(size_t at) const { return values_.data() + at * stride(); }
  /** The same in 16 bits, in place of `values`, with AVX2 alone. */
  const int16_t* words(size_t at) const { return words_.data() + at * stride(); }
  const float* scales(size_t at) const { return scales_.data() + at * (columns_ / kQ8Block); }
  /** What a block's product with weights that are 128 too large is too large by, negated. */
  const int32_t* offsets(size_t at) const { return offsets_.data() + at * (columns_ / kQ8Block); }

 private:
  /** Vectors that lie a power of two apart compete for the same lines of the cache. */
  size_t stride() const { return columns_ + kQ8Block; }

  size_t count_ = 0, columns_ = 0;
  std::vector<int8_t> values_;
  std::vector<int16_t> words_;
  std::vector<float> scales_;
  std::vector<int32_t> offsets_;
};

/**
 * out[v * rows + row] = the matrix's row times vector v, and `bias` (nullptr: none). What one vector gives does not
 * depend on the others.
 */
void multiply_q8(Simd simd, const uint8_t* packed, size_t rows, const Q8Vectors& vectors, const float* bias,
                 float* out);

}  // namespace earshot
