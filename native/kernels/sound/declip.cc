#include "declip.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace earshot {
namespace {

constexpr double kPi = 3.14159265358979323846;
/**
 * Bins that are kept at first, and that every round adds, besides a share of those it has: with two alone it takes
 * three times the rounds for the same result.
 */
constexpr size_t kStep = 2, kGrowth = 24;
/** A frame is done when its spectrum is this near to a sparse one, as a share of its own norm. */
constexpr float kNear = 0.1f;

/** As everywhere: samples that are no sound count as 0. */
float sane(float x) { return x > -4294967296.0f && x < 4294967296.0f ? x : 0.0f; }

}  // namespace

Declip::Declip(Simd simd, size_t frame)
    : frame_(frame),
      bins_(frame + 1),
      stft_(simd, std::vector<float>(2 * frame, 1.0f), 2 * frame),
      window_(frame),
      lanes_(kLanes),
      known_(kLanes * frame),
      side_(kLanes * frame),
      signal_(kLanes * 2 * frame),
      re_(kLanes * bins_),
      im_(kLanes * bins_),
      dual_re_(kLanes * bins_),
      dual_im_(kLanes * bins_),
      sparse_re_(kLanes * bins_),
      sparse_im_(kLanes * bins_),
      sent_re_(kLanes * bins_),
      sent_im_(kLanes * bins_),
      power_(bins_),
      order_(bins_ + 1) {
  // The square root of a periodic Hann window.
  for (size_t i = 0; i < frame; i++) window_[i] = float(std::sin(kPi * double(i) / double(frame)));
}

void Declip::begin(size_t lane, const float* samples, float lowest, float highest) {
  float* known = &known_[lane * frame_];
  int8_t* side = &side_[lane * frame_];
  float* signal = &signal_[lane * 2 * frame_];
  float power = 0;
  for (size_t i = 0; i < frame_; i++) {
    const float x = sane(samples[i]);
    known[i] = x * window_[i];
    side[i] = x >= highest ? 1 : x <= lowest ? -1 : 0;
    power += known[i] * known[i];
  }
  std::copy(known, known + frame_, signal);
  std::fill(signal + frame_, signal + 2 * frame_, 0.0f);
  std::fill_n(&dual_re_[lane * bins_], bins_, 0.0f);
  std::fill_n(&dual_im_[lane * bins_], bins_, 0.0f);
  Lane& state = lanes_[lane];
  state.kept = kStep;
  state.rounds = 0;
  state.enough = kNear * kNear * power;
  state.busy = true;
}

float Declip::largest(size_t rank) {
  // Floats that are not negative are in the order of their bits: those of like leading bits are counted first, and
  // only the class that has the one in question is sorted.
  counts_.fill(0);
  for (size_t k = 0; k < bins_; k++) {
    uint32_t bits;
    std::memcpy(&bits, &power_[k], 4);
    counts_[bits >> kClassShift]++;
  }
  size_t above = 0, here = counts_.size() - 1;
  while (above + counts_[here] < rank) above += counts_[here--];
  size_t found = 0;
  for (size_t k = 0; k < bins_; k++) {
    uint32_t bits;
    std::memcpy(&bits, &power_[k], 4);
    order_[found] = power_[k];
    found += bits >> kClassShift == here;
  }
  const auto place = order_.begin() + ptrdiff_t(found - (rank - above));
  std::nth_element(order_.begin(), place, order_.begin() + ptrdiff_t(found));
  return *place;
}

