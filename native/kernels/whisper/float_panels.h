// Products of matrices of float32: the second one lies in panels of 16 columns, so that it is read from front to back.
#pragma once

#include <cstddef>

#include "../base/simd.h"

namespace earshot {

constexpr size_t kFloatPanel = 16;

constexpr size_t float_panels(size_t columns) { return (columns + kFloatPanel - 1) / kFloatPanel; }
/** Numbers of a packed matrix. */
constexpr size_t packed_floats(size_t rows, size_t columns) { return float_panels(columns) * rows * kFloatPanel; }

/** @param from [rows][columns], a row `stride` numbers after the one before; columns beyond the last are zero */
void pack_rows(const float* from, size_t stride, size_t rows, size_t columns, float* packed);
/** The same of the transposed: `from` is [columns][rows]. */
void pack_columns(const float* from, size_t stride, size_t rows, size_t columns, float* packed);

struct FloatRows {
  const float* data;
  size_t stride;
  size_t count;
  size_t length;
};

/**
 * out[row][column] for whole panels: columns of the packed matrix rounded up to 16. A row's result does not depend on
 * the others.
 * @param packed of left.length rows and `columns` columns
 */
void multiply_panels(Simd simd, const FloatRows& left, const float* packed, size_t columns, float* out, size_t stride);

}  // namespace earshot
