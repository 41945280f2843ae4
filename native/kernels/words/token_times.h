// When tokens were said, read from where a decoder's attention lay while it chose them (OpenAI's whisper/timing.py).
#pragma once

#include <cstddef>
#include <vector>

#include "../base/simd.h"

namespace earshot {

/**
 * attention: [tokens][heads][positions], not negative. Each row is brought to a sum of 1 and each position, over the
 * tokens, to mean 0 and deviation 1; a median of 7 smooths along the positions (the ends are mirrored) and the heads
 * are averaged. The path through it from the first token at the first position to the last at the last, by steps to
 * the next token, the next position or both, whose sum is greatest, gives every token the position where it begins.
 */
std::vector<double> token_times(Simd simd, const float* attention, size_t tokens, size_t heads, size_t positions);

}  // namespace earshot
