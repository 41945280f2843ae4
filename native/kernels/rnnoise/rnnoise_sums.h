// What RNNoise spends most of its time with: sums of products of 8 bits, in blocks of eight outputs by four inputs.
// They are whole numbers under 2^24, so float holds them exactly, and all instruction sets give the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rnnoise_network.h"

namespace earshot {

constexpr size_t kRnnoiseRows = 8, kRnnoiseColumns = 4, kRnnoiseBlock = kRnnoiseRows * kRnnoiseColumns;

/** Of a layer whose blocks fit: 128 times the sum of each output's weights. */
std::vector<int32_t> rnnoise_offsets(const RnnoiseLayer& layer);

/** out[outputs]: sums over the inputs, of -127 to 127. @param avx2 this processor has it, and it is wanted */
void rnnoise_sums(bool avx2, const RnnoiseLayer& layer, const int16_t* inputs, float* out);

}  // namespace earshot
