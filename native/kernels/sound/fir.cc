#include "fir.h"

#include <algorithm>
#include <cstring>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

template <class V> EARSHOT_INLINE void multiply_body(float* re, float* im, const float* hr, const float* hi, size_t n) {
  for (size_t i = 0; i < n; i += lanes_of<V>) {
    const V xr = load<V>(re + i), xi = load<V>(im + i), wr = load<V>(hr + i), wi = load<V>(hi + i);
    store(re + i, xr * wr - xi * wi);
    store(im + i, xr * wi + xi * wr);
  }
}
EARSHOT_AVX2 void multiply_avx2(float* re, float* im, const float* hr, const float* hi, size_t n) {
  multiply_body<f32x8>(re, im, hr, hi, n);
}
void multiply_baseline(float* re, float* im, const float* hr, const float* hi, size_t n) {
  multiply_body<f32x4>(re, im, hr, hi, n);
}

// Twice the filter's length at least, so that half of each transform or more is new.
size_t size_for(size_t taps) {
  size_t size = 1024;
  while (size < 2 * taps) size *= 2;
  return size;
}

bool silent(const float* x, size_t n) {
  return std::all_of(x, x + n, [](float sample) { return sample == 0.0f; });
}

}  // namespace

Fir::Fir(Simd simd, size_t channels, const std::vector<float>& taps)
    : simd_(simd),
      channels_(channels),
      taps_(taps.size()),
      size_(size_for(taps.size())),
      hop_(size_ - taps_ + 1),
      fft_(simd, size_),
      response_re_(size_),
      response_im_(size_),
      held_(channels * size_),
      ready_(channels * hop_),
      re_(size_),
      im_(size_) {
  for (size_t i = 0; i < taps_; i++) response_re_[i] = taps[i] / float(size_);
  fft_.transform(response_re_.data(), response_im_.data());
}

void Fir::convolve() {
  for (size_t c = 0; c < channels_; c += 2) {
    // The filter is real: one channel goes in the real and one in the imaginary part, and they stay apart.
    const bool pair = c + 1 < channels_;
    float* first = &held_[c * size_];
    float* second = pair ? first + size_ : nullptr;
    // What the other channel would leave in a silent one by rounding is not to be heard there.
    const bool silent_first = silent(first, size_), silent_second = !pair || silent(second, size_);
    float* to = &ready_[c * hop_];
    if (silent_first && silent_second) {
      std::fill(to, to + hop_ * (pair ? 2 : 1), 0.0f);
      continue;
    }
    std::memcpy(re_.data(), first, size_ * sizeof(float));
    if (pair)
      std::memcpy(im_.data(), second, size_ * sizeof(float));
    else
      std::fill(im_.begin(), im_.end(), 0.0f);
    fft_.transform(re_.data(), im_.data());
    if (simd_ == Simd::avx2)
      multiply_avx2(re_.data(), im_.data(), response_re_.data(), response_im_.data(), size_);
    else
      multiply_baseline(re_.data(), im_.data(), response_re_.data(), response_im_.data(), size_);
    fft_.transform(im_.data(), re_.data());  // with the parts exchanged this is the transform back
    const size_t from = taps_ - 1;
    if (silent_first)
      std::fill(to, to + hop_, 0.0f);
    else
      std::memcpy(to, &re_[from], hop_ * sizeof(float));
    if (!pair) continue;
    if (silent_second)
      std::fill(to + hop_, to + 2 * hop_, 0.0f);
    else
      std::memcpy(to + hop_, &im_[from], hop_ * sizeof(float));
  }
  for (size_t c = 0; c < channels_; c++) {
    float* held = &held_[c * size_];
    std::memmove(held, held + hop_, (taps_ - 1) * sizeof(float));
  }
}

void Fir::process(const float* const* in, float* const* out, size_t frames) {
  for (size_t at = 0; at < frames;) {
    const size_t take = std::min(frames - at, hop_ - filled_);
    for (size_t c = 0; c < channels_; c++) {
      copy_usable(simd_, in[c] + at, &held_[c * size_ + taps_ - 1 + filled_], take);
      std::memcpy(out[c] + at, &ready_[c * hop_ + filled_], take * sizeof(float));
    }
    at += take;
    filled_ += take;
    if (filled_ < hop_) continue;
    convolve();
    filled_ = 0;
  }
}

}  // namespace earshot
