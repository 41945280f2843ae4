// What transformers do to rows of numbers between their matrices.
#pragma once

#include <cstddef>

#include "../base/simd.h"

namespace earshot {

/** Layer normalisation (Ba et al. 2016) with an epsilon of 1e-5. @param x [count][width], width a multiple of 8 */
void norm_rows(Simd simd, const float* x, const float* weight, const float* bias, size_t count, size_t width,
               float* out);

/** GELU of each. @param count a multiple of 8 */
void gelu_rows(Simd simd, float* x, size_t count);

}  // namespace earshot
