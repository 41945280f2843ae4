// The parts of the launcher that puts a job process behind bars before Node starts. Linux only.
#ifndef EARSHOT_CONFINE_H
#define EARSHOT_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/** Exit code of a launcher that could not do what it was told: the program was not started. */
enum { kCannotConfine = 125 };

enum { kMaxPaths = 256 };

/** What the program may reach. Paths that do not exist are left out: they cannot be opened either. */
struct policy {
  const char* read[kMaxPaths];
  size_t reads;
  /** Files and folders below may be made, written and removed. */
  const char* write[kMaxPaths];
  size_t writes;
  /** Files and folders below may be removed; NULL: none. */
  const char* erase;
  /** The program, which may be executed. */
  const char* program;
  /** Landlock as kernels had it up to this version; 0: as this kernel has it. */
  int landlock_at_most;
};

/** Prints what failed and why, and ends the launcher. Never returns. */
void fail(const char* what) __attribute__((noreturn));

/** The kernel's Landlock version; 0 where there is none. */
int landlock_version(void);
/** Files and TCP by path and port, signals and abstract sockets by scope, as far as the kernel's version goes. */
void restrict_with_landlock(const struct policy* policy);

bool has_seccomp(void);
/**
 * Calls that no job needs are refused, see system-calls.tsv. Also after `execve`, and for every thread to come.
 * @param log what would be answered EPERM is let through and written into the kernel's log
 */
void restrict_with_seccomp(bool log);
/** As a job does once its code is loaded: no other program, no further filters. */
void restrict_after_start(void);

/** Node, FFmpeg and ONNX Runtime have some thirty on a machine of many cores. */
enum { kMostThreads = 1024 };

/** A limit of the kernel, RLIMIT_... */
struct user_limit {
  int resource;
  /** As in /proc/PID/limits, in one word. */
  const char* name;
  /** What a job may have of it. */
  unsigned long long most;
};
extern const struct user_limit user_limits[];
extern const size_t user_limit_count;

/** Never above what the parent has: only its owner could have raised that. */
void limit(int resource, unsigned long long value, const char* what);
/** What all processes of a user have together. */
void limit_what_users_share(void);
/** In a user namespace of its own, where its threads are counted apart. */
void limit_threads_in_namespace(void);

/** Can namespaces and a root in them be had? Tried in a child. */
bool has_namespaces(void);
/** A root of its own that holds nothing but the paths of the policy. */
void restrict_with_namespaces(const struct policy* policy);
/** The same where it can be had; else the process keeps its root. */
void try_namespaces(const struct policy* policy);

/** Can this process become a user of that number, give files away to it, and end it? Tried in a child. */
bool has_user(unsigned user);
/** A user and a group of this number and no others: other users' files are out of reach. */
void become_user(unsigned user);

/** Drops every capability but reading files of others, which root's own files need. */
void drop_capabilities(void);

/** What is tried, and on what. */
struct targets {
  /** A file that the program may not reach. */
  const char* outside;
  /** Where it works. */
  const char* folder;
  /** A file that it may read and not change. It is emptied where that is not refused. */
  const char* input;
  /** A process to end; 0: the parent, which gets a signal that does nothing. */
  int victim;
  /** A file with paths that are tried for reading, a line each; NULL: none. */
  const char* entries;
};

/** Prints as JSON what refused each attempt to reach what is outside, to change the input, and the rest. */
int try_everything(const struct targets* targets);

#endif
