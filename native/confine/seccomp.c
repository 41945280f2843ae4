// The filter of system calls that a job starts with: a list of what it may call, made from system-calls.tsv at build
// (scripts/system-calls). What is in no row of it does not exist for a job.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WITH_FIRST_FILTER
#define WITH_SECOND_FILTER
#include "../generated/system-calls.inc"

static bool offers(uint32_t action) { return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0; }

bool has_seccomp(void) {
#ifdef FILTERED_PROCESSOR
  return offers(SECCOMP_RET_ERRNO);
#else
  return false;
#endif
}

#ifdef FILTERED_PROCESSOR

enum { kMostInstructions = 4096 };

static bool install(const struct sock_filter* filter, size_t length, unsigned flags, bool log) {
  static struct sock_filter own[kMostInstructions];
  memcpy(own, filter, length * sizeof *filter);
  for (size_t each = 0; each < length; each++) {
    // It keeps its number when it becomes the program.
    if (own[each].k == kSelf) own[each].k = (uint32_t)getpid();
    // What libraries do without when it does not exist stays so: rings of io_uring would do what filters refuse.
    if (log && own[each].code == (BPF_RET | BPF_K) && own[each].k == (SECCOMP_RET_ERRNO | EPERM))
      own[each].k = SECCOMP_RET_LOG;
  }
  const struct sock_fprog program = {.len = (unsigned short)length, .filter = own};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
}

#endif

void restrict_with_seccomp(bool log) {
#ifdef FILTERED_PROCESSOR
  if (log && !offers(SECCOMP_RET_LOG)) fail("a log of system calls");
  if (!install(first_filter, sizeof first_filter / sizeof *first_filter, 0, log)) fail("seccomp");
#else
  (void)log;
  errno = ENOSYS;
  fail("seccomp on this processor");
#endif
}

void restrict_after_start(void) {
#ifdef FILTERED_PROCESSOR
  const size_t length = sizeof second_filter / sizeof *second_filter;
  // Refused where it is there already: once it is, it lets no other follow.
  if (!install(second_filter, length, SECCOMP_FILTER_FLAG_TSYNC, false) && errno != EPERM) fail("seccomp");
#endif
}
