// What a decoder asks of a row of logits: the best tokens, and the logarithm of the sum of all exponentials,
// which probabilities are read from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../base/simd.h"

namespace earshot {

struct TokenScores {
  size_t best;     // the first of the greatest
  double most;     // its logit
  double log_sum;  // -infinity where every logit is
};

/** count >= 1. Logits of -infinity are tokens that are not allowed; NaN counts as that. */
TokenScores score_tokens(Simd simd, const float* logits, size_t count);

/**
 * The tokens with the greatest logits, greatest first, of equal ones the first first. Logits of -infinity, and what is
 * no number, are left out.
 * @param best memory for `most` tokens
 * @return how many there are
 */
size_t likeliest_tokens(Simd simd, const float* logits, size_t count, size_t most, uint32_t* best);

}  // namespace earshot
