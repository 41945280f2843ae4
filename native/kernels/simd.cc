#include "simd.h"

#if EARSHOT_X86
#include <cpuid.h>
#endif

namespace earshot {

#if EARSHOT_X86
namespace {

constexpr bool bit(unsigned word, int index) { return (word >> index & 1) != 0; }

struct Features {
  bool avx2_and_fma = false;
  bool avx512_vnni = false;
};

Features ask() {
  Features found;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
  const bool fma = bit(c, 12), osxsave = bit(c, 27), avx = bit(c, 28);
  if (!osxsave || !avx) return found;
  // Which registers the system saves when it switches threads: bits 1 and 2 are XMM and YMM, 5 to 7 those of AVX-512.
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
  found.avx2_and_fma = fma && bit(b, 5);
#ifdef __APPLE__
  // macOS gives a thread the larger registers when it first uses them.
  const bool keeps_avx512 = true;
#else
  const bool keeps_avx512 = (low & 0xe6) == 0xe6;
#endif
  const bool f = bit(b, 16), bw = bit(b, 30), vnni = bit(c, 11);
  found.avx512_vnni = found.avx2_and_fma && keeps_avx512 && f && bw && vnni;
  return found;
}

const Features& features() {
  static const Features found = ask();
  return found;
}

}  // namespace

bool has_avx2_and_fma() { return features().avx2_and_fma; }
bool has_avx512_vnni() { return features().avx512_vnni; }
#else
bool has_avx2_and_fma() { return false; }
bool has_avx512_vnni() { return false; }
#endif

Simd choose_simd(const char* forced) {
  if (forced && std::strcmp(forced, "scalar") == 0) return Simd::baseline;
  return has_avx2_and_fma() ? Simd::avx2 : Simd::baseline;
}

}  // namespace earshot
