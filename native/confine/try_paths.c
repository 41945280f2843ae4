// Attempts on files by ways that are not plain opening, and on what a job's host has to count.
#define _GNU_SOURCE
#include "try.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static char text[8192];

static const char* of_process(int process, const char* what) {
  snprintf(text, sizeof text, "/proc/%d/%s", process, what);
  return text;
}

static long opens(const char* path, int flags) { return closed(open(path, flags | O_CLOEXEC)); }

/** Is there a file of this name, how large is it, whose is it: what no right of Landlock covers. */
static void try_names(const char* outside) {
  struct stat facts;
  struct statfs room;
  char buffer[512];
  report("facts_of_file", stat(outside, &facts));
  report("facts_of_file_as_statx", syscall(SYS_statx, AT_FDCWD, outside, 0, 0x7ffU, buffer));
  report("presence_of_file", access(outside, F_OK));
  report("presence_of_file_as_faccessat2", syscall(439, AT_FDCWD, outside, F_OK, 0));
  report("handle_of_file", opens(outside, O_PATH));
  report("room_beside_file", statfs(outside, &room));
}

static void try_folders(const char* outside, const char* own) {
  char folder[4096], inside[4096];
  snprintf(folder, sizeof folder, "%s", outside);
  char* const slash = strrchr(folder, '/');
  if (slash == NULL || slash == folder) return;
  *slash = '\0';
  const int list = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // In a root of its own the way to the run's folder is there, and nothing beside it.
  report("list_of_folder", list < 0 || faccessat(list, slash + 1, F_OK, 0) != 0 ? -1 : 0);
  closed(list);
  report("make_folder", mkdir(below(folder, "made"), 0700));
  report("remove_folder", rmdir(below(folder, "made")));
  snprintf(inside, sizeof inside, "%s/try-moved", own);
  const int moved = rename(outside, inside);
  report("move_file_in", moved);
  // Back: it is what others are tried on.
  if (moved == 0) rename(inside, outside);
  closed(open(inside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  report("move_file_out", rename(inside, below(folder, "moved")));
  unlink(below(folder, "moved"));
  unlink(inside);
}

/** Doors of /proc and other ways that lead past a path. */
static void try_doors(const char* outside, const char* own) {
  const int parent = getppid();
  snprintf(text, sizeof text, "/proc/self/root%s", outside);
  report("read_file_by_root", opens(text, O_RDONLY));
  snprintf(text, sizeof text, "%s/../../../../../../../../../../..%s", own, outside);
  report("read_file_by_parents", opens(text, O_RDONLY));
  const int folder = open(own, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  snprintf(text, sizeof text, "../../../../../../../../../../..%s", outside);
  report("read_file_by_folder", closed(openat(folder, text, O_RDONLY | O_CLOEXEC)));
  snprintf(text, sizeof text, "/proc/self/fd/%d/../../../../../../../../../../..%s", folder, outside);
  report("read_file_by_descriptor", opens(text, O_RDONLY));
  closed(folder);
  report("root_of_host", opens(of_process(parent, "root/etc"), O_RDONLY | O_DIRECTORY));
  report("folder_of_host", opens(of_process(parent, "cwd"), O_RDONLY | O_DIRECTORY));
  report("program_of_host", readlink(of_process(parent, "exe"), text, 10));
  report("maps_of_host", opens(of_process(parent, "maps"), O_RDONLY));
  report("descriptors_of_host", opens(of_process(parent, "fd"), O_RDONLY | O_DIRECTORY));
  report("command_of_host", opens(of_process(parent, "cmdline"), O_RDONLY));
  report("priority_of_host", opens(of_process(parent, "oom_score_adj"), O_WRONLY));
  const int processes = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  snprintf(text, sizeof text, "%d", parent);
  report("list_of_processes", processes < 0 || faccessat(processes, text, F_OK, 0) != 0 ? -1 : 0);
  closed(processes);
  report("passwords", opens("/etc/shadow", O_RDONLY));
  report("settings_of_kernel", opens("/proc/sys/kernel/core_pattern", O_WRONLY));
  report("keys_of_kernel", opens("/proc/sysrq-trigger", O_WRONLY));
  report("devices_of_kernel", opens("/sys/kernel/uevent_helper", O_WRONLY));
  report("memory_of_machine", opens("/dev/mem", O_RDONLY));
  report("log_of_kernel", opens("/dev/kmsg", O_RDONLY));
  report("shared_folder", opens("/dev/shm", O_RDONLY | O_DIRECTORY));
  report("terminal", opens("/dev/tty", O_RDWR));
  report("network_of_machine", opens("/proc/1/net/tcp", O_RDONLY));
}

void try_paths(const struct targets* targets) {
  try_names(targets->outside);
  try_folders(targets->outside, targets->folder);
  try_doors(targets->outside, targets->folder);
}

enum { kDepth = 40, kNameLength = 200 };

/** Folders below each other until their path is longer than one may be. @returns how many were made */
static int dig(const char* folder, bool by_descriptor) {
  char name[kNameLength + 1], path[kNameLength + 64];
  int here = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), depth = 0;
  memset(name, by_descriptor ? 'd' : 'p', kNameLength);
  name[kNameLength] = '\0';
  for (; here >= 0 && depth < kDepth; depth++) {
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", here, name);
    if ((by_descriptor ? mkdirat(here, name, 0700) : mkdir(path, 0700)) != 0) break;
    const int next = openat(here, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(here);
    here = next;
  }
  closed(here);
  return depth;
}

/** Removes what `dig` has made, from above: each folder is moved up before the one that held it goes. */
static void fill_in(const char* folder, bool by_descriptor) {
  char name[kNameLength + 1];
  memset(name, by_descriptor ? 'd' : 'p', kNameLength);
  name[kNameLength] = '\0';
  const int top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (top < 0) return;
  for (int depth = 0; depth < kDepth; depth++) {
    const int first = openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool more = renameat(first, name, top, "next") == 0;
    closed(first);
    unlinkat(top, name, AT_REMOVEDIR);
    if (!more || renameat(top, "next", top, name) != 0) break;
  }
  close(top);
}

static long touched(size_t bytes, int protection) {
  char* const memory = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return -1;
  munmap(memory, bytes);
  return 0;
}

void try_room(const char* folder) {
  for (int way = 0; way < 2; way++) {
    const bool by_descriptor = way == 0;
    report(by_descriptor ? "deep_folders" : "deep_folders_by_proc", dig(folder, by_descriptor) == kDepth ? 0 : -1);
    fill_in(folder, by_descriptor);
  }
  const char* const gone = below(folder, "gone");
  const int file = open(gone, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  report("file_that_is_deleted", file >= 0 && unlink(gone) == 0 && write(file, "x", 1) == 1 ? 0 : -1);
  closed(file);
  report("addresses_without_memory", touched((size_t)4 << 30, PROT_READ));
  report("addresses_beyond_the_bound", touched((size_t)1 << 42, PROT_READ));
}
