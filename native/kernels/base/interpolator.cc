#include "interpolator.h"

#include <algorithm>
#include <cmath>

namespace earshot {
namespace {

constexpr size_t kHalf = Interpolator::kTaps / 2;
constexpr size_t kStretch = 64;       // intervals under one window maximum
constexpr float kRounding = 1.0001f;  // keeps the bounds safe from float rounding

double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 64; k++) {
    term *= (x / (2.0 * k)) * (x / (2.0 * k));
    sum += term;
  }
  return sum;
}

// The 32 taps of phase t: taps[i] multiplies the sample i - 15 after the interval's left one.
void design(double t, double taps[Interpolator::kTaps]) {
  double norm = 0;
  for (size_t i = 0; i < Interpolator::kTaps; i++) {
    const double x = double(i) - double(Interpolator::kBefore) - t, w = 2.0 * x / double(Interpolator::kTaps);
    const double pi_x = 3.14159265358979323846 * x;
    taps[i] = (x == 0 ? 1.0 : std::sin(pi_x) / pi_x) * bessel_i0(9.0 * std::sqrt(std::max(0.0, 1.0 - w * w)));
    norm += taps[i];
  }
  for (size_t i = 0; i < Interpolator::kTaps; i++) taps[i] /= norm;
}

template <class V, size_t Pairs> struct Sums {
  V middle, even[Pairs + 1], odd[Pairs + 1];
};

template <class V, size_t Pairs, size_t From, size_t To>
EARSHOT_INLINE void add_pairs(const Interpolator::Table& t, const float* x, Sums<V, Pairs>& s, size_t first = 0) {
  for (size_t j = From; j < To; j++) {
    const V a = load<V>(x - j), b = load<V>(x + 1 + j);
    const V sum = a + b;
    s.middle += sum * t.middle[j];
    if constexpr (Pairs > 0) {
      const V difference = a - b;
      for (size_t p = 0; p < Pairs; p++) {
        s.even[p] += sum * t.even[first + p][j];
        s.odd[p] += difference * t.odd[first + p][j];
      }
    }
  }
}

template <class V, size_t Pairs> EARSHOT_INLINE V greatest_of(const Sums<V, Pairs>& s) {
  V g = vabs(s.middle);
  for (size_t p = 0; p < Pairs; p++) g = vmax(vabs(s.even[p]) + vabs(s.odd[p]), g);  // max(|e + o|, |e - o|)
  return g;
}

// The curve's peak between the interpolated points: vertex of the parabola through three neighbours. 8 points a sample
// read wide-band peaks up to 0.1 dB low; meters that look elsewhere (FFmpeg at 44.1 kHz) would see the difference.
template <class V, size_t Pairs> EARSHOT_INLINE V vertex_of(const Sums<V, Pairs>& s, V left, V right) {
  constexpr size_t N = 2 * Pairs + 2;  // intervals between points
  V v[N + 1];
  v[0] = left;
  v[N / 2] = s.middle;
  v[N] = right;
  for (size_t p = 0; p < Pairs; p++) {
    v[p + 1] = s.even[p] + s.odd[p];
    v[N - 1 - p] = s.even[p] - s.odd[p];
  }
  V best = V{};
  for (size_t k = 1; k < N; k++) {
    const V slope = (v[k + 1] - v[k - 1]) * 0.5f, bend = (v[k] - v[k - 1]) + (v[k] - v[k + 1]);
    const V rise = slope * slope / bend * 0.5f;
    // Vertices more than 1.25 points away belong to another triple.
    const V vertex = vabs(slope) <= vabs(bend) * 1.25f ? vabs(v[k] + rise) : V{};
    best = vmax(vertex, best);
  }
  return best;
}

template <class V> EARSHOT_INLINE bool any_above(V v, V limit) {
  const auto m = v > limit;
#if EARSHOT_X86
  if constexpr (sizeof(V) == 16) return __builtin_ia32_movmskps((f32x4)m) != 0;
  if constexpr (sizeof(V) == 32) {
    return __builtin_ia32_movmskps(
               (f32x4)(__builtin_shufflevector(m, m, 0, 1, 2, 3) | __builtin_shufflevector(m, m, 4, 5, 6, 7))) != 0;
  }
#endif
  int32_t any = 0;
  for (size_t k = 0; k < lanes_of<V>; k++) any |= m[k];
  return any != 0;
}

