#include "log_mel.h"

#include <algorithm>
#include <cmath>

namespace earshot {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr double kRate = 16000, kHighest = 8000;
// Linear below 1 kHz, 200/3 Hz a mel; above, 27 mels to the factor 6.4.
constexpr double kLinear = 200.0 / 3, kBreakHz = 1000;
constexpr float kFloor = 1e-10f, kRange = 8;
constexpr size_t kTile = 64;  // frames transformed at a time

double to_mel(double hz) {
  return hz < kBreakHz ? hz / kLinear : kBreakHz / kLinear + std::log(hz / kBreakHz) * 27 / std::log(6.4);
}

double to_hz(double mel) {
  const double at = kBreakHz / kLinear;
  return mel < at ? mel * kLinear : kBreakHz * std::exp((mel - at) * std::log(6.4) / 27);
}

std::vector<float> hann() {
  std::vector<float> window(LogMel::kFrame);
  for (size_t i = 0; i < window.size(); i++) {
    window[i] = float(0.5 - 0.5 * std::cos(kTwoPi * double(i) / double(window.size())));
  }
  return window;
}

}  // namespace

LogMel::LogMel(Simd simd, size_t bands) : bands_(bands), stft_(simd, hann(), kHop) {
  const auto edge = [&](size_t i) { return to_hz(to_mel(kHighest) * double(i) / double(bands + 1)); };
  for (size_t b = 0; b < bands; b++) {
    const double low = edge(b), centre = edge(b + 1), high = edge(b + 2);
    Band band{kBins, {}};
    for (size_t k = 0; k < kBins; k++) {
      const double hz = double(k) * kRate / double(kFrame);
      const double height = std::min((hz - low) / (centre - low), (high - hz) / (high - centre));
      if (height <= 0) continue;
      band.first = std::min(band.first, k);
      band.weights.push_back(float(height * 2 / (high - low)));
    }
    filters_.push_back(std::move(band));
  }
}

void LogMel::process(const float* samples, size_t count, size_t frames, float* out) {
  if (frames == 0) return;
  const size_t reach = kFrame / 2, length = frames * kHop;
  count = std::min(count, length);
  // What the frames see: half a frame before the start, and half a frame less a hop behind the end.
  std::vector<float> seen(stft_.span(frames), 0.0f);
  for (size_t i = 0; i < seen.size(); i++) {
    size_t at = i < reach ? reach - i : i - reach;
    if (at >= length) at = 2 * (length - 1) - std::min(at, 2 * (length - 1));
    if (at < count) seen[i] = samples[at];
  }
  // Frames behind the sound are silent: the mirrored end alone may be heard again.
  std::vector<float> re(kTile * kBins), im(kTile * kBins), power(kBins);
  float greatest = std::log10(kFloor);
  for (size_t from = 0; from < frames; from += kTile) {
    const size_t n = std::min(kTile, frames - from);
    const float* tile = seen.data() + from * kHop;
    const bool silent = std::all_of(tile, tile + stft_.span(n), [](float x) { return x == 0.0f; });
    if (!silent) stft_.forward(tile, n, 1, re.data(), im.data());
    for (size_t t = 0; t < n; t++) {
      if (!silent) {
        const float *x = re.data() + t * kBins, *y = im.data() + t * kBins;
        for (size_t k = 0; k < kBins; k++) power[k] = x[k] * x[k] + y[k] * y[k];
      }
      for (size_t b = 0; b < bands_; b++) {
        float sum = 0;
        if (!silent) {
          const Band& band = filters_[b];
          const float* p = power.data() + band.first;
          for (size_t k = 0; k < band.weights.size(); k++) sum += band.weights[k] * p[k];
        }
        const float level = std::log10(std::max(sum, kFloor));
        greatest = std::max(greatest, level);
        out[b * frames + from + t] = level;
      }
    }
  }
  for (size_t i = 0; i < bands_ * frames; i++) out[i] = (std::max(out[i], greatest - kRange) + 4) / 4;
}

}  // namespace earshot
