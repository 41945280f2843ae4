// Bounds the length of the files that this process writes. Without Node headers; POSIX only.
#pragma once

namespace earshot::process {

/** Does this system have such a bound? */
bool can_limit_files();

/**
 * From now on a write past so many bytes of a file fails with EFBIG, and no signal ends the process for it.
 * @param bytes at least 0; negative: as many as this process may have
 * @param for_good it can never be raised again
 * @throws std::system_error
 */
void limit_files(double bytes, bool for_good);

}  // namespace earshot::process
