#pragma once

#include <vector>

namespace earshot::process {

/** Numbers of this process's threads that the system schedules in real time. None where /proc cannot be read. */
std::vector<int> real_time_threads();

/** Schedules a thread of this process as usual again; does nothing where that is refused. */
void end_real_time(int thread);

}  // namespace earshot::process
