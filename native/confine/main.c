// earshot-confine: starts a program that reaches only what it is given. It becomes the program (execve), so that its
// parent sees one process. See confine.h for the parts; docs/confinement.md for what is guarded against and how.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char usage[] =
    "earshot-confine --probe [<user>]\n"
    "earshot-confine --best <user>\n"
    "earshot-confine --try <file> <folder> <input> [<process> [<list>]]\n"
    "earshot-confine --layers <list> [--read <path>]... [--write <path>]... [--erase <path>] [--data-bytes <n>]\n"
    "                [--address-bytes <n>] [--open-files <n>] [--user <n>] [--keep <n>] [--inherit <folder>]...\n"
    "                [--calls <way>] [--landlock-at-most <n>] -- <program> [argument]...\n"
    "\n"
    "  --probe            say as JSON what this kernel offers, and whether the launcher can become that user, and end\n"
    "  --best             say the layers that best would be, with uid of that user where root has neither of the "
    "others\n"
    "  --try              try to reach the file and all else, to change the input and to end the process, working in\n"
    "                     the folder, and say as JSON what refused. The list: a file with paths to read, a line each;\n"
    "                     process 0: none\n"
    "  --layers           of landlock, namespaces, uid, seccomp, separated by commas, one that cannot be had ends it; "
    "or "
    "best:\n"
    "                     landlock, namespaces and seccomp, as far as the kernel has them\n"
    "  --read             what may be read, with everything below it\n"
    "  --write            what may also be made, written and removed below\n"
    "  --erase            below what things may be removed; needs Landlock\n"
    "  --data-bytes       memory that the program may write to (RLIMIT_DATA)\n"
    "  --address-bytes    addresses that it may use (RLIMIT_AS)\n"
    "  --open-files       descriptors (RLIMIT_NOFILE)\n"
    "  --user             number of the user and the group that uid changes to; not 0\n"
    "  --keep             descriptors from 0 that the program inherits; default 3\n"
    "  --inherit          a folder that it inherits as the next descriptor: its way into what no path leads it to\n"
    "  --calls            log: system calls that seccomp refuses are let through and written into the kernel's log;\n"
    "                     default: refuse\n"
    "  --landlock-at-most use nothing newer than this version of Landlock: to try out what older kernels refuse\n";

enum { kMostInherited = 4 };

void fail(const char* what) {
  fprintf(stderr, "earshot-confine: %s: %s\n", what, strerror(errno));
  exit(kCannotConfine);
}

static void refuse(const char* what, const char* received) {
  fprintf(stderr, "earshot-confine: %s but received %s\n%s", what, received == NULL ? "nothing" : received, usage);
  exit(kCannotConfine);
}

static unsigned long long number(const char* text, const char* flag) {
  char* end = NULL;
  errno = 0;
  const unsigned long long value = text == NULL ? 0 : strtoull(text, &end, 10);
  if (text == NULL || *text < '0' || *text > '9' || *end != '\0' || errno != 0) refuse(flag, text);
  return value;
}

static void close_others(unsigned first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0U) == 0) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (long each = first; each < (most > 0 ? most : 65536); each++) close((int)each);
}

static int probe(unsigned user) {
  printf("{\"landlock\":%d,\"seccomp\":%s,\"namespaces\":%s,\"uid\":%s}\n", landlock_version(),
         has_seccomp() ? "true" : "false", has_namespaces() ? "true" : "false", has_user(user) ? "true" : "false");
  return 0;
}

/** Under a number that the program knows. */
static void inherit(const char* folder, int number) {
  const int opened = open(folder, O_PATH | O_DIRECTORY);
  if (opened < 0 || (opened != number && dup2(opened, number) < 0)) fail(folder);
  if (opened != number) close(opened);
}

