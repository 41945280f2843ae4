#include "token_times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace earshot {
namespace {

constexpr size_t kReach = 3;  // the median is of 2 * kReach + 1 values

template <class V> EARSHOT_INLINE void sort2(V& a, V& b) {
  const V low = vmin(a, b);
  b = vmax(a, b);
  a = low;
}

// Median of seven by a selection network (Devillard 1998).
template <class V> EARSHOT_INLINE V median7(V* p) {
  sort2(p[0], p[5]);
  sort2(p[0], p[3]);
  sort2(p[1], p[6]);
  sort2(p[2], p[4]);
  sort2(p[0], p[1]);
  sort2(p[3], p[5]);
  sort2(p[2], p[6]);
  sort2(p[2], p[3]);
  sort2(p[3], p[6]);
  sort2(p[4], p[5]);
  sort2(p[1], p[4]);
  sort2(p[1], p[3]);
  sort2(p[3], p[4]);
  return p[3];
}

// Adds the smoothed row to `total`; `padded` holds it with kReach values more on both sides.
template <class V> EARSHOT_INLINE void add_smoothed(const float* padded, size_t count, float weight, float* total) {
  constexpr size_t lanes = lanes_of<V>;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    V p[7];
    for (size_t k = 0; k < 7; k++) p[k] = load<V>(padded + i + k);
    store(total + i, load<V>(total + i) + median7<V>(p) * splat<V>(weight));
  }
  for (; i < count; i++) {
    float p[7];
    std::copy(padded + i, padded + i + 7, p);
    std::nth_element(p, p + kReach, p + 7);
    total[i] += p[kReach] * weight;
  }
}

EARSHOT_AVX2 void add_smoothed_avx2(const float* padded, size_t count, float weight, float* total) {
  add_smoothed<f32x8>(padded, count, weight, total);
}
void add_smoothed_baseline(const float* padded, size_t count, float weight, float* total) {
  add_smoothed<f32x4>(padded, count, weight, total);
}

// [tokens][positions]: how well each position fits each token.
std::vector<float> fits(Simd simd, const float* attention, size_t tokens, size_t heads, size_t positions) {
  std::vector<float> total(tokens * positions, 0.0f), scale(tokens), padded(positions + 2 * kReach);
  std::vector<double> mean(positions), spread(positions);
  const auto row = [&](size_t token, size_t head) { return attention + (token * heads + head) * positions; };
  for (size_t head = 0; head < heads; head++) {
    std::fill(mean.begin(), mean.end(), 0.0);
    std::fill(spread.begin(), spread.end(), 0.0);
    for (size_t token = 0; token < tokens; token++) {
      const float* values = row(token, head);
      double sum = 0;
      for (size_t i = 0; i < positions; i++) sum += values[i];
      scale[token] = sum > 0 ? float(1 / sum) : 0.0f;
      for (size_t i = 0; i < positions; i++) {
        const double value = double(values[i]) * scale[token];
        mean[i] += value;
        spread[i] += value * value;
      }
    }
    for (size_t i = 0; i < positions; i++) {
      mean[i] /= double(tokens);
      spread[i] = 1 / std::sqrt(std::max(spread[i] / double(tokens) - mean[i] * mean[i], 1e-20));
    }
    for (size_t token = 0; token < tokens; token++) {
      const float* values = row(token, head);
      float* middle = padded.data() + kReach;
      for (size_t i = 0; i < positions; i++) {
        middle[i] = float((double(values[i]) * scale[token] - mean[i]) * spread[i]);
      }
      float* to = total.data() + token * positions;
      const float weight = 1.0f / float(heads);
      if (positions <= kReach) {
        for (size_t i = 0; i < positions; i++) to[i] += middle[i] * weight;
        continue;
      }
      for (size_t i = 1; i <= kReach; i++) {
        padded[kReach - i] = middle[i];
        middle[positions - 1 + i] = middle[positions - 1 - i];
      }
      if (simd == Simd::avx2)
        add_smoothed_avx2(padded.data(), positions, weight, to);
      else
        add_smoothed_baseline(padded.data(), positions, weight, to);
    }
  }
  return total;
}

}  // namespace

std::vector<double> token_times(Simd simd, const float* attention, size_t tokens, size_t heads, size_t positions) {
  std::vector<double> begins(tokens, 0.0);
  if (tokens == 0 || positions == 0) return begins;
  const std::vector<float> fit = fits(simd, attention, tokens, heads, positions);
  enum Way : uint8_t { kBoth, kToken, kPosition };
  std::vector<uint8_t> came(tokens * positions);
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> before(positions, kNever), costs(positions);
  for (size_t token = 0; token < tokens; token++) {
    for (size_t i = 0; i < positions; i++) {
      const double both = i > 0 ? before[i - 1] : kNever, next = before[i], stay = i > 0 ? costs[i - 1] : kNever;
      const bool start = token == 0 && i == 0;
      const Way way = start || (both < next && both < stay) ? kBoth : next < both && next < stay ? kToken : kPosition;
      came[token * positions + i] = way;
      costs[i] = (start ? 0.0 : way == kBoth ? both : way == kToken ? next : stay) - double(fit[token * positions + i]);
    }
    std::swap(before, costs);
  }
  for (size_t token = tokens - 1, i = positions - 1;;) {
    begins[token] = double(i);
    const uint8_t way = came[token * positions + i];
    if (token == 0) break;
    // Attention that is not a number leads anywhere: at the first position only tokens are left.
    if (way != kPosition || i == 0) token--;
    if (way != kToken && i > 0) i--;
  }
  begins[0] = 0;
  return begins;
}

}  // namespace earshot
