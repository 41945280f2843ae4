#include "resample.h"

#include <cmath>
#include <vector>

#include "../base/frame_tiles.h"

namespace earshot {
namespace {

constexpr size_t kPhases = 512;
constexpr double kBeta = 9, kPi = 3.14159265358979323846;

double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-14 * sum; k++) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

std::vector<float> make_table() {
  const double half = kResampleTaps / 2;
  std::vector<float> table((kPhases + 2) * kResampleTaps);
  for (size_t phase = 0; phase < kPhases + 2; phase++) {
    for (size_t tap = 0; tap < kResampleTaps; tap++) {
      const double x = double(tap) - double(kResampleBefore) - double(phase) / double(kPhases);
      const double inside = std::fmax(0.0, 1 - (x / half) * (x / half));
      const double sinc = x == 0 ? 1 : std::sin(kPi * x) / (kPi * x);
      table[phase * kResampleTaps + tap] = float(sinc * bessel_i0(kBeta * std::sqrt(inside)) / bessel_i0(kBeta));
    }
  }
  return table;
}

const float* table() {
  static const std::vector<float> made = make_table();
  return made.data();
}

template <class V>
EARSHOT_INLINE void run(const float* weights, const float* samples, double start, double step, float* out, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const double at = start + step * double(i);
    const double whole = std::floor(at), phase = (at - whole) * double(kPhases);
    const size_t row = size_t(phase);
    const V part = splat<V>(float(phase - double(row)));
    const float *low = weights + row * kResampleTaps, *high = low + kResampleTaps;
    const float* x = samples + ptrdiff_t(whole) - ptrdiff_t(kResampleBefore);
    V sum{};
    for (size_t tap = 0; tap < kResampleTaps; tap += lanes_of<V>) {
      const V a = load<V>(low + tap), b = load<V>(high + tap);
      sum += load<V>(x + tap) * (a + (b - a) * part);
    }
    out[i] = float(hsum(sum));
  }
}

EARSHOT_AVX2 void run_avx2(const float* w, const float* x, double start, double step, float* out, size_t n) {
  run<f32x8>(w, x, start, step, out, n);
}
void run_baseline(const float* w, const float* x, double start, double step, float* out, size_t n) {
  run<f32x4>(w, x, start, step, out, n);
}

}  // namespace

void resample(Simd simd, const float* samples, double start, double step, float* out, size_t count) {
  if (count == 0) return;
  const ptrdiff_t first = ptrdiff_t(std::floor(start)) - ptrdiff_t(kResampleBefore);
  const ptrdiff_t last = ptrdiff_t(std::floor(start + step * double(count - 1))) + ptrdiff_t(kResampleAfter);
  const size_t span = size_t(last - first + 1);
  std::vector<float> mended;
  if (!all_usable(simd, samples + first, span)) {
    mended.resize(span);
    copy_usable(simd, samples + first, mended.data(), span);
    samples = mended.data();
    start -= double(first);
  }
  if (simd == Simd::avx2)
    run_avx2(table(), samples, start, step, out, count);
  else
    run_baseline(table(), samples, start, step, out, count);
}

}  // namespace earshot
