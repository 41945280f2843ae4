// Width-generic vectors and the choice of instruction set.
//
// A hot loop is written once as an always-inline body over a vector type and compiled twice: with f32x4 for any
// processor the compiler knows (SSE2, NEON), and with f32x8 inside a function marked EARSHOT_AVX2. Which one runs is a
// value given to the kernel when it is made, so there is no global state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if !defined(__GNUC__) && !defined(__clang__)
#error "earshot's kernels need GCC or Clang (vector extensions); on Windows build with ClangCL"
#endif

#if defined(__x86_64__) || defined(__i386__)
#define EARSHOT_X86 1
#define EARSHOT_AVX2 __attribute__((target("avx2,fma")))
#else
#define EARSHOT_X86 0
#define EARSHOT_AVX2
#endif

// Older compilers have no products of 8 bits unless they aim at nothing but processors with them.
#if defined(__aarch64__) && (defined(__clang__) ? __clang_major__ >= 16 : __GNUC__ >= 10)
#define EARSHOT_ARM64 1
#else
#define EARSHOT_ARM64 0
#endif

// Before a loop of a few rounds, which Clang would unroll for many.
#ifdef __clang__
#define EARSHOT_SHORT_LOOP _Pragma("clang loop unroll(disable)")
#else
#define EARSHOT_SHORT_LOOP
#endif

// Before a loop whose rounds end with sums in other registers than they began.
#ifdef __clang__
#define EARSHOT_UNROLLED _Pragma("clang loop unroll_count(8)")
#else
#define EARSHOT_UNROLLED _Pragma("GCC unroll 8")
#endif

// In a browser's tab, or where there is no addon: f32x4 becomes its 128 bits, and products of 8 bits are of its own.
#ifdef __wasm_simd128__
#define EARSHOT_WASM 1
#else
#define EARSHOT_WASM 0
#endif

#define EARSHOT_INLINE inline __attribute__((always_inline))

namespace earshot {

/** dotprod and i8mm are arm64's: products of 8 bits, in fours and as small matrices; all else is as in baseline. */
enum class Simd { baseline, avx2, dotprod, i8mm };

#if EARSHOT_WASM
// Only baseline is ever made: the compiler leaves out what the others would run.
constexpr bool operator==(Simd a, Simd b) { return int(a) == 0 && int(b) == 0; }
constexpr bool operator!=(Simd a, Simd b) { return !(a == b); }
#endif

/**
 * What this processor has and this system keeps for each thread. Asked of the processor itself: the compiler's own
 * question (__builtin_cpu_supports) needs a table that some runtime libraries leave out or leave empty.
 */
bool has_avx2_and_fma();
/** Not where the environment says EARSHOT_SIMD=avx2. */
bool has_avx512_vnni();

/** The best instruction set of this processor. @param forced "scalar": baseline; "dotprod": not i8mm */
Simd choose_simd(const char* forced);

/** "baseline", "avx2", "dotprod", "i8mm". */
const char* name_of(Simd simd);

typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef int32_t i32x8 __attribute__((vector_size(32)));

template <class V> struct IntOf;
template <> struct IntOf<f32x4> {
  using type = i32x4;
};
template <> struct IntOf<f32x8> {
  using type = i32x8;
};

template <class V> constexpr size_t lanes_of = sizeof(V) / sizeof(float);

template <class V> static EARSHOT_INLINE V load(const float* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V> static EARSHOT_INLINE void store(float* p, V v) { std::memcpy(p, &v, sizeof v); }
template <class V> static EARSHOT_INLINE V splat(float x) { return x - V{}; }
template <class V> static EARSHOT_INLINE V vmin(V a, V b) { return a < b ? a : b; }
template <class V> static EARSHOT_INLINE V vmax(V a, V b) { return a > b ? a : b; }
template <class V> static EARSHOT_INLINE V vabs(V a) {
  using I = typename IntOf<V>::type;
  return (V)((I)a & (I{} + 0x7fffffff));
}
template <class V> static EARSHOT_INLINE float hmax(V v) {
  float best = v[0];
  for (size_t i = 1; i < lanes_of<V>; i++) best = v[i] > best ? v[i] : best;
  return best;
}
template <class V> static EARSHOT_INLINE float hmin(V v) {
  float best = v[0];
  for (size_t i = 1; i < lanes_of<V>; i++) best = v[i] < best ? v[i] : best;
  return best;
}
/** In pairs: one after the other would take as many steps as there are lanes. */
template <class V> static EARSHOT_INLINE double hsum(V v) {
  double sums[lanes_of<V>];
  for (size_t i = 0; i < lanes_of<V>; i++) sums[i] = v[i];
  for (size_t half = lanes_of<V> / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++) sums[i] += sums[i + half];
  return sums[0];
}

}  // namespace earshot