void Declip::threshold(size_t lane) {
  const size_t at = lane * bins_;
  const float *re = &re_[at], *im = &im_[at], *dual_re = &dual_re_[at], *dual_im = &dual_im_[at];
  float *sparse_re = &sparse_re_[at], *sparse_im = &sparse_im_[at], *sent_re = &sent_re_[at], *sent_im = &sent_im_[at];
  for (size_t k = 0; k < bins_; k++) {
    const float a = re[k] + dual_re[k], b = im[k] + dual_im[k];
    sparse_re[k] = a;
    sparse_im[k] = b;
    power_[k] = a * a + b * b;
  }
  const float least = largest(std::min(lanes_[lane].kept, bins_));
  for (size_t k = 0; k < bins_; k++) {
    const float keep = power_[k] >= least ? 1.0f : 0.0f;
    sparse_re[k] *= keep;
    sparse_im[k] *= keep;
    sent_re[k] = sparse_re[k] - dual_re[k];
    sent_im[k] = sparse_im[k] - dual_im[k];
  }
}

float Declip::settle(size_t lane) {
  const size_t at = lane * bins_;
  const float *re = &re_[at], *im = &im_[at], *sparse_re = &sparse_re_[at], *sparse_im = &sparse_im_[at];
  float *dual_re = &dual_re_[at], *dual_im = &dual_im_[at];
  float sum = 0;
  for (size_t k = 0; k < bins_; k++) {
    const float a = re[k] - sparse_re[k], b = im[k] - sparse_im[k];
    dual_re[k] += a;
    dual_im[k] += b;
    sum += a * a + b * b;
  }
  // The other half of the spectrum is the same.
  return 2 * sum;
}

uint64_t Declip::restore(const float* samples, size_t count, float lowest, float highest, size_t most_rounds,
                         float* out) {
  const float scale = 1.0f / std::sqrt(float(2 * frame_));
  size_t next = 0, busy = 0;
  uint64_t rounds = 0;
  // Lanes that have nothing to do are transformed along: they must hold numbers.
  std::fill(signal_.begin(), signal_.end(), 0.0f);
  for (size_t lane = 0; lane < kLanes; lane++) lanes_[lane].busy = false;
  for (size_t lane = 0; lane < kLanes && next < count; lane++, next++, busy++) {
    lanes_[lane].frame = next;
    begin(lane, samples + next * frame_, lowest, highest);
  }
  if (busy) stft_.forward(signal_.data(), kLanes, scale, re_.data(), im_.data());
  while (busy) {
    for (size_t lane = 0; lane < kLanes; lane++)
      if (lanes_[lane].busy) threshold(lane);
    std::fill(signal_.begin(), signal_.end(), 0.0f);
    stft_.inverse(sent_re_.data(), sent_im_.data(), kLanes, scale, signal_.data());
    for (size_t lane = 0; lane < kLanes; lane++) {
      if (!lanes_[lane].busy) continue;
      float* signal = &signal_[lane * 2 * frame_];
      const float* known = &known_[lane * frame_];
      const int8_t* side = &side_[lane * frame_];
      for (size_t i = 0; i < frame_; i++) {
        const float beyond = side[i] > 0 ? std::max(signal[i], known[i]) : std::min(signal[i], known[i]);
        signal[i] = side[i] == 0 ? known[i] : beyond;
      }
      std::fill(signal + frame_, signal + 2 * frame_, 0.0f);
    }
    stft_.forward(signal_.data(), kLanes, scale, re_.data(), im_.data());
    bool changed = false;
    for (size_t lane = 0; lane < kLanes; lane++) {
      Lane& state = lanes_[lane];
      if (!state.busy) continue;
      const float distance = settle(lane);
      state.kept += kStep + state.kept / kGrowth;
      state.rounds++;
      rounds++;
      if (distance > state.enough && state.rounds < most_rounds) continue;
      std::copy_n(&signal_[lane * 2 * frame_], frame_, out + state.frame * frame_);
      state.busy = false;
      busy--;
      if (next == count) continue;
      state.frame = next;
      begin(lane, samples + next * frame_, lowest, highest);
      next++;
      busy++;
      changed = true;
    }
    // A frame that has just come needs its spectrum.
    if (changed) stft_.forward(signal_.data(), kLanes, scale, re_.data(), im_.data());
  }
  return rounds;
}

}  // namespace earshot
