#include "parent_watch.h"

#if defined(__linux__) || defined(__APPLE__)

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

#ifdef __APPLE__
#include <mach/mach.h>
#endif

namespace earshot::process {
namespace {

/** Never freed: the thread lives as long as the process, also while it is being taken down. */
struct Watch {
  std::mutex lock;
  std::string folder;
  bool running = false;
};

Watch& watch() {
  static Watch* const the_watch = new Watch;
  return *the_watch;
}

/**
 * Bytes that this process uses; 0 where the system does not tell. Linux reads /proc from outside instead. On macOS what
 * the system itself holds against a process: with what is compressed, which the resident size leaves out, and without
 * the pages of files.
 */
unsigned long long used_bytes() {
#ifdef __APPLE__
  task_vm_info_data_t info;
  mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
  if (task_info(mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count) == KERN_SUCCESS &&
      count >= TASK_VM_INFO_REV1_COUNT)
    return info.phys_footprint;
#endif
  return 0;
}

void report(int fd) {
  char line[32];
  const int length = std::snprintf(line, sizeof line, "%llu\n", used_bytes());
  // A full or closed pipe: the next report will do.
  if (write(fd, line, size_t(length)) < 0) return;
}

/**
 * Removes the files of the folder where this process works, once and for all: it opens none any more, so that no other
 * thread makes them again. In a root of its own the folder itself cannot go, which would keep them from it.
 */
void remove_last_files(const std::string& folder) {
  // Of a run's folder, or that itself where it is inherited.
  DIR* files = opendir((folder + "/run").c_str());
  if (files == nullptr) files = opendir(folder.c_str());
  rlimit none;
  if (files == nullptr || getrlimit(RLIMIT_NOFILE, &none) != 0) return;
  none.rlim_cur = 0;
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) return;
  // At once, since a thread that is refused a file may end the process; and again for those that were opening one.
  for (int pass = 0; pass < 2; pass++) {
    if (pass > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    rewinddir(files);
    while (const dirent* entry = readdir(files)) unlinkat(dirfd(files), entry->d_name, 0);
  }
}

/** Removes the partial files, since the host is gone. Other threads may still write them, hence several tries. */
[[noreturn]] void end() {
  std::string folder;
  {
    const std::lock_guard<std::mutex> held(watch().lock);
    folder = watch().folder;
  }
  for (int tries = 0; !folder.empty() && tries < 4; tries++) {
    std::error_code failed;
    std::filesystem::remove_all(folder, failed);
    if (!failed) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!folder.empty()) remove_last_files(folder);
  for (;;) kill(getpid(), SIGKILL);
}

void look(int parent, int poll_ms, int report_fd) {
  // Signals are the main thread's.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(poll_ms));
    // An orphan's parent is another process.
    if (getppid() != parent) end();
    if (report_fd >= 0) report(report_fd);
  }
}

}  // namespace

bool can_watch_parent() { return true; }

void watch_parent(int parent, int poll_ms, int report_fd) {
  const std::lock_guard<std::mutex> held(watch().lock);
  if (watch().running) return;
  std::thread(look, parent, poll_ms, report_fd).detach();
  watch().running = true;
}

void set_watched_folder(const std::string& folder) {
  const std::lock_guard<std::mutex> held(watch().lock);
  watch().folder = folder;
}

}  // namespace earshot::process

#else

namespace earshot::process {

bool can_watch_parent() { return false; }
void watch_parent(int, int, int) {}
void set_watched_folder(const std::string&) {}

}  // namespace earshot::process

#endif
