// What the parts of `--try` share.
#ifndef EARSHOT_CONFINE_TRY_H
#define EARSHOT_CONFINE_TRY_H

#include "confine.h"

/** Prints the outcome of an attempt: below 0, errno says what refused it. */
void report(const char* name, long answer);
/** An attempt that went through or not, whatever errno says. */
void report_as(const char* name, const char* refused_by);
/** The path of a name in a folder, until the next call. */
const char* below(const char* folder, const char* name);
/** Closes what was opened. @returns the same: below 0 it was refused */
long closed(long file);

/** Names and facts of files that the program may not read, and ways to them that no path judges. */
void try_paths(const struct targets* targets);
/** What a walk through its folder does not see, and memory that is only reserved. Its host counts these. */
void try_room(const char* folder);
/** What the kernel counts for each user: signals, limits, pipes, watches. */
void try_shares(void);
/** What the process reads of `paths`, a line each: "proc_self_net_tcp" is /proc/self/net/tcp. */
void try_entries(const char* paths);
/** Every call that the table refuses, or a line for all of them where no filter of system calls is in force. */
void try_calls(void);

#endif
