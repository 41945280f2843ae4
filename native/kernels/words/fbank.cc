#include "fbank.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr double kPreEmphasis = 0.97;
constexpr double kYamnetOffset = 0.001;
constexpr size_t kTogether = 8;
constexpr size_t kBins = Fbank::kTransform / 2;  // without the one at half the rate, which no triangle holds

double mel(double hz) { return 1127.0 * std::log1p(hz / 700.0); }

}  // namespace

Fbank::Fbank(Simd simd, Form form, size_t bands, double low_hz, double high_hz)
    : simd_(simd),
      form_(form),
      transform_(simd, std::vector<float>(kTransform, 1.0f), kTransform),
      usable_(kFrame),
      frames_(kTogether * kTransform),
      re_(kTogether * transform_.bins()),
      im_(kTogether * transform_.bins()) {
  for (size_t i = 0; i < kFrame; i++) {
    const double period = double(form == Form::kKaldi ? kFrame - 1 : kFrame);
    const double hann = 0.5 - 0.5 * std::cos(kTwoPi * double(i) / period);
    window_.push_back(float(form == Form::kKaldi ? std::pow(hann, 0.85) : hann));
  }
  const double low = mel(low_hz), step = (mel(high_hz) - low) / double(bands + 1);
  for (size_t b = 0; b < bands; b++) {
    const double left = low + double(b) * step, centre = left + step, right = centre + step;
    Band band{0, {}};
    for (size_t k = 0; k < kBins; k++) {
      const double at = mel(kSampleRate * double(k) / double(kTransform));
      if (at <= left || at >= right) continue;
      if (band.weights.empty()) band.first = k;
      band.weights.push_back(float(at <= centre ? (at - left) / step : (right - at) / step));
    }
    bands_.push_back(std::move(band));
  }
}

void Fbank::rows(const float* samples, size_t count, float* rows) {
  const size_t bins = transform_.bins();
  for (size_t t = 0; t < count; t += kTogether) {
    const size_t n = std::min(kTogether, count - t);
    for (size_t lane = 0; lane < n; lane++) {
      copy_usable(simd_, samples + (t + lane) * kHop, usable_.data(), kFrame);
      float* x = &frames_[lane * kTransform];
      if (form_ == Form::kYamnet) {
        for (size_t i = 0; i < kFrame; i++) x[i] = usable_[i] * window_[i];
        continue;
      }
      double sum = 0;
      for (size_t i = 0; i < kFrame; i++) sum += usable_[i];
      const double mean = sum / double(kFrame);
      double before = usable_[0] - mean;  // the first sample is its own predecessor
      for (size_t i = 0; i < kFrame; i++) {
        const double now = usable_[i] - mean;
        x[i] = float((now - kPreEmphasis * before) * window_[i]);
        before = now;
      }
    }
    transform_.forward(frames_.data(), n, 1.0f, re_.data(), im_.data());
    for (size_t lane = 0; lane < n; lane++) {
      float *re = &re_[lane * bins], *im = &im_[lane * bins];
      for (size_t k = 0; k < kBins; k++) re[k] = re[k] * re[k] + im[k] * im[k];
      if (form_ == Form::kYamnet) {
        for (size_t k = 0; k < kBins; k++) re[k] = std::sqrt(re[k]);
      }
      float* row = rows + (t + lane) * bands_.size();
      for (size_t b = 0; b < bands_.size(); b++) {
        const float* power = re + bands_[b].first;
        double energy = 0;
        for (size_t k = 0; k < bands_[b].weights.size(); k++) energy += double(power[k]) * bands_[b].weights[k];
        const double most = std::max(energy, double(std::numeric_limits<float>::epsilon()));
        row[b] = float(std::log(form_ == Form::kKaldi ? most : energy + kYamnetOffset));
      }
    }
  }
}

}  // namespace earshot
