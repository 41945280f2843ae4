// What a greedy decoder asks of a row of logits: the best token, and the logarithm of the sum of all exponentials,
// which probabilities are read from.
#pragma once

#include <cstddef>

#include "simd.h"

namespace earshot {

struct TokenScores {
  size_t best;     // the first of the greatest
  double most;     // its logit
  double log_sum;  // -infinity where every logit is
};

/** count >= 1. Logits of -infinity are tokens that are not allowed; NaN counts as that. */
TokenScores score_tokens(Simd simd, const float* logits, size_t count);

}  // namespace earshot
