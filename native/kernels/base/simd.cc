#include "simd.h"

#include <cstdlib>

#if EARSHOT_X86
#include <cpuid.h>
#elif EARSHOT_ARM64 && defined(__linux__)
#include <sys/auxv.h>
#elif EARSHOT_ARM64 && defined(__APPLE__)
#include <sys/sysctl.h>
#elif EARSHOT_ARM64 && defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
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
  const bool f = bit(b, 16), bw = bit(b, 30), vl = bit(b, 31), vnni = bit(c, 11);
  const char* forced = std::getenv("EARSHOT_SIMD");
  const bool wanted = !forced || std::strcmp(forced, "avx2") != 0;
  found.avx512_vnni = wanted && found.avx2_and_fma && keeps_avx512 && f && bw && vl && vnni;
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

#if EARSHOT_ARM64
namespace {

// The numbers stand here, since headers of older systems lack the newer ones.
Simd ask_arm64() {
#if defined(__linux__)
  const bool dotprod = (getauxval(AT_HWCAP) >> 20 & 1) != 0;  // HWCAP_ASIMDDP
  const bool i8mm = (getauxval(AT_HWCAP2) >> 13 & 1) != 0;    // HWCAP2_I8MM
#elif defined(__APPLE__)
  const bool dotprod = true;  // in every one since the first, M1
  int answer = 0;
  size_t size = sizeof answer;
  const bool i8mm = sysctlbyname("hw.optional.arm.FEAT_I8MM", &answer, &size, nullptr, 0) == 0 && answer == 1;
#elif defined(_WIN32)
  const bool dotprod = IsProcessorFeaturePresent(43) != 0;  // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE
  const bool i8mm = IsProcessorFeaturePresent(66) != 0;     // PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE
#else
  const bool dotprod = false, i8mm = false;
#endif
  if (!dotprod) return Simd::baseline;
  return i8mm ? Simd::i8mm : Simd::dotprod;
}

}  // namespace

Simd choose_simd(const char* forced) {
  static const Simd best = ask_arm64();
  if (forced && std::strcmp(forced, "scalar") == 0) return Simd::baseline;
  if (forced && std::strcmp(forced, "dotprod") == 0 && best == Simd::i8mm) return Simd::dotprod;
  return best;
}
#else
Simd choose_simd(const char* forced) {
  if (forced && std::strcmp(forced, "scalar") == 0) return Simd::baseline;
  return has_avx2_and_fma() ? Simd::avx2 : Simd::baseline;
}
#endif

const char* name_of(Simd simd) {
  switch (simd) {
    case Simd::avx2:
      return "avx2";
    case Simd::dotprod:
      return "dotprod";
    case Simd::i8mm:
      return "i8mm";
    default:
      return "baseline";
  }
}

}  // namespace earshot
