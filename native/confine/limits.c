// What the kernel counts for each user and not for each process: one job could use up the share of all others of its
// user, the service's own among them. Calls that need it are refused (system-calls.tsv); what needs no call of its own,
// or one that jobs need, is bounded here.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/utsname.h>

const struct user_limit user_limits[] = {
    // tgkill of a blocked signal queues one. Those that the kernel itself raises, and those of `kill`, come all the
    // same.
    {RLIMIT_SIGPENDING, "sigpending", 0},
    {RLIMIT_MSGQUEUE, "msgqueue", 0},
    {RLIMIT_MEMLOCK, "memlock", 0},
    {RLIMIT_LOCKS, "locks", 0},
    {RLIMIT_NICE, "nice", 0},
    {RLIMIT_RTPRIO, "rtprio", 0},
    {RLIMIT_CORE, "core", 0},
};
const size_t user_limit_count = sizeof user_limits / sizeof *user_limits;

void limit(int resource, unsigned long long value, const char* what) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) fail(what);
  if (value < now.rlim_max) now.rlim_max = (rlim_t)value;
  now.rlim_cur = now.rlim_max;
  if (setrlimit(resource, &now) != 0) fail(what);
}

void limit_what_users_share(void) {
  for (size_t each = 0; each < user_limit_count; each++)
    limit(user_limits[each].resource, user_limits[each].most, user_limits[each].name);
}

/** Linux 5.14 and later count threads for each user namespace by itself; before, the user's others count, too. */
static bool counts_by_namespace(void) {
  struct utsname system;
  unsigned major = 0, minor = 0;
  return uname(&system) == 0 && sscanf(system.release, "%u.%u", &major, &minor) == 2 &&
         (major > 5 || (major == 5 && minor >= 14));
}

void limit_threads_in_namespace(void) {
  if (counts_by_namespace()) limit(RLIMIT_NPROC, kMostThreads, "threads");
}
