#include "file_limit.h"

#if defined(__linux__) || defined(__APPLE__)

#include <signal.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace earshot::process {

bool can_limit_files() { return true; }

void limit_files(double bytes, bool for_good) {
  // Node ignores it in its later versions.
  signal(SIGXFSZ, SIG_IGN);
  rlimit now;
  if (getrlimit(RLIMIT_FSIZE, &now) != 0) throw std::system_error(errno, std::generic_category());
  // Doubles above are no longer whole numbers; no file system has such files.
  const bool bounded = bytes >= 0 && bytes < 9e15;
  const rlim_t wanted = bounded ? rlim_t(bytes) : now.rlim_max;
  now.rlim_cur = wanted < now.rlim_max ? wanted : now.rlim_max;
  if (for_good) now.rlim_max = now.rlim_cur;
  if (setrlimit(RLIMIT_FSIZE, &now) != 0) throw std::system_error(errno, std::generic_category());
}

}  // namespace earshot::process

#else

namespace earshot::process {

bool can_limit_files() { return false; }
void limit_files(double, bool) {}

}  // namespace earshot::process

#endif