template <class V> EARSHOT_INLINE float window_max(const float* x, size_t n) {
  // n >= lanes; the last vector may overlap the one before it.
  constexpr size_t W = lanes_of<V>;
  V m = vabs(load<V>(x + n - W)), other = m;
  size_t i = 0;
  for (const size_t whole = n - n % (2 * W); i < whole; i += 2 * W) {
    m = vmax(vabs(load<V>(x + i)), m);
    other = vmax(vabs(load<V>(x + i + W)), other);
  }
  if (i + W <= n) m = vmax(vabs(load<V>(x + i)), m);
  return hmax(vmax(m, other));
}

// The table's pair of the first look: of eighths, the second one is the quarters.
template <size_t Pairs> constexpr size_t kFirstPair = Pairs == 3 ? 1 : 0;
// A band-limited curve rises at most 1 / cos(pi / 2n) above n points a sample; less 2 % for the interpolator's own
// error.
template <size_t First> constexpr float kLeastOfPeak = First == 1 ? 0.905f : 0.69f;

template <class V, size_t Pairs>
EARSHOT_INLINE float greatest_body(const Interpolator::Table& t, const float* x, size_t n, float so_far) {
  constexpr size_t W = lanes_of<V>;
  // The first look is at the middle alone, or at every quarter where there are eighths.
  constexpr size_t First = Pairs == 3 ? 1 : 0;
  for (size_t at = 0; at < n; at += kStretch) {
    const size_t length = std::min(kStretch, n - at);
    const float most = window_max<V>(x + at - Interpolator::kBefore, length + Interpolator::kTaps - 1);
    if (most * t.whole_bound <= so_far) continue;
    for (size_t i = at; i < at + length; i += W) {
      const float* p = x + std::min(i, n - W);  // the last group steps back: a maximum may be taken twice
      const V left = load<V>(p), right = load<V>(p + 1);
      const V samples = vmax(vabs(left), vabs(right));
      Sums<V, First> few = {};
      add_pairs<V, First, 0, Interpolator::kCore>(t, p, few, kFirstPair<Pairs>);
      const V core = vmax(greatest_of<V, First>(few), samples) * kRounding;
      if (!any_above(core, splat<V>(so_far * kLeastOfPeak<First> - most * t.rest_bound))) continue;
      Sums<V, Pairs> s = {};
      add_pairs<V, Pairs, 0, kHalf>(t, p, s);
      const V points = vmax(greatest_of<V, Pairs>(s), samples);
      const V top = vmax(vertex_of<V, Pairs>(s, left, right), points);
      const float g = hmax(top);
      so_far = g > so_far ? g : so_far;
    }
  }
  return so_far;
}

template <class V, size_t Pairs, bool Between>
EARSHOT_INLINE void peaks_body(const Interpolator::Table& t, const float* x, size_t n, float threshold, float* out) {
  constexpr size_t W = lanes_of<V>;
  const float near = threshold * 0.975f;  // the curve rises less than this above its points
  for (size_t at = 0; at < n; at += kStretch) {
    const size_t length = std::min(kStretch, n - at);
    const float most = window_max<V>(x + at - Interpolator::kBefore, length + Interpolator::kTaps - 1);
    if (most * t.whole_bound <= threshold) continue;
    for (size_t i = at; i < at + length; i += W) {
      const float* p = x + i;
      V g = vmax(vabs(load<V>(p)), vabs(load<V>(p + 1)));
      if constexpr (Between) {
        Sums<V, Pairs> s = {};
        add_pairs<V, Pairs, 0, Interpolator::kCore>(t, p, s);
        const V core = greatest_of<V, Pairs>(s) * kRounding;
        if (any_above(vmax(core, g), splat<V>(near - most * t.rest_bound))) {
          add_pairs<V, Pairs, Interpolator::kCore, kHalf>(t, p, s);
          g = vmax(greatest_of<V, Pairs>(s), g);
          // Lane by lane, so that what a frame gets does not depend on which frames share its vector.
          if (any_above(g, splat<V>(near)))
            g = g > near ? vmax(vertex_of<V, Pairs>(s, load<V>(p), load<V>(p + 1)), g) : g;
        }
      }
      store(out + i, vmax(load<V>(out + i), g));
    }
  }
}

