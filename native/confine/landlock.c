// Landlock: files by path, TCP by port, signals and abstract sockets by scope. The constants are written out, so that
// it builds with headers older than the kernel it runs on; what the running kernel does not know is masked off. Method:
// Linux, Documentation/userspace-api/landlock.rst.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446 };

#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define REMOVE_DIR (1ULL << 4)
#define REMOVE_FILE (1ULL << 5)
#define MAKE_DIR (1ULL << 7)
#define MAKE_REG (1ULL << 8)
#define REFER (1ULL << 13)
#define TRUNCATE (1ULL << 14)

/** Everything that version 1 knows, and what each later one added. */
static uint64_t handled_files(int version) {
  uint64_t handled = (1ULL << 13) - 1;
  if (version >= 2) handled |= REFER;
  if (version >= 3) handled |= TRUNCATE;
  if (version >= 5) handled |= 1ULL << 15;  // ioctl on devices
  return handled;
}

struct ruleset {
  uint64_t files;
  uint64_t net;
  uint64_t scoped;
};

struct path_rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

int landlock_version(void) {
  const long version = syscall(kCreateRuleset, NULL, 0, 1U);
  return version > 0 ? (int)version : 0;
}

static void allow(int ruleset, const char* path, uint64_t rights, uint64_t handled) {
  const int parent = open(path, O_PATH | O_CLOEXEC);
  if (parent < 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return;
    fail(path);
  }
  struct stat facts;
  if (fstat(parent, &facts) != 0) fail(path);
  // Rights of folders are refused for a file.
  if (!S_ISDIR(facts.st_mode)) rights &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;
  const struct path_rule rule = {.allowed = rights & handled, .parent = parent};
  if (syscall(kAddRule, ruleset, 1, &rule, 0U) != 0) fail(path);
  close(parent);
}

void restrict_with_landlock(const struct policy* policy) {
  const int known = landlock_version();
  if (known == 0) {
    errno = ENOSYS;
    fail("landlock");
  }
  const int wanted = policy->landlock_at_most;
  const int version = wanted > 0 && wanted < known ? wanted : known;
  const uint64_t handled = handled_files(version);
  const struct ruleset attributes = {
      .files = handled,
      .net = version >= 4 ? 3 : 0,     // bind and connect of TCP: no port is allowed
      .scoped = version >= 6 ? 3 : 0,  // abstract sockets, signals
  };
  const size_t size = version >= 6 ? sizeof attributes : version >= 4 ? 16 : 8;
  const int ruleset = (int)syscall(kCreateRuleset, &attributes, size, 0U);
  if (ruleset < 0) fail("landlock");

  for (size_t each = 0; each < policy->reads; each++) allow(ruleset, policy->read[each], READ_FILE | READ_DIR, handled);
  // Links, pipes, sockets and devices cannot be made: what a job leaves behind is files and folders.
  for (size_t each = 0; each < policy->writes; each++)
    allow(ruleset, policy->write[each],
          READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER,
          handled);
  if (policy->erase != NULL) allow(ruleset, policy->erase, READ_DIR | REMOVE_DIR | REMOVE_FILE, handled);
  allow(ruleset, policy->program, EXECUTE | READ_FILE, handled);
  // The program's loader and libraries lie here; whatever else is started from here has the same bars around it.
  static const char* const loaders[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store"};
  for (size_t each = 0; each < sizeof loaders / sizeof *loaders; each++)
    allow(ruleset, loaders[each], EXECUTE | READ_FILE | READ_DIR, handled);
  allow(ruleset, "/dev/null", READ_FILE | WRITE_FILE | TRUNCATE, handled);

  if (syscall(kRestrictSelf, ruleset, 0U) != 0) fail("landlock");
  close(ruleset);
}
