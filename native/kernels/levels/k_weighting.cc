#include "k_weighting.h"

#include <algorithm>
#include <cmath>

#if EARSHOT_X86
#include <immintrin.h>
#endif

namespace earshot {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Below about 4 kHz the shelf's corner would pass the Nyquist frequency, where the bilinear transform breaks down.
double warped(double frequency, double rate) { return std::tan(kPi * std::min(frequency / rate, 0.45)); }

Biquad design_shelf(double rate) {
  const double gain_db = 3.999843853973347, q = 0.7071752369554196;
  const double k = warped(1681.974450955533, rate);
  const double vh = std::pow(10.0, gain_db / 20.0), vb = std::pow(vh, 0.4996667741545416);
  const double a0 = 1.0 + k / q + k * k;
  return {(vh + vb * k / q + k * k) / a0, 2.0 * (k * k - vh) / a0, (vh - vb * k / q + k * k) / a0,
          2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0};
}

Biquad design_high_pass(double rate) {
  const double q = 0.5003270373238773;
  const double k = warped(38.13547087602444, rate);
  const double a0 = 1.0 + k / q + k * k;
  // The numerator is 1, -2, 1 by the standard: not normalised to unit gain.
  return {1.0, -2.0, 1.0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0};
}

struct Matrix2 {
  double m[2][2];
};

// Solves the n linear equations a x = b in place (partial pivoting); a is [n][n].
void solve(double a[4][4], double b[4]) {
  for (int col = 0; col < 4; col++) {
    int pivot = col;
    for (int row = col + 1; row < 4; row++) {
      if (std::fabs(a[row][col]) > std::fabs(a[pivot][col])) pivot = row;
    }
    std::swap(b[col], b[pivot]);
    for (int k = 0; k < 4; k++) std::swap(a[col][k], a[pivot][k]);
    for (int row = 0; row < 4; row++) {
      if (row == col) continue;
      const double f = a[row][col] / a[col][col];
      for (int k = col; k < 4; k++) a[row][k] -= f * a[col][k];
      b[row] -= f * b[col];
    }
  }
  for (int i = 0; i < 4; i++) b[i] /= a[i][i];
}

KWeighting::EightFrames design_eight(const Biquad& s, const Biquad& h) {
  // Transposed direct form II: y = b0 u + s1; s1' = b1 u - a1 y + s2; s2' = b2 u - a2 y. The high-pass gets the shelf's
  // y.
  const Matrix2 a1 = {{{-s.a1, 1.0}, {-s.a2, 0.0}}}, a2 = {{{-h.a1, 1.0}, {-h.a2, 0.0}}};
  const double b1[2] = {s.b1 - s.a1 * s.b0, s.b2 - s.a2 * s.b0};
  const double bh[2] = {h.b1 - h.a1 * h.b0, h.b2 - h.a2 * h.b0};
  // Together A = [A1 0; K A2] with K = bh * [1 0]. New basis s = [I 0; X I] z with X A1 - A2 X = K makes A
  // block-diagonal.
  double system[4][4] = {}, x[4];
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      const int row = 2 * i + j;
      for (int k = 0; k < 2; k++) {
        system[row][2 * i + k] += a1.m[k][j];
        system[row][2 * k + j] -= a2.m[i][k];
      }
      x[row] = j == 0 ? bh[i] : 0.0;
    }
  }
  solve(system, x);

  const double block[2][2][2] = {{{a1.m[0][0], a1.m[0][1]}, {a1.m[1][0], a1.m[1][1]}},
                                 {{a2.m[0][0], a2.m[0][1]}, {a2.m[1][0], a2.m[1][1]}}};
  const double input[4] = {b1[0], b1[1], bh[0] * s.b0 - (x[0] * b1[0] + x[1] * b1[1]),
                           bh[1] * s.b0 - (x[2] * b1[0] + x[3] * b1[1])};
  // y = h.b0 * (shelf's y) + t1, with shelf's y = s.b0 u + s1.
  const double output[4] = {h.b0 + x[0], x[1], 1.0, 0.0};
  const double direct = h.b0 * s.b0;

  auto advance = [&](const double v[4], double out[4]) {
    for (int g = 0; g < 2; g++) {
      for (int i = 0; i < 2; i++) out[2 * g + i] = block[g][i][0] * v[2 * g] + block[g][i][1] * v[2 * g + 1];
    }
  };

  KWeighting::EightFrames f = {};
  double power[4][4];  // Lambda^j, kept as images of the unit vectors
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) power[i][k] = i == k ? 1.0 : 0.0;
  }
  double impulse[8] = {direct};
  double driven[8][4];  // Lambda^j B
  for (int k = 0; k < 4; k++) driven[0][k] = input[k];
  for (int j = 1; j < 8; j++) advance(driven[j - 1], driven[j]);
  for (int j = 1; j < 8; j++) {
    for (int k = 0; k < 4; k++) impulse[j] += output[k] * driven[j - 1][k];
  }
  for (int j = 0; j < 8; j++) {
    for (int state = 0; state < 4; state++) {
      double y = 0;
      for (int k = 0; k < 4; k++) y += output[k] * power[state][k];
      f.from_state[state][j] = float(y);
    }
    for (int state = 0; state < 4; state++) {
      double next[4];
      advance(power[state], next);
      std::copy(next, next + 4, power[state]);
    }
    for (int frame = 0; frame <= j; frame++) f.from_input[frame][j] = float(impulse[j - frame]);
    for (int state = 0; state < 4; state++) f.state_input[j][state] = driven[7 - j][state];
  }
  for (int state = 0; state < 4; state++) {
    f.state_same[state] = power[state][state];
    f.state_pair[state] = power[state ^ 1][state];
    const int g = state / 2, i = state % 2;
    f.step_same[state] = block[g][i][i];
    f.step_pair[state] = block[g][i][i ^ 1];
    f.step_output[state] = output[state];
    f.step_input[state] = input[state];
  }
  f.step_direct = direct;
  return f;
}

