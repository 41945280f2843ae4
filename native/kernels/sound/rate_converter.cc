#include "rate_converter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

// Of the lower Nyquist frequency: -0.0004 dB at 0.9, -1.1 dB at 0.95, below -100 dB from 1.07 on.
constexpr double kCutoff = 0.98, kBeta = 10.3;
constexpr double kPi = 3.14159265358979323846;
// Weights of longer periods are not kept. 44.1 kHz from 192 kHz takes 380,000.
constexpr size_t kMostWeights = 2097152;
// Lines between 1024 phases are within 1.2e-6 of the curve: -118 dB.
constexpr size_t kPhases = 1024;

/** Kaiser's window from -1 to 1 as a function of its argument's square: Bessel's I0 is a series of squares. */
class KaiserWindow {
 public:
  KaiserWindow() {
    double term = 1;
    for (int k = 0; k < kTerms; k++) {
      if (k > 0) term *= kBeta * kBeta / 4 / (double(k) * k);
      series_[k] = term;
      at_zero_ += term;
    }
  }
  double at(double x) const {
    const double w = 1 - x * x;
    if (w <= 0) return 0;
    double sum = series_[kTerms - 1];
    for (int k = kTerms - 2; k >= 0; k--) sum = sum * w + series_[k];
    return sum / at_zero_;
  }

 private:
  static constexpr int kTerms = 32;
  double series_[kTerms];
  double at_zero_ = 0;
};

/**
 * The weights of the 2 * reach inputs around an output that lies `part` of a step after input reach - 1. Their sum
 * is 1.
 * @param scale the lower rate's share of the input's rate, at most 1
 */
void weights_at(const KaiserWindow& window, double part, double scale, size_t reach, double* out) {
  const double step = kPi * kCutoff * scale, first = -(double(reach) - 1) - part;
  double sum = 0;
  for (size_t tap = 0; tap < 2 * reach; tap++) {
    const double x = first + double(tap), angle = step * x;
    const double sinc = std::fabs(angle) < 1e-9 ? 1 : std::sin(angle) / angle;
    out[tap] = sinc * window.at(x * scale / double(RateConverter::kReach));
    sum += out[tap];
  }
  for (size_t tap = 0; tap < 2 * reach; tap++) out[tap] /= sum;
}

/** Place i of a row of n samples that goes on as its mirror image on either side. */
size_t mirrored(int64_t i, size_t n) {
  if (n == 1) return 0;
  const int64_t period = 2 * (int64_t(n) - 1);
  const int64_t at = ((i % period) + period) % period;
  return size_t(at < int64_t(n) ? at : period - at);
}

/** out[row][0 .. 8) = sum over k of weights[k][0 .. 8) * in[row][k]. */
template <class V, size_t Rows>
EARSHOT_INLINE void groups_body(const float* weights, size_t span, const float* const* in, float* const* out) {
  constexpr size_t kVectors = RateConverter::kGroup / lanes_of<V>;
  V sums[Rows][kVectors] = {};
  for (size_t k = 0; k < span; k++) {
    V w[kVectors];
    for (size_t v = 0; v < kVectors; v++) w[v] = load<V>(weights + k * RateConverter::kGroup + v * lanes_of<V>);
    for (size_t row = 0; row < Rows; row++) {
      const float x = in[row][k];
      // Each element named, and here: of splat<V> GCC makes shuffles, which take twice as long as all the rest.
      V wide;
      if constexpr (lanes_of<V> == 8)
        wide = V{x, x, x, x, x, x, x, x};
      else
        wide = V{x, x, x, x};
      for (size_t v = 0; v < kVectors; v++) sums[row][v] += wide * w[v];
    }
  }
  for (size_t row = 0; row < Rows; row++)
    for (size_t v = 0; v < kVectors; v++) store<V>(out[row] + v * lanes_of<V>, sums[row][v]);
}

template <class V>
EARSHOT_INLINE void rows_body(const float* weights, size_t span, const float* const* in, float* const* out,
                              size_t rows) {
  constexpr size_t kMost = lanes_of<V> == 8 ? 8 : 4;
  size_t at = 0;
  for (; at + kMost <= rows; at += kMost) groups_body<V, kMost>(weights, span, in + at, out + at);
  if (kMost > 4 && at + 4 <= rows) {
    groups_body<V, 4>(weights, span, in + at, out + at);
    at += 4;
  }
  if (at + 2 <= rows) {
    groups_body<V, 2>(weights, span, in + at, out + at);
    at += 2;
  }
  if (at < rows) groups_body<V, 1>(weights, span, in + at, out + at);
}
EARSHOT_AVX2 void rows_avx2(const float* weights, size_t span, const float* const* in, float* const* out, size_t rows) {
  rows_body<f32x8>(weights, span, in, out, rows);
}
void rows_baseline(const float* weights, size_t span, const float* const* in, float* const* out, size_t rows) {
  rows_body<f32x4>(weights, span, in, out, rows);
}

