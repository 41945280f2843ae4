#pragma once

namespace earshot::process {

/**
 * Gives memory that the allocator holds and nothing uses back to the system: a few milliseconds. glibc keeps pages
 * between pieces that are in use for ever.
 */
void free_unused_memory();

}  // namespace earshot::process