// ---- eight frames a step in state space -----------------------------------------------------------------------------

constexpr size_t kStretch = 256;  // frames at a time: inputs and states stay in the first-level cache

/** What is left of a whole number of steps, frame by frame. Answers its energy. */
double energy_of_rest(const KWeighting::EightFrames& f, double* s, const float* x, size_t n) {
  double e = 0;
  for (size_t k = 0; k < n; k++) {
    const double u = x[k];
    double y = f.step_direct * u, next[4];
    for (int j = 0; j < 4; j++) {
      y += f.step_output[j] * s[j];
      next[j] = f.step_same[j] * s[j] + f.step_pair[j] * s[j ^ 1] + f.step_input[j] * u;
    }
    std::copy(next, next + 4, s);
    e += y * y;
  }
  return e;
}

// ---- vectors of 128 bits ----
// Two passes over each stretch. The first runs the recursion alone and keeps every step's state; the second computes
// the outputs, which no longer wait for one another.

typedef double f64x2 __attribute__((vector_size(16)));
template <class V, class T> EARSHOT_INLINE V load_of(const T* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

/** One step of the recursion: z[0] has the shelf's two states, z[1] the high-pass's. */
EARSHOT_INLINE void step(const KWeighting::EightFrames& f, f64x2* z, const float* x) {
  f64x2 driven[2] = {}, late[2] = {};
  for (int k = 0; k < 4; k++) {
    const double a = x[k], b = x[k + 4];
    const f64x2 early_input = {a, a}, late_input = {b, b};
    for (int g = 0; g < 2; g++) {
      driven[g] += early_input * load_of<f64x2>(f.state_input[k] + 2 * g);
      late[g] += late_input * load_of<f64x2>(f.state_input[k + 4] + 2 * g);
    }
  }
  for (int g = 0; g < 2; g++) {
    const f64x2 turned = {z[g][1], z[g][0]};
    z[g] = turned * load_of<f64x2>(f.state_pair + 2 * g) +
           (z[g] * load_of<f64x2>(f.state_same + 2 * g) + (driven[g] + late[g]));
  }
}

/** Energy of `length` frames (a multiple of eight), whose states are known. */
EARSHOT_INLINE double outputs_of(const KWeighting::EightFrames& f, const float* x, const float* state, size_t length) {
  f32x4 sums[2] = {};
  for (size_t i = 0; i < length; i += 8) {
    f32x4 early[2] = {}, late[2] = {}, past[2] = {};
    for (int k = 0; k < 4; k++) {
      const float a = x[i + k], b = x[i + k + 4], c = state[i / 2 + k];
      const f32x4 early_input = {a, a, a, a}, late_input = {b, b, b, b}, state_input = {c, c, c, c};
      for (int half = 0; half < 2; half++) {
        early[half] += early_input * load_of<f32x4>(f.from_input[k] + 4 * half);
        // The first four outputs do not hear the last four frames.
        if (half == 1) late[half] += late_input * load_of<f32x4>(f.from_input[k + 4] + 4 * half);
        past[half] += state_input * load_of<f32x4>(f.from_state[k] + 4 * half);
      }
    }
    for (int half = 0; half < 2; half++) {
      const f32x4 y = (early[half] + late[half]) + past[half];
      sums[half] += y * y;
    }
  }
  double sum = 0;
  for (int lane = 0; lane < 4; lane++) sum += double(sums[0][lane]) + double(sums[1][lane]);
  return sum;
}

template <int Channels>
EARSHOT_INLINE void energy_baseline(const KWeighting::EightFrames& f, double* const* states, const float* const* x,
                                    double* energies, size_t n) {
  alignas(16) float kept[Channels][kStretch / 2];
  f64x2 z[Channels][2];
  for (int c = 0; c < Channels; c++) {
    for (int g = 0; g < 2; g++) z[c][g] = load_of<f64x2>(states[c] + 2 * g);
    energies[c] = 0;
  }
  const size_t whole = n - n % 8;
  for (size_t from = 0; from < whole; from += kStretch) {
    const size_t length = std::min(kStretch, whole - from);
    for (size_t i = 0; i < length; i += 8) {
      for (int c = 0; c < Channels; c++) {
        for (int k = 0; k < 4; k++) kept[c][i / 2 + k] = float(z[c][k / 2][k % 2]);
        step(f, z[c], x[c] + from + i);
      }
    }
    for (int c = 0; c < Channels; c++) energies[c] += outputs_of(f, x[c] + from, kept[c], length);
  }
  for (int c = 0; c < Channels; c++) {
    for (int g = 0; g < 2; g++) std::memcpy(states[c] + 2 * g, &z[c][g], sizeof z[c][g]);
    energies[c] += energy_of_rest(f, states[c], x[c] + whole, n - whole);
  }
}

// ---- AVX2 ----

#if EARSHOT_X86

// The same. Together in one loop the passes need more registers than there are.
// Intrinsics, because a broadcast from memory is what makes it fast and compilers turn the plain form into shuffles.
template <int Channels> struct Stretch {
  alignas(32) double input[Channels][kStretch];
  alignas(32) float state[Channels][kStretch / 2];  // four a step
};

struct Recursion {
  __m256d same, pair;
  const double (*from_input)[4];

  EARSHOT_AVX2 EARSHOT_INLINE __m256d step(__m256d z, const double* u) const {
    __m256d a = _mm256_mul_pd(_mm256_broadcast_sd(u), _mm256_load_pd(from_input[0]));
    __m256d b = _mm256_mul_pd(_mm256_broadcast_sd(u + 4), _mm256_load_pd(from_input[4]));
    for (int k = 1; k < 4; k++) {
      a = _mm256_fmadd_pd(_mm256_broadcast_sd(u + k), _mm256_load_pd(from_input[k]), a);
      b = _mm256_fmadd_pd(_mm256_broadcast_sd(u + k + 4), _mm256_load_pd(from_input[k + 4]), b);
    }
    const __m256d driven = _mm256_add_pd(a, b);
    return _mm256_fmadd_pd(_mm256_permute_pd(z, 5), pair, _mm256_fmadd_pd(z, same, driven));
  }
};

template <int Channels>
EARSHOT_AVX2 EARSHOT_INLINE void recursion(const KWeighting::EightFrames& f, Stretch<Channels>& s, __m256d* z,
                                           size_t length) {
  const Recursion r = {_mm256_load_pd(f.state_same), _mm256_load_pd(f.state_pair), f.state_input};
  __m256d first = z[0], last = z[Channels - 1];
  for (size_t i = 0; i < length; i += 8) {
    _mm_store_ps(s.state[0] + i / 2, _mm256_cvtpd_ps(first));
    first = r.step(first, s.input[0] + i);
    if constexpr (Channels == 2) {
      _mm_store_ps(s.state[1] + i / 2, _mm256_cvtpd_ps(last));
      last = r.step(last, s.input[1] + i);
    }
  }
  z[0] = first;
  if constexpr (Channels == 2) z[1] = last;
}

EARSHOT_AVX2 EARSHOT_INLINE __m256 outputs(const KWeighting::EightFrames& f, const float* x, const float* state,
                                           size_t length) {
  __m256 d[8], c[4], sum = _mm256_setzero_ps();
  for (int k = 0; k < 8; k++) d[k] = _mm256_load_ps(f.from_input[k]);
  for (int k = 0; k < 4; k++) c[k] = _mm256_load_ps(f.from_state[k]);
  for (size_t i = 0; i < length; i += 8) {
    // Three short chains: the processor's queue holds too few steps to hide one of twelve.
    __m256 early = _mm256_mul_ps(_mm256_broadcast_ss(x + i), d[0]),
           late = _mm256_mul_ps(_mm256_broadcast_ss(x + i + 4), d[4]);
    __m256 past = _mm256_mul_ps(_mm256_broadcast_ss(state + i / 2), c[0]);
    for (int k = 1; k < 4; k++) {
      early = _mm256_fmadd_ps(_mm256_broadcast_ss(x + i + k), d[k], early);
      late = _mm256_fmadd_ps(_mm256_broadcast_ss(x + i + 4 + k), d[4 + k], late);
      past = _mm256_fmadd_ps(_mm256_broadcast_ss(state + i / 2 + k), c[k], past);
    }
    const __m256 y = _mm256_add_ps(_mm256_add_ps(early, late), past);
    sum = _mm256_fmadd_ps(y, y, sum);
  }
  return sum;
}

template <int Channels>
EARSHOT_AVX2 EARSHOT_INLINE void energy_body(const KWeighting::EightFrames& f, double* const* states,
                                             const float* const* x, double* energies, size_t n) {
  Stretch<Channels> stretch;
  __m256d z[Channels], sum[Channels];
  for (int c = 0; c < Channels; c++) {
    z[c] = _mm256_loadu_pd(states[c]);
    sum[c] = _mm256_setzero_pd();
  }
  const size_t whole = n - n % 8;
  for (size_t from = 0; from < whole; from += kStretch) {
    const size_t length = std::min(kStretch, whole - from);
    for (int c = 0; c < Channels; c++) {
      for (size_t i = 0; i < length; i += 4)
        _mm256_store_pd(stretch.input[c] + i, _mm256_cvtps_pd(_mm_loadu_ps(x[c] + from + i)));
    }
    recursion<Channels>(f, stretch, z, length);
    for (int c = 0; c < Channels; c++) {
      // Float within a stretch, double over stretches.
      const __m256 part = outputs(f, x[c] + from, stretch.state[c], length);
      sum[c] = _mm256_add_pd(sum[c], _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(part)),
                                                   _mm256_cvtps_pd(_mm256_extractf128_ps(part, 1))));
    }
  }
  for (int c = 0; c < Channels; c++) {
    double parts[4];
    _mm256_storeu_pd(parts, sum[c]);
    _mm256_storeu_pd(states[c], z[c]);
    energies[c] = (parts[0] + parts[1]) + (parts[2] + parts[3]);
    energies[c] += energy_of_rest(f, states[c], x[c] + whole, n - whole);
  }
}

