// The system calls that the table refuses, one by one. The attempts are made from it, as the filters are; that they are
// right is for the tests to say, which read the table by themselves.
#define _GNU_SOURCE
#include "try.h"

#include <errno.h>
#include <linux/filter.h>
#include <sys/syscall.h>
#include <unistd.h>

struct call_attempt {
  const char* name;
  int number;
  /** Mostly all bits: a descriptor, address or process that there is not. */
  unsigned given[6];
  int refused_by;
};

#define WITH_ATTEMPTS
#include "../generated/system-calls.inc"

#ifdef FILTERED_PROCESSOR

static long call(const struct call_attempt* attempt) {
  const unsigned* given = attempt->given;
  return syscall(attempt->number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

void try_calls(void) {
  // A call without harm that filters refuse. Where they do not, some of the others would stop this program for good.
  if (syscall(SYS_getpgid, 0) >= 0) return report("calls_of_the_list", 0);
  for (size_t each = 0; each < sizeof call_attempts / sizeof *call_attempts; each++) {
    const struct call_attempt* attempt = &call_attempts[each];
    errno = 0;
    const long answer = call(attempt);
    // An answer of the kernel, even a refusal, is one that no filter has given.
    report(attempt->name, answer == -1 && errno == attempt->refused_by ? -1 : 0);
  }
}

#else

void try_calls(void) { report("calls_of_the_list", 0); }

#endif
