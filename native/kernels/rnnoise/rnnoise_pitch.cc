#include "rnnoise_pitch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace earshot {
namespace {

template <class V> EARSHOT_INLINE float inner(const float* a, const float* b, size_t n) {
  constexpr size_t W = lanes_of<V>;
  V sum{}, more{};
  const size_t whole = n - n % (2 * W);
  for (size_t i = 0; i < whole; i += 2 * W) {
    sum += load<V>(a + i) * load<V>(b + i);
    more += load<V>(a + i + W) * load<V>(b + i + W);
  }
  float rest = 0;
  for (size_t i = whole; i < n; i++) rest += a[i] * b[i];
  return float(hsum<V>(sum + more)) + rest;
}

/** out[k] = the inner product of x with y from k on. `count` is rounded up to whole vectors, in `y` and in `out`. */
template <class V> EARSHOT_INLINE void correlate(const float* x, size_t n, const float* y, size_t count, float* out) {
  constexpr size_t W = lanes_of<V>;
  for (size_t k = 0; k < count; k += 2 * W) {
    V sum{}, more{};
    for (size_t j = 0; j < n; j++) {
      const V by = splat<V>(x[j]);
      sum += by * load<V>(y + j + k);
      more += by * load<V>(y + j + k + W);
    }
    store<V>(out + k, sum);
    store<V>(out + k + W, more);
  }
}

/** Half the rate, by the filter (1/4, 1/2, 1/4). */
EARSHOT_INLINE void halve(const float* x, size_t count, float* out) {
  out[0] = 0.5f * (0.5f * x[1] + x[0]);
  for (size_t i = 1; i < count; i++) out[i] = 0.5f * (0.5f * (x[2 * i - 1] + x[2 * i + 1]) + x[2 * i]);
}

constexpr size_t kOrder = 4;

/** Levinson's recursion: how a sample follows from the four before it. */
EARSHOT_INLINE void predictor(const float* correlation, float* out) {
  std::fill_n(out, kOrder, 0.0f);
  float error = correlation[0];
  if (error == 0) return;
  for (size_t i = 0; i < kOrder; i++) {
    float sum = correlation[i + 1];
    for (size_t j = 0; j < i; j++) sum += out[j] * correlation[i - j];
    const float reflection = -sum / error;
    out[i] = reflection;
    for (size_t j = 0; j < (i + 1) / 2; j++) {
      const float a = out[j], b = out[i - 1 - j];
      out[j] = a + reflection * b;
      out[i - 1 - j] = b + reflection * a;
    }
    error -= reflection * reflection * error;
    if (error < 0.001f * correlation[0]) return;
  }
}

/** Takes out of x[0, n) what can be predicted from the samples before, so that voices differ less from noise. */
template <class V> EARSHOT_INLINE void flatten(const float* x, size_t n, float* out) {
  float correlation[kOrder + 1];
  for (size_t lag = 0; lag <= kOrder; lag++) {
    const float off = 0.008f * float(lag);
    correlation[lag] = inner<V>(x + lag, x, n - lag) * (lag == 0 ? 1.0001f : 1 - off * off);
  }
  float p[kOrder];
  predictor(correlation, p);
  float bandwidth = 1;
  for (float& each : p) each *= bandwidth *= 0.9f;
  const float zero = 0.8f;
  const float taps[kOrder + 1] = {p[0] + zero, p[1] + zero * p[0], p[2] + zero * p[1], p[3] + zero * p[2], zero * p[3]};
  constexpr size_t kTaps = kOrder + 1;
  for (size_t i = 0; i < kTaps; i++) {
    out[i] = x[i];
    for (size_t k = 0; k < i; k++) out[i] += taps[k] * x[i - 1 - k];
  }
  for (size_t i = kTaps; i < n; i++)
    out[i] =
        x[i] + taps[0] * x[i - 1] + taps[1] * x[i - 2] + taps[2] * x[i - 3] + taps[3] * x[i - 4] + taps[4] * x[i - 5];
}

/** The two of [0, count) at which y is most like the sound that `correlation` compares it with, best first. */
EARSHOT_INLINE std::array<int, 2> best_two(const float* correlation, const float* y, size_t n, size_t count,
                                           float energy) {
  std::array<int, 2> best{0, 1};
  float like[2] = {-1, -1}, energies[2] = {0, 0};
  energy += 1;
  for (size_t i = 0; i < count; i++) {
    if (correlation[i] > 0) {
      // Else squares of sounds at full scale in 16 bits would leave what float can hold.
      const float small = correlation[i] * 1e-12f, square = small * small;
      if (square * energies[1] > like[1] * energy) {
        const bool first = square * energies[0] > like[0] * energy;
        if (first) {
          like[1] = like[0];
          energies[1] = energies[0];
          best[1] = best[0];
        }
        const size_t at = first ? 0 : 1;
        like[at] = square;
        energies[at] = energy;
        best[at] = int(i);
      }
    }
    energy = std::max(1.0f, energy + y[i + n] * y[i + n] - y[i] * y[i]);
  }
  return best;
}

/** Which way the maximum lies from the middle one of three: -1, 0, 1. */
EARSHOT_INLINE int lean(float before, float here, float after) {
  if (after - before > 0.7f * (here - before)) return 1;
  return before - after > 0.7f * (here - after) ? -1 : 0;
}

EARSHOT_INLINE float gain_of(float product, float energy_a, float energy_b) {
  return float(double(product) / std::sqrt(double(1 + energy_a * energy_b)));
}

/** For a k-th of the period, which multiple of it should fit, too. */
constexpr int kAlso[16] = {0, 0, 3, 2, 3, 2, 5, 2, 3, 2, 3, 2, 5, 2, 3, 2};

}  // namespace

