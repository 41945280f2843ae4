// Ends a process whose parent has died. Without Node headers; POSIX only.
#pragma once

#include <string>

namespace earshot::process {

/** Does this system have what the watch needs? Linux and macOS. */
bool can_watch_parent();

/**
 * Starts a thread that looks every `poll_ms` whether `parent` is still the parent of this process. Once it is not, the
 * folder of `set_watched_folder` is removed with all that is in it, and the process ends by SIGKILL: the thread runs
 * whatever the others do, also while they are deep in a native loop. Once in the life of a process; more calls do
 * nothing.
 * @param report_fd where the bytes in use are written at every look, as text, a line each; -1: nowhere
 */
void watch_parent(int parent, int poll_ms, int report_fd);

/** What is removed at the end; empty: nothing. */
void set_watched_folder(const std::string& folder);

}  // namespace earshot::process
