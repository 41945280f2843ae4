#include "loudness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace earshot {
namespace {

constexpr size_t kBlock = 4, kShortTerm = 30;  // in sub-blocks
constexpr double kSilent = -std::numeric_limits<double>::infinity();

double to_lufs(double mean_square) { return mean_square > 0 ? -0.691 + 10.0 * std::log10(mean_square) : kSilent; }
double from_lufs(double lufs) { return std::pow(10.0, (lufs + 0.691) / 10.0); }

/** Mean of the values above `gate`, and how many they are. */
struct Gated {
  double mean = 0;
  uint64_t count = 0;
};
Gated mean_above(const std::vector<double>& values, double gate) {
  Gated g;
  for (double v : values) {
    if (v > gate) {
      g.mean += v;
      g.count++;
    }
  }
  if (g.count) g.mean /= double(g.count);
  return g;
}

}  // namespace

Loudness::Loudness(Simd simd, uint32_t sample_rate, std::vector<double> weights)
    : sample_rate_(sample_rate),
      weights_(std::move(weights)),
      filter_(simd, sample_rate),
      tiles_(simd, weights_.size()),
      states_(weights_.size()) {
  for (size_t c = 0; c < weights_.size(); c++) {
    if (weights_[c] > 0) heard_.push_back(c);
  }
}

void Loudness::push(const float* const* planes, size_t frames) {
  tiles_.push(planes, frames, [this](const float* const* p, size_t n) { filter_tile(p, n); });
}

void Loudness::filter_tile(const float* const* planes, size_t n) {
  for (size_t at = 0; at < n;) {
    const uint64_t end = tick_start(ticks_ + 1);
    const size_t length = size_t(std::min<uint64_t>(n - at, end - position_));
    double sum = 0;
    size_t h = 0;
    for (; h + 2 <= heard_.size(); h += 2) {
      const size_t a = heard_[h], b = heard_[h + 1];
      double ea, eb;
      filter_.energy2(states_[a], planes[a] + at, ea, states_[b], planes[b] + at, eb, length);
      sum += weights_[a] * ea + weights_[b] * eb;
    }
    if (h < heard_.size()) {
      const size_t a = heard_[h];
      sum += weights_[a] * filter_.energy(states_[a], planes[a] + at, length);
    }
    tick_ += sum;
    at += length;
    position_ += length;
    while (position_ == tick_start(ticks_ + 1)) close_tick();  // more than once only at rates below 100 Hz
  }
  for (size_t c : heard_) KWeighting::settle(states_[c]);
}

// The gate's blocks move by 100 ms, as the standard says; the momentary maximum is looked for every 10 ms, because a
// 400 ms sound that begins between two of those would read up to 0.6 dB low (Tech 3341, case 13).
void Loudness::close_tick() {
  last_ticks_[ticks_ % last_ticks_.size()] = tick_;
  open_ += tick_;
  tick_ = 0;
  ticks_++;
  if (ticks_ >= last_ticks_.size()) max_momentary_ = std::max(max_momentary_, momentary());
  if (ticks_ % 10 == 0) {
    sub_blocks_.push_back(open_);
    open_ = 0;
  }
}

double Loudness::momentary() const {
  double sum = 0;
  for (double energy : last_ticks_) sum += energy;
  const uint64_t frames = tick_start(ticks_) - tick_start(ticks_ - last_ticks_.size());
  return frames ? sum / double(frames) : 0.0;
}

double Loudness::mean_square(size_t last, size_t count) const {
  double sum = 0;
  for (size_t k = last + 1 - count; k <= last; k++) sum += sub_blocks_[k];
  const uint64_t frames = start_of(last + 1) - start_of(last + 1 - count);
  return frames ? sum / double(frames) : 0.0;
}

Loudness Loudness::drained() const {
  Loudness copy = *this;
  copy.tiles_.flush([&copy](const float* const* p, size_t n) { copy.filter_tile(p, n); });
  return copy;
}

LoudnessResult Loudness::result() const {
  const Loudness all = drained();
  const size_t count = all.sub_blocks_.size();
  LoudnessResult r = {kSilent, kSilent, kSilent, kSilent, kSilent, std::numeric_limits<double>::quiet_NaN(), 0};
  std::vector<double> blocks, short_term;
  blocks.reserve(count);
  short_term.reserve(count);
  for (size_t k = kBlock - 1; k < count; k++) blocks.push_back(all.mean_square(k, kBlock));
  for (size_t k = kShortTerm - 1; k < count; k++) short_term.push_back(all.mean_square(k, kShortTerm));
  if (all.ticks_ >= all.last_ticks_.size()) {
    r.max_momentary = to_lufs(all.max_momentary_);
    r.momentary = to_lufs(all.momentary());
  }
  if (!short_term.empty()) {
    r.max_short_term = to_lufs(*std::max_element(short_term.begin(), short_term.end()));
    r.short_term = to_lufs(short_term.back());
  }

  const double absolute = from_lufs(-70.0);
  const Gated loud = mean_above(blocks, absolute);
  if (loud.count) {
    const Gated gated = mean_above(blocks, std::max(absolute, loud.mean * 0.1));  // -10 LU
    r.integrated = to_lufs(gated.mean);
    r.gated_blocks = gated.count;
  }

  const Gated heard = mean_above(short_term, absolute);
  if (heard.count) {
    const double gate = std::max(absolute, heard.mean * 0.01);  // -20 LU
    short_term.erase(std::remove_if(short_term.begin(), short_term.end(), [gate](double v) { return !(v > gate); }),
                     short_term.end());
    if (!short_term.empty()) {
      auto percentile = [&short_term](double p) {  // nearest rank, as in Tech 3342's own code
        const auto at = short_term.begin() + long(std::floor(double(short_term.size() - 1) * p + 0.5));
        std::nth_element(short_term.begin(), at, short_term.end());
        return to_lufs(*at);
      };
      const double low = percentile(0.10), high = percentile(0.95);
      r.range = high - low;
    }
  }
  return r;
}

std::vector<float> Loudness::short_term_series() const {
  const Loudness all = drained();
  std::vector<float> series;
  for (size_t k = kShortTerm - 1; k < all.sub_blocks_.size(); k++)
    series.push_back(float(to_lufs(all.mean_square(k, kShortTerm))));
  return series;
}

}  // namespace earshot
