#include "simd.h"

namespace earshot {

Simd choose_simd(const char* forced) {
  if (forced && std::strcmp(forced, "scalar") == 0) return Simd::baseline;
#if EARSHOT_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Simd::avx2;
#endif
  return Simd::baseline;
}

}  // namespace earshot
