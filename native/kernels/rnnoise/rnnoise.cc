#include "rnnoise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

constexpr float kFullScale = 32768;  // it was trained with samples of 16 bits

/** Vorbis' window. */
std::vector<float> window(size_t length) {
  const double half_pi = 1.57079632679489661923;
  std::vector<float> out(length);
  for (size_t i = 0; i < length; i++) {
    const double sine = std::sin(2 * half_pi * (double(i) + 0.5) / double(length));
    out[i] = float(std::sin(half_pi * sine * sine));
  }
  return out;
}

template <class V> EARSHOT_INLINE void powers(const float* re, const float* im, float* out) {
  for (size_t i = 0; i < RnnoiseBands::kEnd; i += lanes_of<V>) {
    const V a = load<V>(re + i), b = load<V>(im + i);
    store<V>(out + i, a * a + b * b);
  }
}

/** How many dB a gain falls in a frame at most: 4.4. Faster would cut off what a room adds to a voice. */
constexpr float kLeastOfLast = 0.6f;

}  // namespace

Rnnoise::Rnnoise(Simd simd, std::shared_ptr<const RnnoiseNetwork> network)
    : simd_(simd),
      network_(std::move(network)),
      pitch_(simd),
      stft_(simd, window(kWindow), kFrame),
      apart_(simd, window(kWindow), kWindow),
      earlier_(kAtOnce * kWindow),
      mixed_((kAtOnce + 1) * kFrame) {
  for (auto* part : {&frames_.re, &frames_.im, &frames_.earlier_re, &frames_.earlier_im})
    part->resize((1 + kAtOnce) * kBins);
}

void Rnnoise::process(const float* samples, size_t count, float* out, float* voice) {
  for (size_t at = 0; at < count; at += kAtOnce)
    some(samples + at * kFrame, std::min(kAtOnce, count - at), out + at * kFrame, voice + at);
}

// Sequential, and a filter with this little to compute gains nothing from vectors.
void Rnnoise::high_pass(const float* samples, size_t count) {
  float clean[kAtOnce * kFrame];
  copy_usable(simd_, samples, clean, count * kFrame);
  auto [first, second] = high_pass_;
  float* out = sound_.data() + kBefore;
  for (size_t i = 0; i < count * kFrame; i++) {
    const double x = double(clean[i] * kFullScale);
    const float y = float(x) + first;
    first = float(double(second) + (-2.0 * x + double(1.99599f) * double(y)));
    second = float(x - double(0.996f) * double(y));
    out[i] = y;
  }
  high_pass_ = {first, second};
}

void Rnnoise::some(const float* samples, size_t count, float* out, float* voice) {
  high_pass(samples, count);
  const float* newest = sound_.data() + kBefore - kFrame;
  stft_.forward(newest, count, 1.0f / kWindow, frames_.re.data() + kBins, frames_.im.data() + kBins);
  size_t periods[kAtOnce];
  for (size_t t = 0; t < count; t++) {
    periods[t] = pitch_.next(sound_.data() + t * kFrame);
    std::copy_n(newest + t * kFrame - periods[t], kWindow, earlier_.data() + t * kWindow);
  }
  apart_.forward(earlier_.data(), count, 1.0f / kWindow, frames_.earlier_re.data() + kBins,
                 frames_.earlier_im.data() + kBins);
  for (size_t t = 0; t < count; t++)
    voice[t] = simd_ == Simd::avx2 ? frame_avx2(t + 1, periods[t]) : frame_baseline(t + 1, periods[t]);

  // Each frame changes the spectrum of the one before it.
  stft_.inverse(frames_.re.data(), frames_.im.data(), count, 1, mixed_.data());
  const size_t length = count * kFrame;
  for (size_t i = 0; i < length; i++) out[i] = mixed_[i] / kFullScale;
  std::copy_n(mixed_.data() + length, kFrame, mixed_.data());
  std::fill(mixed_.begin() + kFrame, mixed_.end(), 0.0f);

  for (auto* part : {&frames_.re, &frames_.im, &frames_.earlier_re, &frames_.earlier_im})
    std::copy_n(part->data() + count * kBins, kBins, part->data());
  for (auto* part : {&frames_.energy, &frames_.earlier_energy, &frames_.likeness}) (*part)[0] = (*part)[count];
  std::copy(sound_.begin() + length, sound_.begin() + length + kBefore, sound_.begin());
}

