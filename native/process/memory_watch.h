// Kills a process that exceeds its memory limit. Without Node headers; Linux only.
#pragma once

namespace earshot::process {

/** Does this system have what the watch needs? */
bool can_watch_memory();

/** Memory of a watched process, in bytes. */
struct MemorySeen {
  /** At the last look. */
  unsigned long long used;
  /** Was it killed for its memory? */
  bool ended;
};

/**
 * Watches a child of this process from a thread of its own, which looks whatever the others do. What counts is
 * resident, swapped out, or a page table. The more of its limit a process has used, the more often it is looked at:
 * often enough that one that grows by 4 GiB a second is not a tenth of a second beyond it. One that is beyond is ended
 * by SIGKILL.
 * @returns a number for the calls below; -1: there is no such process
 */
int watch_memory(int pid, unsigned long long limit_bytes);

/** Ends the watch, not the process. Zeros where the number is unknown. */
MemorySeen unwatch_memory(int watched);

}  // namespace earshot::process
