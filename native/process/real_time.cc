#include "real_time.h"

#ifdef __linux__
#include <dirent.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#endif

namespace earshot::process {

#ifdef __linux__

// System calls and not the C library's functions: those of musl only answer ENOSYS.
std::vector<int> real_time_threads() {
  std::vector<int> found;
  DIR* tasks = opendir("/proc/self/task");
  if (!tasks) return found;
  while (const dirent* entry = readdir(tasks)) {
    const int thread = std::atoi(entry->d_name);
    if (thread <= 0) continue;
    const long policy = syscall(SYS_sched_getscheduler, thread);
    if (policy < 0) continue;
    const long kind = policy & ~long(SCHED_RESET_ON_FORK);
    if (kind == SCHED_FIFO || kind == SCHED_RR) found.push_back(thread);
  }
  closedir(tasks);
  return found;
}

void end_real_time(int thread) {
  const sched_param usual{};
  syscall(SYS_sched_setscheduler, thread, SCHED_OTHER, &usual);
}

#else

std::vector<int> real_time_threads() { return {}; }
void end_real_time(int) {}

#endif

}  // namespace earshot::process
