#include "token_scores.h"

#include <cmath>
#include <limits>

#include "../whisper/vector_exp.h"

namespace earshot {
namespace {

template <class V> EARSHOT_INLINE TokenScores score(const float* logits, size_t count) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  constexpr size_t lanes = lanes_of<V>;
  V peak = splat<V>(0.0f) + kNone;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V x = load<V>(logits + i);
    peak = x > peak ? x : peak;
  }
  float most = hmax(peak);
  for (; i < count; i++) most = logits[i] > most ? logits[i] : most;
  if (most == kNone) return {0, kNone, kNone};
  size_t best = 0;
  while (logits[best] != most) best++;
  // Sums of 4096 in float32, of those in double.
  double total = 0;
  const V base = splat<V>(most);
  for (i = 0; i + lanes <= count;) {
    const size_t end = i + 4096 < count ? i + 4096 : count;
    V sum{};
    for (; i + lanes <= end; i += lanes) {
      const V d = load<V>(logits + i) - base;
      sum += exp_negative<V>(d == d ? d : splat<V>(-1000.0f));
    }
    total += hsum(sum);
  }
  for (; i < count; i++) {
    if (logits[i] == logits[i]) total += std::exp(double(logits[i]) - double(most));
  }
  return {best, most, double(most) + std::log(total)};
}

EARSHOT_AVX2 TokenScores score_avx2(const float* logits, size_t count) { return score<f32x8>(logits, count); }
TokenScores score_baseline(const float* logits, size_t count) { return score<f32x4>(logits, count); }

template <class V> EARSHOT_INLINE size_t likeliest(const float* logits, size_t count, size_t most, uint32_t* best) {
  using I = typename IntOf<V>::type;
  constexpr size_t lanes = lanes_of<V>;
  float least = -std::numeric_limits<float>::infinity();
  size_t found = 0;
  const auto look = [&](size_t token) {
    const float logit = logits[token];
    if (!(logit > least)) return;
    size_t at = found < most ? found++ : most - 1;
    for (; at > 0 && logits[best[at - 1]] < logit; at--) best[at] = best[at - 1];
    best[at] = uint32_t(token);
    if (found == most) least = logits[best[most - 1]];
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const I greater = load<V>(logits + i) > splat<V>(least);
    int32_t any = 0;
    for (size_t lane = 0; lane < lanes; lane++) any |= greater[lane];
    if (any == 0) continue;
    for (size_t lane = 0; lane < lanes; lane++) look(i + lane);
  }
  for (; i < count; i++) look(i);
  return found;
}

EARSHOT_AVX2 size_t likeliest_avx2(const float* logits, size_t count, size_t most, uint32_t* best) {
  return likeliest<f32x8>(logits, count, most, best);
}
size_t likeliest_baseline(const float* logits, size_t count, size_t most, uint32_t* best) {
  return likeliest<f32x4>(logits, count, most, best);
}

}  // namespace

size_t likeliest_tokens(Simd simd, const float* logits, size_t count, size_t most, uint32_t* best) {
  return (simd == Simd::avx2 ? likeliest_avx2 : likeliest_baseline)(logits, count, most, best);
}

TokenScores score_tokens(Simd simd, const float* logits, size_t count) {
  return simd == Simd::avx2 ? score_avx2(logits, count) : score_baseline(logits, count);
}

}  // namespace earshot
