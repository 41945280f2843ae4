#include "large_pages.h"

#ifdef __linux__
#include <sys/mman.h>

#include <cstdint>
#endif

namespace earshot::process {

#ifdef __linux__
void prefer_large_pages(void* memory, size_t bytes) {
  constexpr uintptr_t kLarge = uintptr_t(2) << 20;
  const uintptr_t from = (reinterpret_cast<uintptr_t>(memory) + kLarge - 1) / kLarge * kLarge;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + bytes) / kLarge * kLarge;
  // Advice only: without large pages everything works, more slowly.
  if (from < end) (void)madvise(reinterpret_cast<void*>(from), end - from, MADV_HUGEPAGE);
}
#else
void prefer_large_pages(void*, size_t) {}
#endif

}  // namespace earshot::process
