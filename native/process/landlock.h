// Whether the kernel can fence a process off from files. Without Node headers.
#pragma once

namespace earshot::process {

/** The kernel's version of Landlock; 0 where there is none. native/confine uses it. */
int landlock_version();

}  // namespace earshot::process
