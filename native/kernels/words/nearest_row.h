// Finds the vector most similar to a given one, by inner product.
#pragma once

#include <cstddef>

#include "../base/simd.h"

namespace earshot {

/**
 * rows: [count][length], count > 1. Answers the row other than `item` that has the greatest inner product with it: the
 * first one of equals, or `preferred` if that is among them (count: none is). Exactly symmetric: two rows have the same
 * product whichever is asked about.
 */
size_t nearest_row(Simd simd, const float* rows, size_t length, size_t count, size_t item, size_t preferred);

}  // namespace earshot
