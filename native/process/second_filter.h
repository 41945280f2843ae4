// The second filter of system calls, which a job adds to itself once its code is loaded. Without Node headers; Linux
// only.
#pragma once

namespace earshot::process {

/**
 * From now on no thread of this process becomes another program or changes its filters: the first filter, which the
 * launcher sets, has to leave both for the start. For good. See native/confine/system-calls.tsv.
 * @returns false where this system has no such filters
 * @throws std::system_error
 */
bool add_second_filter();

}  // namespace earshot::process
