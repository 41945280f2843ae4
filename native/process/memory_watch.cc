#include "memory_watch.h"

#ifdef __linux__

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

namespace earshot::process {
namespace {

using Bytes = unsigned long long;
using Milliseconds = std::chrono::milliseconds;

/** The most that a process is taken to grow by: several cores that touch new pages. */
constexpr double kGrowthPerMs = 4.0 * (1ull << 30) / 1000;
constexpr double kShortestMs = 5, kLongestMs = 200;

struct Watched {
  int pid;
  /** A descriptor of the process, so that no other one of the same number is ever ended; -1: kernels before 5.3. */
  int pidfd;
  /** /proc/PID/status: it cannot be read once the process is gone, even if its number is used again. */
  int status;
  Bytes limit;
  MemorySeen seen;
};

/** Never freed: the thread lives as long as the process, also while it is being taken down. */
struct Watch {
  std::mutex lock;
  std::condition_variable changed;
  std::map<int, Watched> all;
  int next = 0;
  bool running = false;
};

Watch& watch() {
  static Watch* const the_watch = new Watch;
  return *the_watch;
}

/** What the kernel itself keeps for a thread and no line of /proc shows: its stack there, its descriptor, its areas. */
constexpr Bytes kOfThread = 32 * 1024;

/**
 * More threads than any run has (native/confine/confine.h). A user's are counted together, so a process with more is
 * beyond its bound whatever memory it uses.
 */
constexpr Bytes kMostThreads = 1024;
constexpr Bytes kBeyondAnyBound = Bytes{1} << 50;

/** The number in a line such as "VmRSS:     1234 kB"; 0 without one. */
Bytes field(const char* text, const char* name) {
  const char* at = std::strstr(text, name);
  return at == nullptr ? 0 : std::strtoull(at + std::strlen(name), nullptr, 10);
}

/** 0 where the process has ended. */
Bytes used_by(int status) {
  char text[4096];
  const ssize_t length = pread(status, text, sizeof text - 1, 0);
  if (length <= 0) return 0;
  text[length] = '\0';
  const Bytes own = field(text, "\nVmRSS:") + field(text, "\nVmPTE:") + field(text, "\nVmSwap:");
  const Bytes threads = field(text, "\nThreads:");
  if (own == 0) return 0;
  return threads > kMostThreads ? kBeyondAnyBound : own * 1024 + threads * kOfThread;
}

void end(const Watched& one) {
  if (one.pidfd >= 0)
    syscall(SYS_pidfd_send_signal, one.pidfd, SIGKILL, nullptr, 0);
  else if (used_by(one.status) > 0)
    kill(one.pid, SIGKILL);
}

/** One look at all of them. @returns milliseconds until the next */
double look(std::map<int, Watched>& all) {
  double wait = kLongestMs;
  for (auto& [number, one] : all) {
    if (one.seen.ended) continue;
    const Bytes used = used_by(one.status);
    if (used == 0) continue;
    one.seen.used = std::min(used, one.limit + 1);
    if (used > one.limit) {
      one.seen.ended = true;
      end(one);
      continue;
    }
    wait = std::min(wait, double(one.limit - used) / kGrowthPerMs);
  }
  return std::max(wait, kShortestMs);
}

void run() {
  // Signals are the main thread's.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock<std::mutex> held(watch().lock);
  for (;;) {
    if (watch().all.empty()) {
      watch().changed.wait(held);
      continue;
    }
    const double wait = look(watch().all);
    watch().changed.wait_for(held, Milliseconds(int(wait)));
  }
}

}  // namespace

bool can_watch_memory() { return true; }

int watch_memory(int pid, Bytes limit) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/status", pid);
  const int status = open(path, O_RDONLY | O_CLOEXEC);
  if (status < 0) return -1;
  const int pidfd = int(syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0 && errno == ESRCH) {
    close(status);
    return -1;
  }
  const std::lock_guard<std::mutex> held(watch().lock);
  if (!watch().running) {
    try {
      std::thread(run).detach();
    } catch (...) {
      close(status);
      if (pidfd >= 0) close(pidfd);
      throw;
    }
    watch().running = true;
  }
  const int number = watch().next++;
  watch().all.emplace(number, Watched{pid, pidfd, status, limit, {0, false}});
  watch().changed.notify_all();
  return number;
}

MemorySeen unwatch_memory(int number) {
  const std::lock_guard<std::mutex> held(watch().lock);
  const auto found = watch().all.find(number);
  if (found == watch().all.end()) return {0, false};
  const Watched one = found->second;
  watch().all.erase(found);
  close(one.status);
  if (one.pidfd >= 0) close(one.pidfd);
  return one.seen;
}

}  // namespace earshot::process

#else

namespace earshot::process {

bool can_watch_memory() { return false; }
int watch_memory(int, unsigned long long) { return -1; }
MemorySeen unwatch_memory(int) { return {0, false}; }

}  // namespace earshot::process

#endif