template <size_t Pairs>
EARSHOT_AVX2 float greatest_avx2(const Interpolator::Table& t, const float* x, size_t n, float so_far) {
  return greatest_body<f32x8, Pairs>(t, x, n, so_far);
}
template <size_t Pairs> float greatest_baseline(const Interpolator::Table& t, const float* x, size_t n, float so_far) {
  return greatest_body<f32x4, Pairs>(t, x, n, so_far);
}
template <size_t Pairs, bool Between>
EARSHOT_AVX2 void peaks_avx2(const Interpolator::Table& t, const float* x, size_t n, float threshold, float* out) {
  peaks_body<f32x8, Pairs, Between>(t, x, n, threshold, out);
}
template <size_t Pairs, bool Between>
void peaks_baseline(const Interpolator::Table& t, const float* x, size_t n, float threshold, float* out) {
  peaks_body<f32x4, Pairs, Between>(t, x, n, threshold, out);
}

}  // namespace

Interpolator::Interpolator(Simd simd, size_t factor) : simd_(simd), factor_(factor), table_{} {
  double whole = 1, rest = 0;
  for (size_t phase = 1; phase <= factor / 2; phase++) {
    double taps[kTaps];
    design(double(phase) / double(factor), taps);
    const bool is_middle = 2 * phase == factor;
    double sum = 0, outer = 0;
    for (size_t j = 0; j < kHalf; j++) {
      const double left = taps[kBefore - j], right = taps[kBefore + 1 + j];
      if (is_middle) {
        table_.middle[j] = float(left);
      } else {
        table_.even[phase - 1][j] = float((left + right) / 2);
        table_.odd[phase - 1][j] = float((left - right) / 2);
      }
      sum += std::fabs(left) + std::fabs(right);
      if (j >= kCore) outer += std::fabs(left) + std::fabs(right);
    }
    whole = std::max(whole, sum);
    rest = std::max(rest, outer);
  }
  table_.whole_bound = float(whole) * kRounding;
  table_.rest_bound = float(rest) * kRounding;
}

float Interpolator::greatest(const float* x, size_t n, float so_far) const {
  const bool wide = simd_ == Simd::avx2;
  switch (factor_) {
    case 8:
      return wide ? greatest_avx2<3>(table_, x, n, so_far) : greatest_baseline<3>(table_, x, n, so_far);
    case 4:
      return wide ? greatest_avx2<1>(table_, x, n, so_far) : greatest_baseline<1>(table_, x, n, so_far);
    case 2:
      return wide ? greatest_avx2<0>(table_, x, n, so_far) : greatest_baseline<0>(table_, x, n, so_far);
    default:
      return so_far;
  }
}

void Interpolator::peaks_above(const float* x, size_t n, float threshold, float* out) const {
  const bool wide = simd_ == Simd::avx2;
  switch (factor_) {
    case 8:
      return wide ? peaks_avx2<3, true>(table_, x, n, threshold, out)
                  : peaks_baseline<3, true>(table_, x, n, threshold, out);
    case 4:
      return wide ? peaks_avx2<1, true>(table_, x, n, threshold, out)
                  : peaks_baseline<1, true>(table_, x, n, threshold, out);
    case 2:
      return wide ? peaks_avx2<0, true>(table_, x, n, threshold, out)
                  : peaks_baseline<0, true>(table_, x, n, threshold, out);
    default:
      return wide ? peaks_avx2<0, false>(table_, x, n, threshold, out)
                  : peaks_baseline<0, false>(table_, x, n, threshold, out);
  }
}

}  // namespace earshot
