// What some system calls cost here, in nanoseconds, as JSON: the best of many bursts, since machines have other work.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kBursts = 1000, kCalls = 1000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static const char* first = "{";

#define MEASURE(name, call)                                   \
  do {                                                        \
    double best = 1e18;                                       \
    for (int burst = 0; burst < kBursts; burst++) {           \
      const double from = now();                              \
      for (int each = 0; each < kCalls; each++) (void)(call); \
      const double took = (now() - from) / kCalls;            \
      if (took < best) best = took;                           \
    }                                                         \
    printf("%s\"%s\":%.1f", first, name, best);               \
    first = ",";                                              \
  } while (0)

int main(void) {
  char byte = 0;
  int word = 0;
  const int file = open("/dev/null", O_RDWR);
  MEASURE("getppid", syscall(SYS_getppid));
  MEASURE("write", syscall(SYS_write, file, &byte, 1));
  MEASURE("fcntl", syscall(SYS_fcntl, file, F_GETFL));
  MEASURE("futex", syscall(SYS_futex, &word, 129 /* FUTEX_WAKE_PRIVATE */, 1, 0, 0, 0));
  MEASURE("madvise", syscall(SYS_madvise, 0x1000, 0, 4));
  MEASURE("mmap", syscall(SYS_mmap, 0, 0, 1, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  MEASURE("openat", syscall(SYS_openat, AT_FDCWD, "/no-such-file", O_RDONLY));
  printf("}\n");
  return 0;
}