// @returns false: it is silent, and the network is not asked
template <class V> EARSHOT_INLINE bool Rnnoise::features(size_t at, size_t period, float* out) {
  float values[RnnoiseBands::kEnd];
  const float *re = frames_.re.data() + at * kBins, *im = frames_.im.data() + at * kBins;
  const float *earlier_re = frames_.earlier_re.data() + at * kBins,
              *earlier_im = frames_.earlier_im.data() + at * kBins;
  Bands &energy = frames_.energy[at], &earlier = frames_.earlier_energy[at], &likeness = frames_.likeness[at];
  powers<V>(re, im, values);
  bands_.sum<V>(values, energy.data());
  powers<V>(earlier_re, earlier_im, values);
  bands_.sum<V>(values, earlier.data());
  for (size_t i = 0; i < RnnoiseBands::kEnd; i += lanes_of<V>)
    store<V>(values + i, load<V>(re + i) * load<V>(earlier_re + i) + load<V>(im + i) * load<V>(earlier_im + i));
  bands_.sum<V>(values, likeness.data());
  float levels[kBands], total = 0, highest = -2, follows = -2;
  for (size_t band = 0; band < kBands; band++) {
    likeness[band] = float(double(likeness[band]) / std::sqrt(0.001 + double(energy[band] * earlier[band])));
    total += energy[band];
    // A band counts as no more than 70 dB below the loudest so far, and 15 below the one before.
    const float level = float(std::log10(0.01 + double(energy[band])));
    levels[band] = std::max({highest - 7, follows - 1.5f, level});
    highest = std::max(highest, levels[band]);
    follows = std::max(follows - 1.5f, levels[band]);
  }
  if (total < 0.04f) return false;
  bands_.cepstrum<V>(levels, out);
  out[0] -= 12;
  out[1] -= 4;
  bands_.cepstrum<V>(likeness.data(), out + kBands);
  out[2 * kBands] = 0.01f * float(int(period) - 300);
  return true;
}

// Adds the sound one period earlier where a band is less periodic than it should be, and keeps each band's energy.
template <class V> EARSHOT_INLINE void Rnnoise::comb(size_t at, const Bands& gains) {
  const Bands &energy = frames_.energy[at], &earlier = frames_.earlier_energy[at], &likeness = frames_.likeness[at];
  float *re = frames_.re.data() + at * kBins, *im = frames_.im.data() + at * kBins;
  const float *earlier_re = frames_.earlier_re.data() + at * kBins,
              *earlier_im = frames_.earlier_im.data() + at * kBins;
  Bands shares, after;
  for (size_t band = 0; band < kBands; band++) {
    const float like = likeness[band] * likeness[band], gain = gains[band] * gains[band];
    const double share =
        likeness[band] > gains[band] ? 1 : double(like * (1 - gain)) / (0.001 + double(gain * (1 - like)));
    shares[band] = float(std::sqrt(std::clamp(share, 0.0, 1.0)) *
                         std::sqrt(double(energy[band]) / (1e-8 + double(earlier[band]))));
  }
  float by[RnnoiseBands::kEnd], values[RnnoiseBands::kEnd];
  bands_.spread<V>(shares.data(), by);
  for (size_t i = 0; i < RnnoiseBands::kEnd; i += lanes_of<V>) {
    const V share = load<V>(by + i);
    store<V>(re + i, load<V>(re + i) + share * load<V>(earlier_re + i));
    store<V>(im + i, load<V>(im + i) + share * load<V>(earlier_im + i));
  }
  powers<V>(re, im, values);
  bands_.sum<V>(values, after.data());
  for (size_t band = 0; band < kBands; band++)
    after[band] = float(std::sqrt(double(energy[band]) / (1e-8 + double(after[band]))));
  scale<V>(at, after);
}

template <class V> EARSHOT_INLINE void Rnnoise::scale(size_t at, const Bands& gains) {
  float *re = frames_.re.data() + at * kBins, *im = frames_.im.data() + at * kBins;
  float by[RnnoiseBands::kEnd];
  bands_.spread<V>(gains.data(), by);
  for (size_t i = 0; i < RnnoiseBands::kEnd; i += lanes_of<V>) {
    store<V>(re + i, load<V>(re + i) * load<V>(by + i));
    store<V>(im + i, load<V>(im + i) * load<V>(by + i));
  }
  std::fill(re + RnnoiseBands::kEnd, re + kBins, 0.0f);
  std::fill(im + RnnoiseBands::kEnd, im + kBins, 0.0f);
}

// The network hears a frame, and its answer is for the one before.
template <class V> EARSHOT_INLINE float Rnnoise::frame(size_t at, size_t period) {
  float found[RnnoiseNetwork::kFeatures];
  if (!features<V>(at, period, found)) return 0;
  Bands gains;
  const float voice = network_->next(state_, found, gains.data());
  comb<V>(at - 1, gains);
  for (size_t band = 0; band < kBands; band++) gains[band] = std::max(gains[band], kLeastOfLast * last_gains_[band]);
  last_gains_ = gains;
  scale<V>(at - 1, gains);
  return voice;
}

EARSHOT_AVX2 float Rnnoise::frame_avx2(size_t at, size_t period) { return frame<f32x8>(at, period); }
float Rnnoise::frame_baseline(size_t at, size_t period) { return frame<f32x4>(at, period); }

}  // namespace earshot
