// Root's powers, as far as a job needs none of them.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void drop_capabilities(void) {
  // A root's command line reads files of other people, as any program of root's would; Landlock still says which.
  const unsigned kept = CAP_DAC_READ_SEARCH;
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) fail("capabilities");
  // Who holds none of them cannot take them out of reach either, and need not: nothing gives them back.
  for (unsigned each = 0; prctl(PR_CAPBSET_READ, each, 0, 0, 0) >= 0; each++)
    if (each != kept && prctl(PR_CAPBSET_DROP, each, 0, 0, 0) != 0 && errno != EPERM) fail("capabilities");
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (unsigned half = 0; half < 2; half++) {
    const unsigned mask = half == 0 ? 1U << kept : 0U;
    data[half].permitted &= mask;
    data[half].effective = data[half].permitted;
    data[half].inheritable = 0;
  }
  if (syscall(SYS_capset, &header, data) != 0) fail("capabilities");
}
