// A root of its own, made of bind mounts: what is not in it cannot even be asked for. The network and System V objects
// are the namespace's own, too. Its owner needs no power over the machine where users may make namespaces.
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

static bool write_map(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
  close(file);
  return written;
}

/** As root. */
static bool enter(void) { return unshare(kSpaces) == 0; }

/** As an ordinary user. */
static bool enter_as_user(void) {
  const unsigned user = geteuid(), group = getegid();
  char users[64], groups[64];
  snprintf(users, sizeof users, "%u %u 1", user, user);
  snprintf(groups, sizeof groups, "%u %u 1", group, group);
  if (unshare(CLONE_NEWUSER | kSpaces) != 0 || !write_map("/proc/self/setgroups", "deny") ||
      !write_map("/proc/self/uid_map", users) || !write_map("/proc/self/gid_map", groups))
    return false;
  limit_threads_in_namespace();
  return true;
}

struct source {
  const char* path;
  int file;
  bool writable;
};

static struct source sources[2 * kMaxPaths + 8];
static size_t count;

/** What a failure was about. */
static const char* about;

static bool failed(const char* what) {
  about = what;
  return false;
}

static bool add(const char* path, bool writable) {
  const int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? true : failed(path);
  sources[count++] = (struct source){.path = path, .file = file, .writable = writable};
  return true;
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

static bool make_read_only(const char* target, unsigned depth) {
  struct {
    uint64_t set, clear, propagation, user;
  } attributes = {.set = kReadOnly};
  if (syscall(kMountSetattr, AT_FDCWD, target, depth, &attributes, sizeof attributes) == 0) return true;
  struct statvfs facts;
  if (statvfs(target, &facts) != 0) return false;
  // What its owner has forbidden must be forbidden again.
  const unsigned long kept = facts.f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME);
  return mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept, NULL) == 0;
}

static bool put(const char* root, const struct source* source) {
  char from[64], target[PATH_MAX];
  struct stat facts;
  if (fstat(source->file, &facts) != 0) return failed(source->path);
  if (snprintf(target, sizeof target, "%s%s", root, source->path) >= (int)sizeof target) {
    errno = ENAMETOOLONG;
    return failed(source->path);
  }
  make_target(target, S_ISDIR(facts.st_mode));
  snprintf(from, sizeof from, "/proc/self/fd/%d", source->file);
  if (mount(from, target, NULL, MS_BIND | MS_REC, NULL) != 0) return failed(source->path);
  // Devices are written through, not changed.
  if (!source->writable && !S_ISCHR(facts.st_mode) && !make_read_only(target, kRecursive)) return failed(source->path);
  return true;
}

/** Opened before anything is mounted: the place of the new root may hide some of them. */
static bool add_all(const struct policy* policy) {
  static const char* const always[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/dev/null"};
  for (size_t each = 0; each < policy->reads; each++)
    if (!add(policy->read[each], false)) return false;
  if (policy->program != NULL && !add(policy->program, false)) return false;
  for (size_t each = 0; each < sizeof always / sizeof *always; each++)
    if (!add(always[each], false)) return false;
  for (size_t each = 0; each < policy->writes; each++)
    if (!add(policy->write[each], true)) return false;
  return true;
}

/** Puts the new root together beside the old one. @returns where; NULL: it cannot be had, and nothing is left of it */
static const char* build(const struct policy* policy) {
  const char* root = NULL;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return NULL;
  bool made = add_all(policy);
  for (size_t each = 0; made && root == NULL && each < sizeof places / sizeof *places; each++)
    if (mount("earshot", places[each], "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") == 0) root = places[each];
  made = made && root != NULL;
  for (size_t each = 0; made && each < count; each++) made = put(root, &sources[each]);
  const int reason = errno;
  for (size_t each = 0; each < count; each++) close(sources[each].file);
  count = 0;
  if (made) return root;
  if (root != NULL) umount2(root, MNT_DETACH);
  errno = reason;
  return NULL;
}

/** Once there are namespaces. @returns false: this process still has the root that it had */
static bool change_root(const struct policy* policy) {
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == NULL) strcpy(folder, "/");
  const char* root = build(policy);
  if (root == NULL) return false;
  if (chdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) {
    const int reason = errno;
    if (chdir(folder) != 0 && chdir("/") != 0) fail("the old root");
    umount2(root, MNT_DETACH);
    errno = reason;
    return failed("the new root");
  }
  if (umount2(".", MNT_DETACH) != 0 || !make_read_only("/", 0)) fail("the new root");
  if (chdir(folder) != 0 && chdir("/") != 0) fail("the new root");
  return true;
}

bool has_namespaces(void) {
  const struct policy nothing = {.reads = 0};
  const pid_t child = fork();
  if (child == 0) _exit((enter() || enter_as_user()) && change_root(&nothing) ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void restrict_with_namespaces(const struct policy* policy) {
  about = "namespaces";
  if (!(enter() || enter_as_user()) || !change_root(policy)) fail(about);
}

void try_namespaces(const struct policy* policy) {
  // A user's own namespace stays when there is no root to be had in it: that is found out in a child.
  if (enter() || (has_namespaces() && enter_as_user())) change_root(policy);
}
