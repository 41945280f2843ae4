#include "spectrum.h"

#include <algorithm>
#include <cmath>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

template <class V> EARSHOT_INLINE void multiply_body(const float* x, const float* window, float* to, size_t n) {
  for (size_t i = 0; i < n; i += lanes_of<V>) store(to + i, load<V>(x + i) * load<V>(window + i));
}
EARSHOT_AVX2 void multiply_avx2(const float* x, const float* w, float* to, size_t n) {
  multiply_body<f32x8>(x, w, to, n);
}
void multiply_baseline(const float* x, const float* w, float* to, size_t n) { multiply_body<f32x4>(x, w, to, n); }

// With one channel in the real and one in the imaginary part, |Z(k)|^2 + |Z(N - k)|^2 is twice the sum of both
// channels' power at k: no need to tell them apart.
EARSHOT_INLINE void add_power_body(const float* __restrict re, const float* __restrict im, size_t size,
                                   float* __restrict power) {
  power[0] += re[0] * re[0] + im[0] * im[0];
  for (size_t k = 1; k <= size / 2; k++) {
    const float a = re[k] * re[k] + im[k] * im[k];
    const float b = re[size - k] * re[size - k] + im[size - k] * im[size - k];
    power[k] += 0.5f * (a + b);
  }
}
EARSHOT_AVX2 void add_power_avx2(const float* re, const float* im, size_t size, float* p) {
  add_power_body(re, im, size, p);
}
void add_power_baseline(const float* re, const float* im, size_t size, float* p) { add_power_body(re, im, size, p); }

EARSHOT_INLINE void accumulate_body(const float* __restrict power, double scale, double* __restrict sum,
                                    double* __restrict greatest, size_t n) {
  for (size_t k = 0; k < n; k++) {
    const double p = double(power[k]) * scale;
    sum[k] += p;
    greatest[k] = p > greatest[k] ? p : greatest[k];
  }
}
EARSHOT_AVX2 void accumulate_avx2(const float* p, double scale, double* s, double* g, size_t n) {
  accumulate_body(p, scale, s, g, n);
}
void accumulate_baseline(const float* p, double scale, double* s, double* g, size_t n) {
  accumulate_body(p, scale, s, g, n);
}

}  // namespace

Spectrum::Spectrum(Simd simd, uint32_t sample_rate, size_t channels, size_t size, double every_seconds)
    : simd_(simd),
      channels_(channels),
      size_(size),
      every_frames_(every_seconds * sample_rate),
      fft_(simd, size),
      window_(size),
      held_(channels * size),
      re_(size),
      im_(size),
      power_(size / 2 + 1),
      sum_(size / 2 + 1),
      greatest_(size / 2 + 1) {
  double squares = 0;
  for (size_t i = 0; i < size; i++) {
    window_[i] = float(0.5 - 0.5 * std::cos(6.28318530717958647692 * double(i) / double(size)));
    squares += double(window_[i]) * window_[i];
  }
  scale_ = 2.0 / (squares * double(size) * double(channels));
}

uint64_t Spectrum::start_of(uint64_t frame) const { return uint64_t(std::floor(double(frame) * every_frames_ + 0.5)); }

void Spectrum::measure() {
  std::fill(power_.begin(), power_.end(), 0.0f);
  const bool wide = simd_ == Simd::avx2;
  for (size_t c = 0; c < channels_; c += 2) {
    auto windowed = [&](size_t channel, std::vector<float>& to) {
      const float* x = &held_[channel * size_];
      wide ? multiply_avx2(x, window_.data(), to.data(), size_)
           : multiply_baseline(x, window_.data(), to.data(), size_);
    };
    windowed(c, re_);
    if (c + 1 < channels_)
      windowed(c + 1, im_);
    else
      std::fill(im_.begin(), im_.end(), 0.0f);
    fft_.transform(re_.data(), im_.data());
    wide ? add_power_avx2(re_.data(), im_.data(), size_, power_.data())
         : add_power_baseline(re_.data(), im_.data(), size_, power_.data());
  }
  power_.front() *= 0.5f;  // DC and the Nyquist frequency have no mirror image
  power_.back() *= 0.5f;
  wide ? accumulate_avx2(power_.data(), scale_, sum_.data(), greatest_.data(), power_.size())
       : accumulate_baseline(power_.data(), scale_, sum_.data(), greatest_.data(), power_.size());
  frames_++;
}

void Spectrum::push(const float* const* planes, size_t frames) {
  size_t at = 0;
  while (at < frames) {
    if (position_ < start_) {
      const size_t skip = size_t(std::min<uint64_t>(frames - at, start_ - position_));
      at += skip;
      position_ += skip;
      continue;
    }
    const size_t take = std::min(frames - at, size_ - filled_);
    for (size_t c = 0; c < channels_; c++) copy_usable(simd_, planes[c] + at, &held_[c * size_ + filled_], take);
    filled_ += take;
    at += take;
    position_ += take;
    if (filled_ < size_) continue;
    measure();
    const uint64_t next = start_of(frames_);
    const size_t keep =
        next < position_ ? size_t(position_ - next) : 0;  // frames overlap when they are closer than their size
    for (size_t c = 0; c < channels_; c++) {
      float* plane = &held_[c * size_];
      std::memmove(plane, plane + (size_ - keep), keep * sizeof(float));
    }
    filled_ = keep;
    start_ = next;
  }
}

Spectrum Spectrum::drained() const {
  Spectrum copy = *this;
  if (copy.frames_ == 0 && copy.filled_ > 0) {
    for (size_t c = 0; c < channels_; c++)
      std::fill(&copy.held_[c * size_] + filled_, &copy.held_[c * size_] + size_, 0.0f);
    copy.measure();
  }
  return copy;
}

std::vector<double> Spectrum::mean_power() const {
  std::vector<double> mean(sum_);
  for (double& p : mean) p = frames_ ? p / double(frames_) : 0.0;
  return mean;
}

}  // namespace earshot
