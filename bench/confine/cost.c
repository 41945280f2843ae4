// What system calls cost here, in nanoseconds, as JSON: the best of many bursts, since machines have other work.
// Or, with --start <times> <program> [argument]..., what starting that costs: milliseconds of CPU, the mean of all.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

static double milliseconds(struct timeval time) { return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3; }

static int start(int times, char** command) {
  extern char** environ;
  for (int each = 0; each < times; each++) {
    pid_t child = 0;
    int status = 1;
    if (posix_spawn(&child, command[0], NULL, NULL, command, environ) != 0) return 1;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  printf("%.3f\n", (milliseconds(used.ru_utime) + milliseconds(used.ru_stime)) / times);
  return 0;
}

int main(int count, char** arguments) {
  if (count > 3 && strcmp(arguments[1], "--start") == 0) return start(atoi(arguments[2]), arguments + 3);
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
