// Keys and values of what an encoder heard, of one layer of one window, in 8 bits with a scale for each position and
// head.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../base/simd.h"

namespace earshot {

constexpr size_t kMostWidth = 1024;

struct CrossShape {
  size_t heads;
  size_t head_width;  // a multiple of 8, at most kMostWidth
  size_t positions;
};

size_t cross_bytes(const CrossShape& shape);

/** @param keys, values [positions][heads][head_width] */
void pack_cross(Simd simd, const CrossShape& shape, const float* keys, const float* values, uint8_t* packed);

/**
 * What one head makes of a query.
 * @param scores at least `positions` rounded up to 16; holds the attention of each position afterwards
 * @param out [head_width]
 */
void attend_packed(Simd simd, const CrossShape& shape, const uint8_t* packed, size_t head, const float* query,
                   float* scores, float* out);

}  // namespace earshot
