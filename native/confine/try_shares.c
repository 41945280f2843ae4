// What a job must not take from the other processes of its user: limits of the kernel, one by one, and entries of
// /proc.
#define _GNU_SOURCE
#include "try.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Every limit that the kernel has is tried; the names are those of <sys/resource.h>. */
static const struct {
  int resource;
  const char* name;
} all_limits[] = {
    {RLIMIT_CPU, "cpu"},           {RLIMIT_FSIZE, "fsize"},
    {RLIMIT_DATA, "data"},         {RLIMIT_STACK, "stack"},
    {RLIMIT_CORE, "core"},         {RLIMIT_RSS, "rss"},
    {RLIMIT_NPROC, "nproc"},       {RLIMIT_NOFILE, "nofile"},
    {RLIMIT_MEMLOCK, "memlock"},   {RLIMIT_AS, "as"},
    {RLIMIT_LOCKS, "locks"},       {RLIMIT_SIGPENDING, "sigpending"},
    {RLIMIT_MSGQUEUE, "msgqueue"}, {RLIMIT_NICE, "nice"},
    {RLIMIT_RTPRIO, "rtprio"},     {RLIMIT_RTTIME, "rttime"},
};
_Static_assert(sizeof all_limits / sizeof *all_limits == RLIM_NLIMITS, "a limit of the kernel has no attempt");

/** Beyond these a process takes the pipes and the watches of all others of its user. */
enum { kMostPipes = 600, kMostWatched = 600, kMostSignals = 64 };

/** @returns how many signals wait for this process beyond those that waited before */
static long queued_signals(void) {
  sigset_t blocked, former;
  sigemptyset(&blocked);
  const int number = SIGRTMIN + 5;
  sigaddset(&blocked, number);
  if (sigprocmask(SIG_BLOCK, &blocked, &former) != 0) return 0;
  long queued = 0;
  while (queued < kMostSignals && syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number) == 0) queued++;
  const int refused_by = errno;
  // Ignored ones are thrown away.
  signal(number, SIG_IGN);
  sigprocmask(SIG_SETMASK, &former, NULL);
  errno = refused_by;
  return queued;
}

static long many_pipes(void) {
  static int ends[kMostPipes][2];
  int made = 0;
  while (made < kMostPipes && pipe2(ends[made], O_CLOEXEC) == 0) made++;
  const int refused_by = errno;
  for (int each = 0; each < made; each++) {
    close(ends[each][0]);
    close(ends[each][1]);
  }
  errno = refused_by;
  return made == kMostPipes ? 0 : -1;
}

/** Each epoll descriptor may watch each other descriptor: what counts is their product. */
static long many_watched(void) {
  static int files[2 * kMostWatched];
  int made = 0;
  while (made < 2 * kMostWatched) {
    files[made] = made % 2 == 0 ? epoll_create1(EPOLL_CLOEXEC) : eventfd(0, EFD_CLOEXEC);
    if (files[made] < 0) break;
    made++;
  }
  const int refused_by = errno;
  for (int each = 0; each < made; each++) close(files[each]);
  errno = refused_by;
  return made == 2 * kMostWatched ? 0 : -1;
}

void try_shares(void) {
  char name[64];
  struct rlimit now;
  for (size_t each = 0; each < sizeof all_limits / sizeof *all_limits; each++) {
    if (getrlimit(all_limits[each].resource, &now) != 0 || now.rlim_max == RLIM_INFINITY) continue;
    now.rlim_max += 1;
    snprintf(name, sizeof name, "limit_raised_%s", all_limits[each].name);
    report(name, setrlimit(all_limits[each].resource, &now));
  }
  for (size_t each = 0; each < user_limit_count; each++) {
    snprintf(name, sizeof name, "share_of_%s", user_limits[each].name);
    const int known = getrlimit(user_limits[each].resource, &now);
    errno = EPERM;
    report(name, known == 0 && now.rlim_max > user_limits[each].most ? 0 : -1);
  }
  report("share_of_signals", queued_signals() > 0 ? 0 : -1);
  report("share_of_pipes", many_pipes());
  report("share_of_watches", many_watched());
}

void try_entries(const char* paths) {
  FILE* const list = fopen(paths, "re");
  if (list == NULL) return report("list_of_entries", -1);
  char path[512], name[512], byte;
  while (fgets(path, sizeof path, list) != NULL) {
    path[strcspn(path, "\n")] = '\0';
    if (*path != '/') continue;
    size_t length = 0;
    for (const char* at = path + 1; *at != '\0'; at++)
      name[length++] = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') ? *at : '_';
    name[length] = '\0';
    // Some can be opened and say no only when they are read. Those that wait for news are not waited for.
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const long answer = file < 0 ? -1 : read(file, &byte, 1) < 0 && errno != EISDIR && errno != EAGAIN ? -1 : 0;
    const int refused_by = errno;
    closed(file);
    errno = refused_by;
    report(name, answer);
  }
  fclose(list);
}
