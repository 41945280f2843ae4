// A user that owns nothing: for root, on kernels without Landlock and without permission for namespaces.
#define _GNU_SOURCE
#include "confine.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** What the launcher needs to change, and its parent to give a folder away, to end the process, and to tidy up. */
static const unsigned needed[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_KILL, CAP_SETGID, CAP_SETUID};

/** errno says why not. Files that the process makes are its group's, too, which has the user's number. */
static bool change(unsigned user) {
  return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
}

bool has_user(unsigned user) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[2];
  if (user == 0 || geteuid() != 0 || syscall(SYS_capget, &header, data) != 0) return false;
  for (size_t each = 0; each < sizeof needed / sizeof *needed; each++)
    if ((data[0].effective & (1U << needed[each])) == 0) return false;
  // In a user namespace most user numbers are unmapped.
  const pid_t child = fork();
  if (child == 0) _exit(change(user) ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void become_user(unsigned user) {
  if (!change(user)) fail("another user");
}
