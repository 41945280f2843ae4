// A root of its own, made of bind mounts: what kernels without Landlock have. The network and System V objects are the
// namespace's own, too. Its owner needs no power over the machine where users may make namespaces.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMountSetattr = 442, kRecursive = 0x8000, kReadOnly = 1 };

enum { kSpaces = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC };

/** Where the new root is put together; any folder will do, since the mount is private. */
static const char* const places[] = {"/tmp", "/mnt", "/var/tmp", "/run", "/srv"};

static void write_map(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) fail(path);
  close(file);
}

/** false: neither as root nor as an ordinary user. */
static bool enter(void) {
  const unsigned user = geteuid(), group = getegid();
  if (unshare(kSpaces) == 0) return true;
  if (unshare(CLONE_NEWUSER | kSpaces) != 0) return false;
  char line[64];
  write_map("/proc/self/setgroups", "deny");
  snprintf(line, sizeof line, "%u %u 1", user, user);
  write_map("/proc/self/uid_map", line);
  snprintf(line, sizeof line, "%u %u 1", group, group);
  write_map("/proc/self/gid_map", line);
  return true;
}

bool has_namespaces(void) {
  const pid_t child = fork();
  if (child == 0) _exit(enter() && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct source {
  const char* path;
  int file;
  bool writable;
};

static struct source sources[2 * kMaxPaths + 8];
static size_t count;

static void add(const char* path, bool writable) {
  const int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES)) return;
  if (file < 0) fail(path);
  sources[count++] = (struct source){.path = path, .file = file, .writable = writable};
}

/** Makes the folders down to `path` and, for a file, an empty file. Below an earlier mount they are there already. */
static void make_target(char* path, bool folder) {
  for (char* slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0755);
    *slash = '/';
  }
  if (folder) {
    mkdir(path, 0755);
  } else {
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) close(file);
  }
}

static void make_read_only(const char* target, unsigned depth) {
  struct {
    uint64_t set, clear, propagation, user;
  } attributes = {.set = kReadOnly};
  if (syscall(kMountSetattr, AT_FDCWD, target, depth, &attributes, sizeof attributes) == 0) return;
  struct statvfs facts;
  if (statvfs(target, &facts) != 0) fail(target);
  // What its owner has forbidden must be forbidden again.
  const unsigned long kept = facts.f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME);
  if (mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept, NULL) != 0) fail(target);
}

static void put(const char* root, const struct source* source) {
  char from[64], target[PATH_MAX];
  struct stat facts;
  if (fstat(source->file, &facts) != 0) fail(source->path);
  if (snprintf(target, sizeof target, "%s%s", root, source->path) >= (int)sizeof target) {
    errno = ENAMETOOLONG;
    fail(source->path);
  }
  make_target(target, S_ISDIR(facts.st_mode));
  snprintf(from, sizeof from, "/proc/self/fd/%d", source->file);
  if (mount(from, target, NULL, MS_BIND | MS_REC, NULL) != 0) fail(source->path);
  // Devices are written through, not changed.
  if (!source->writable && !S_ISCHR(facts.st_mode)) make_read_only(target, kRecursive);
  close(source->file);
}

void restrict_with_namespaces(const struct policy* policy) {
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == NULL) strcpy(folder, "/");
  if (!enter()) fail("namespaces");
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail("namespaces");
  // Opened before anything is mounted: the place of the new root may hide some of them.
  for (size_t each = 0; each < policy->reads; each++) add(policy->read[each], false);
  add(policy->program, false);
  static const char* const always[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/dev/null"};
  for (size_t each = 0; each < sizeof always / sizeof *always; each++) add(always[each], false);
  for (size_t each = 0; each < policy->writes; each++) add(policy->write[each], true);

  const char* root = NULL;
  for (size_t each = 0; root == NULL && each < sizeof places / sizeof *places; each++)
    if (mount("earshot", places[each], "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") == 0) root = places[each];
  if (root == NULL) fail("a folder for the new root");
  for (size_t each = 0; each < count; each++) put(root, &sources[each]);

  if (chdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0) fail("the new root");
  make_read_only("/", 0);
  if (chdir(folder) != 0 && chdir("/") != 0) fail("the new root");
}
