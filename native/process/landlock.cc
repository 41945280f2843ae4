#include "landlock.h"

#ifdef __linux__

#include <unistd.h>

namespace earshot::process {

int landlock_version() {
  // landlock_create_ruleset without a ruleset and with the flag that asks for the version; newer than many headers.
  const long version = syscall(444, nullptr, 0, 1U);
  return version > 0 ? int(version) : 0;
}

}  // namespace earshot::process

#else

namespace earshot::process {

int landlock_version() { return 0; }

}  // namespace earshot::process

#endif