static bool listed(const char* list, const char* layer) {
  const size_t length = strlen(layer);
  for (const char* at = list; at != NULL && *at != '\0'; at = strchr(at, ','), at = at == NULL ? NULL : at + 1)
    if (strncmp(at, layer, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

/** As much as there is. @param user to become; 0: none */
static const char* best(unsigned user) {
  static char layers[64];
  if (landlock_version() > 0) strcat(layers, "landlock,");
  if (has_namespaces()) strcat(layers, "namespaces,");
  if (*layers == '\0' && has_user(user) && has_seccomp()) strcat(layers, "uid,");
  if (has_seccomp()) strcat(layers, "seccomp,");
  if (*layers != '\0') layers[strlen(layers) - 1] = '\0';
  return layers;
}

static void require_known(const char* list) {
  char copy[64];
  if (list != NULL && strcmp(list, "best") == 0) return;
  if (list == NULL || strlen(list) >= sizeof copy) refuse("expected --layers", list);
  strcpy(copy, list);
  for (char* each = strtok(copy, ","); each != NULL; each = strtok(NULL, ","))
    if (strcmp(each, "landlock") != 0 && strcmp(each, "namespaces") != 0 && strcmp(each, "uid") != 0 &&
        strcmp(each, "seccomp") != 0)
      refuse("expected --layers of landlock, namespaces, uid, seccomp", each);
}

int main(int count, char** arguments) {
  struct policy policy = {.reads = 0, .writes = 0, .erase = NULL, .program = NULL};
  const char* layers = NULL;
  const char* inherited[kMostInherited];
  size_t folders = 0;
  unsigned long long data = 0, addresses = 0, files = 0, keep = 3, user = 0;
  bool log = false;
  int at = 1;
  if ((count == 2 || count == 3) && strcmp(arguments[1], "--probe") == 0)
    return probe(count == 2 ? 0 : (unsigned)number(arguments[2], "expected a user"));
  if (count == 3 && strcmp(arguments[1], "--best") == 0)
    return puts(best((unsigned)number(arguments[2], "expected a user"))) < 0;
  if (count >= 5 && count <= 7 && strcmp(arguments[1], "--try") == 0) {
    struct targets targets = {.outside = arguments[2], .folder = arguments[3], .input = arguments[4], .victim = 0};
    if (count > 5) targets.victim = (int)number(arguments[5], "expected a process");
    if (count > 6) targets.entries = arguments[6];
    return try_everything(&targets);
  }
  for (; at < count && strcmp(arguments[at], "--") != 0; at += 2) {
    const char *flag = arguments[at], *value = at + 1 < count ? arguments[at + 1] : NULL;
    if (value == NULL) refuse("expected a value", flag);
    if (strcmp(flag, "--layers") == 0) {
      layers = value;
    } else if (strcmp(flag, "--read") == 0) {
      if (policy.reads == kMaxPaths) refuse("expected fewer --read", value);
      policy.read[policy.reads++] = value;
    } else if (strcmp(flag, "--write") == 0) {
      if (policy.writes == kMaxPaths) refuse("expected fewer --write", value);
      policy.write[policy.writes++] = value;
    } else if (strcmp(flag, "--erase") == 0) {
      policy.erase = value;
    } else if (strcmp(flag, "--data-bytes") == 0) {
      data = number(value, flag);
    } else if (strcmp(flag, "--address-bytes") == 0) {
      addresses = number(value, flag);
    } else if (strcmp(flag, "--calls") == 0) {
      if (strcmp(value, "log") != 0 && strcmp(value, "refuse") != 0) refuse("expected --calls log or refuse", value);
      log = strcmp(value, "log") == 0;
    } else if (strcmp(flag, "--user") == 0) {
      user = number(value, flag);
    } else if (strcmp(flag, "--inherit") == 0) {
      if (folders == kMostInherited) refuse("expected fewer --inherit", value);
      inherited[folders++] = value;
    } else if (strcmp(flag, "--open-files") == 0) {
      files = number(value, flag);
    } else if (strcmp(flag, "--keep") == 0) {
      keep = number(value, flag);
    } else if (strcmp(flag, "--landlock-at-most") == 0) {
      const unsigned long long version = number(value, flag);
      if (version == 0 || version > INT_MAX) refuse("expected a version of Landlock", value);
      policy.landlock_at_most = (int)version;
    } else {
      refuse("expected an option of this list", flag);
    }
  }
  require_known(layers);
  const bool as_possible = strcmp(layers, "best") == 0;
  if (at + 1 >= count) refuse("expected -- and a program", NULL);
  char** program = arguments + at + 1;
  policy.program = program[0];

  if (listed(layers, "uid") && (user == 0 || user >= UINT32_MAX)) refuse("expected --user for the layer uid", NULL);
  close_others((unsigned)keep);
  for (size_t each = 0; each < folders; each++) inherit(inherited[each], (int)(keep + each));
  if (data > 0) limit(RLIMIT_DATA, data, "memory");
  if (addresses > 0) limit(RLIMIT_AS, addresses, "addresses");
  if (files > 0) limit(RLIMIT_NOFILE, files, "open files");

  // Counted for each user: where that is this process's alone, it bounds its threads.
  if (listed(layers, "uid")) limit(RLIMIT_NPROC, kMostThreads, "threads");

  // Namespaces before the capabilities go that make them for root; filters last, since they refuse what these use.
  if (listed(layers, "namespaces")) restrict_with_namespaces(&policy);
  if (as_possible) try_namespaces(&policy);
  if (listed(layers, "uid")) become_user((unsigned)user);
  // After the namespaces, which hand the limits of their maker on as their own: the kernel's own signals count there.
  limit_what_users_share();
  drop_capabilities();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  if (listed(layers, "landlock") || (as_possible && landlock_version() > 0)) restrict_with_landlock(&policy);
  if (listed(layers, "seccomp") || (as_possible && has_seccomp())) restrict_with_seccomp(log);

  execv(program[0], program);
  fail(program[0]);
}