// First at a quarter of the rate, then near the two best ones at half of it.
template <class V> EARSHOT_INLINE size_t RnnoisePitch::search(const float* samples) {
  constexpr size_t kLags = kMost - 3 * kLeast, kHalfLags = kLags / 2, kQuarterLags = kLags / 4;
  constexpr size_t kHalfFrame = kFrame / 2, kQuarterFrame = kFrame / 4;
  constexpr size_t kPadded = 160;  // lags, in whole vectors
  float half[kHalf];
  halve(samples, kHalf, half);
  flatten<V>(half, kHalf, flat_.data());
  const float *y = flat_.data(), *x = y + kMost / 2;

  float x4[kQuarterFrame], y4[kQuarterFrame + kPadded] = {}, likeness[kHalfLags];
  for (size_t i = 0; i < kQuarterFrame; i++) x4[i] = x[2 * i];
  for (size_t i = 0; i < kQuarterFrame + kQuarterLags; i++) y4[i] = y[2 * i];
  correlate<V>(x4, kQuarterFrame, y4, kQuarterLags, likeness);
  const auto rough = best_two(likeness, y4, kQuarterFrame, kQuarterLags, inner<V>(y4, y4, kQuarterFrame));

  for (size_t i = 0; i < kHalfLags; i++) {
    const bool near = std::abs(int(i) - 2 * rough[0]) <= 2 || std::abs(int(i) - 2 * rough[1]) <= 2;
    likeness[i] = near ? std::max(-1.0f, inner<V>(x, y + i, kHalfFrame)) : 0;
  }
  const size_t best = size_t(best_two(likeness, y, kHalfFrame, kHalfLags, inner<V>(y, y, kHalfFrame))[0]);
  const int towards =
      best > 0 && best < kHalfLags - 1 ? lean(likeness[best - 1], likeness[best], likeness[best + 1]) : 0;
  return without_multiples<V>(size_t(int(kMost) - (2 * int(best) - towards)));
}

// A sound that repeats after a period does so after its multiples, too.
template <class V> EARSHOT_INLINE size_t RnnoisePitch::without_multiples(size_t period) {
  constexpr int kMostHalf = kMost / 2, kLeastHalf = kLeast / 2;
  constexpr size_t n = kFrame / 2;
  const float* x = flat_.data() + kMostHalf;
  const int found = std::min(int(period / 2), kMostHalf - 1), before = last_period_ / 2;

  float energies[kMostHalf + 1];  // of as many samples, so much earlier
  const float energy = inner<V>(x, x, n);
  energies[0] = energy;
  float running = energy;
  for (int i = 1; i <= kMostHalf; i++) {
    running += x[-i] * x[-i] - x[int(n) - i] * x[int(n) - i];
    energies[i] = std::max(0.0f, running);
  }
  float best_product = inner<V>(x, x - found, n), best_energy = energies[found];
  const float gain_of_found = gain_of(best_product, energy, best_energy);
  float best_gain = gain_of_found;
  int best = found;
  for (int k = 2; k < int(std::size(kAlso)); k++) {
    const int shorter = (2 * found + k) / (2 * k);
    if (shorter < kLeastHalf) break;
    const int sum = shorter + found;
    const int also = k > 2 ? (2 * kAlso[k] * found + k) / (2 * k) : sum > kMostHalf ? found : sum;
    const float product = 0.5f * (inner<V>(x, x - shorter, n) + inner<V>(x, x - also, n));
    const float mean_energy = 0.5f * (energies[shorter] + energies[also]);
    const float gain = gain_of(product, energy, mean_energy);
    const int from_last = std::abs(shorter - before);
    const float goes_on = from_last <= 1 ? last_gain_ : from_last == 2 && 5 * k * k < found ? 0.5f * last_gain_ : 0.0f;
    // Short periods need more: they are found in sounds without any.
    const bool is_short = shorter < 3 * kLeastHalf;
    const float needed =
        is_short ? std::max(0.4f, 0.85f * gain_of_found - goes_on) : std::max(0.3f, 0.7f * gain_of_found - goes_on);
    if (gain > needed) {
      best_product = product;
      best_energy = mean_energy;
      best_gain = gain;
      best = shorter;
    }
  }
  best_product = std::max(0.0f, best_product);
  const float ratio = best_energy <= best_product ? 1 : best_product / (best_energy + 1);
  float around[3];
  for (int k = 0; k < 3; k++) around[k] = inner<V>(x, x - (best + k - 1), n);
  last_gain_ = std::min(ratio, best_gain);
  last_period_ = std::max(int(kLeast), 2 * best + lean(around[0], around[1], around[2]));
  return size_t(last_period_);
}

EARSHOT_AVX2 size_t RnnoisePitch::search_avx2(const float* samples) { return search<f32x8>(samples); }
size_t RnnoisePitch::search_baseline(const float* samples) { return search<f32x4>(samples); }

size_t RnnoisePitch::next(const float* samples) {
  return simd_ == Simd::avx2 ? search_avx2(samples) : search_baseline(samples);
}

}  // namespace earshot