/** The sum of x[k] times the weight between low[k] and high[k]. n: a multiple of 8. */
template <class V>
EARSHOT_INLINE float between_body(const float* low, const float* high, float part, const float* x, size_t n) {
  const V by = splat<V>(part);
  V sum{};
  for (size_t k = 0; k < n; k += lanes_of<V>) {
    const V a = load<V>(low + k), b = load<V>(high + k);
    sum += load<V>(x + k) * (a + (b - a) * by);
  }
  return float(hsum(sum));
}
EARSHOT_AVX2 float between_avx2(const float* low, const float* high, float part, const float* x, size_t n) {
  return between_body<f32x8>(low, high, part, x, n);
}
float between_baseline(const float* low, const float* high, float part, const float* x, size_t n) {
  return between_body<f32x4>(low, high, part, x, n);
}

}  // namespace

RateConverter::RateConverter(Simd simd, size_t channels, uint32_t from, uint32_t to)
    : simd_(simd), channels_(channels), held_(channels) {
  const uint32_t common = std::gcd(from, to);
  up_ = to / common;
  down_ = from / common;
  // A multiple of 4, so that rows of weights are whole vectors.
  const double wide = std::ceil(double(kReach) * std::max(1.0, double(down_) / double(up_)));
  reach_ = (size_t(wide) + 3) / 4 * 4;
  span_ = 2 * reach_ + size_t((uint64_t(kGroup - 1) * down_ + up_ - 1) / up_) + 1;
  const uint64_t period = up_ / std::gcd(up_, uint64_t(kGroup));
  if (period * span_ * kGroup <= kMostWeights) {
    period_ = size_t(period);
    make_weights();
  } else {
    make_table();
  }
}

void RateConverter::make_weights() {
  const KaiserWindow window;
  const double scale = std::min(1.0, double(up_) / double(down_));
  std::vector<double> taps(2 * reach_);
  weights_.assign(period_ * span_ * kGroup, 0.0f);
  for (size_t n = 0; n < period_ * kGroup; n++) {
    const size_t group = n / kGroup, lane = n % kGroup;
    const uint64_t begin = uint64_t(group) * kGroup * down_ / up_, at = uint64_t(n) * down_;
    const size_t offset = size_t(at / up_ - begin);
    weights_at(window, double(at % up_) / double(up_), scale, reach_, taps.data());
    for (size_t tap = 0; tap < 2 * reach_; tap++)
      weights_[(group * span_ + offset + tap) * kGroup + lane] = float(taps[tap]);
  }
}

void RateConverter::make_table() {
  const KaiserWindow window;
  const double scale = std::min(1.0, double(up_) / double(down_));
  // The curve is wider where the rate falls, and so are its phases.
  phases_ = std::max(size_t(1), size_t(std::ceil(double(kPhases) * scale)));
  std::vector<double> taps(2 * reach_);
  table_.resize((phases_ + 1) * 2 * reach_);
  for (size_t phase = 0; phase <= phases_; phase++) {
    weights_at(window, double(phase) / double(phases_), scale, reach_, taps.data());
    for (size_t tap = 0; tap < 2 * reach_; tap++) table_[phase * 2 * reach_ + tap] = float(taps[tap]);
  }
}

int64_t RateConverter::first_of(uint64_t group) const {
  // In two steps: the product alone would leave 64 bits after years.
  const uint64_t n = group * kGroup, whole = n / up_ * down_ + n % up_ * down_ / up_;
  return int64_t(whole) - int64_t(reach_) + 1;
}

uint64_t RateConverter::groups_of(uint64_t total) const {
  if (total < reach_) return 0;
  // The last input of group g is first_of(g) + span - 1 < total, so floor(8 g down / up) <= total - span + reach - 1.
  const int64_t last = int64_t(total) - int64_t(span_) + int64_t(reach_) - 1;
  if (last < 0) return 0;
  // The greatest n with floor(n down / up) <= last: n down < (last + 1) up.
  const uint64_t beyond = uint64_t(last) + 1;
  const uint64_t n = (beyond / down_ * up_) + (beyond % down_ * up_ + down_ - 1) / down_ - 1;
  return n / kGroup + 1;
}

uint64_t RateConverter::whole() const {
  if (taken_ == 0) return 0;
  const uint64_t rounded = taken_ / down_ * up_ + (taken_ % down_ * up_ + down_ / 2) / down_;
  return std::max(uint64_t(1), rounded);
}

size_t RateConverter::ready(size_t frames) const {
  if (closed_) return 0;
  return size_t(groups_of(taken_ + frames) - made_) * kGroup;
}