EARSHOT_AVX2 void energy_avx2(const KWeighting::EightFrames& f, double* const* z, const float* const* x, double* e,
                              size_t n) {
  energy_body<1>(f, z, x, e, n);
}
EARSHOT_AVX2 void energy2_avx2(const KWeighting::EightFrames& f, double* const* z, const float* const* x, double* e,
                               size_t n) {
  energy_body<2>(f, z, x, e, n);
}

#endif

}  // namespace

KWeighting::KWeighting(Simd simd, double sample_rate)
    : simd_(simd),
      shelf_(design_shelf(sample_rate)),
      high_pass_(design_high_pass(sample_rate)),
      eight_(design_eight(shelf_, high_pass_)) {}

double KWeighting::energy(State& state, const float* x, size_t n) const {
  double* z[1] = {state.data()};
  double e[1];
#if EARSHOT_X86
  if (simd_ == Simd::avx2) {
    energy_avx2(eight_, z, &x, e, n);
    return e[0];
  }
#endif
  energy_baseline<1>(eight_, z, &x, e, n);
  return e[0];
}

void KWeighting::energy2(State& a, const float* xa, double& ea, State& b, const float* xb, double& eb, size_t n) const {
  double* z[2] = {a.data(), b.data()};
  const float* x[2] = {xa, xb};
  double e[2];
#if EARSHOT_X86
  if (simd_ == Simd::avx2)
    energy2_avx2(eight_, z, x, e, n);
  else
#endif
    energy_baseline<2>(eight_, z, x, e, n);
  ea = e[0];
  eb = e[1];
}

void KWeighting::settle(State& state) {
  for (double& z : state) {
    if (std::fabs(z) < 1e-30) z = 0.0;
  }
}

}  // namespace earshot
