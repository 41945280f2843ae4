// Starts a process at a cost that does not grow with this one's memory: Node's own way copies the page tables, which
// takes 3 ms of processor time for each 100 MB, and this process may be a service that holds gigabytes.
#pragma once

#include <string>
#include <vector>

namespace earshot::process {

/** Linux. Others: Node's own way is as cheap there (macOS), or the only one. */
bool can_spawn_cheaply();

struct Spawned {
  int pid;
  /** This side of the child's descriptors 2, 3, ...: sockets, closed in what is started later. */
  std::vector<int> fds;
};

/**
 * Descriptors 0 and 1 of the child are /dev/null; `pipes` sockets follow from 2 on; nothing else is handed on but what
 * this process keeps open on purpose. No signal is blocked or ignored in it.
 * @param session a session of its own
 * @throws std::system_error with the system's number
 */
Spawned spawn_process(const std::string& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment, int pipes, bool session);

/** Undoes a spawn that cannot be watched: closes this side, kills the child and reaps it. */
void take_back(const Spawned& spawned);

/** How a process ended: by itself with a code, or by a signal; the other one is -1. */
struct Ending {
  int code;
  int signal;
};

/** Blocks until the child has ended and leaves it to be reaped, so that its number stays its own. */
void wait_for_end(int pid);
/** Reaps a process that has ended. */
Ending reap(int pid);

}  // namespace earshot::process