size_t RateConverter::rest() const {
  if (closed_) return 0;
  const uint64_t made = made_ * kGroup, all = whole();
  return all > made ? size_t(all - made) : 0;
}

void RateConverter::reflect_start() {
  started_ = true;
  for (std::vector<float>& held : held_) {
    std::vector<float> before(reach_ - 1);
    for (size_t i = 0; i < before.size(); i++)
      before[i] = held[mirrored(int64_t(i) - int64_t(before.size()), held.size())];
    held.insert(held.begin(), before.begin(), before.end());
  }
  held_from_ = 1 - int64_t(reach_);
}

void RateConverter::run(uint64_t from_group, uint64_t to_group, float* const* out) {
  std::vector<const float*> in;
  std::vector<float*> to;
  for (uint64_t group = from_group; group < std::min(to_group, from_group + period_); group++) {
    in.clear();
    to.clear();
    for (size_t c = 0; c < channels_; c++) {
      for (uint64_t each = group; each < to_group; each += period_) {
        in.push_back(held_[c].data() + (first_of(each) - held_from_));
        to.push_back(out[c] + (each - from_group) * kGroup);
      }
    }
    const float* weights = &weights_[size_t(group % period_) * span_ * kGroup];
    if (simd_ == Simd::avx2)
      rows_avx2(weights, span_, in.data(), to.data(), in.size());
    else
      rows_baseline(weights, span_, in.data(), to.data(), in.size());
  }
}

void RateConverter::run_between(uint64_t from_group, uint64_t to_group, float* const* out) {
  const size_t taps = 2 * reach_;
  for (uint64_t n = from_group * kGroup; n < to_group * kGroup; n++) {
    const uint64_t at = n % up_ * down_, first = n / up_ * down_ + at / up_;
    const double phase = double(at % up_) / double(up_) * double(phases_);
    const size_t row = std::min(size_t(phase), phases_ - 1);
    const float *low = &table_[row * taps], part = float(phase - double(row));
    for (size_t c = 0; c < channels_; c++) {
      const float* x = held_[c].data() + (int64_t(first) - int64_t(reach_) + 1 - held_from_);
      out[c][n - from_group * kGroup] = simd_ == Simd::avx2 ? between_avx2(low, low + taps, part, x, taps)
                                                            : between_baseline(low, low + taps, part, x, taps);
    }
  }
}

void RateConverter::make(uint64_t to_group, float* const* out) {
  if (to_group <= made_) return;
  if (period_ > 0)
    run(made_, to_group, out);
  else
    run_between(made_, to_group, out);
  made_ = to_group;
}

void RateConverter::drop_used() {
  const int64_t used = first_of(made_) - held_from_;
  if (used <= 0) return;
  for (std::vector<float>& held : held_) held.erase(held.begin(), held.begin() + std::min(used, int64_t(held.size())));
  held_from_ += used;
}

void RateConverter::process(const float* const* in, float* const* out, size_t frames) {
  if (closed_) return;
  for (size_t c = 0; c < channels_; c++) {
    const size_t at = held_[c].size();
    held_[c].resize(at + frames);
    copy_usable(simd_, in[c], held_[c].data() + at, frames);
  }
  taken_ += frames;
  if (!started_) {
    if (taken_ < reach_) return;
    reflect_start();
  }
  make(groups_of(taken_), out);
  drop_used();
}

void RateConverter::close() {
  closed_ = true;
  // An empty list alone would keep the memory.
  weights_ = std::vector<float>();
  table_ = std::vector<float>();
  held_ = std::vector<std::vector<float>>();
}

void RateConverter::flush(float* const* out) {
  const size_t frames = rest();
  if (frames == 0) return;
  if (!started_) reflect_start();
  const uint64_t to_group = (whole() + kGroup - 1) / kGroup;
  const int64_t needed = first_of(to_group - 1) + int64_t(span_) - held_from_;
  for (std::vector<float>& held : held_) {
    const size_t had = held.size();
    if (needed <= int64_t(had)) continue;
    held.resize(size_t(needed));
    // Never further back than what is still held: a group's own inputs.
    const size_t own = std::min(had, size_t(taken_));
    for (size_t i = had; i < held.size(); i++)
      held[i] = held[had - own + mirrored(int64_t(own) + int64_t(i - had), own)];
  }
  std::vector<std::vector<float>> made(channels_, std::vector<float>(size_t(to_group - made_) * kGroup));
  std::vector<float*> to;
  for (std::vector<float>& each : made) to.push_back(each.data());
  make(to_group, to.data());
  for (size_t c = 0; c < channels_; c++) std::memcpy(out[c], made[c].data(), frames * sizeof(float));
}

}  // namespace earshot
