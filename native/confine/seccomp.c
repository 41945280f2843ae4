// The system calls that a job has no use for. A list of what is refused, with everything newer than the list: Node and
// FFmpeg use half of the rest, and another half with their next versions.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCH AUDIT_ARCH_RISCV64
#endif

/** The newest call that this list was made for (file_getattr and file_setattr, Linux 6.17). */
enum { kNewestKnown = 469 };

#define CALL_MAX_RULES 1024

static struct sock_filter filter[CALL_MAX_RULES];
static unsigned short length;

static void emit(uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
  if (length == CALL_MAX_RULES) {
    errno = E2BIG;
    fail("seccomp");
  }
  filter[length++] = (struct sock_filter){.code = code, .jt = yes, .jf = no, .k = value};
}

static void load(uint32_t offset) { emit(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void answer(uint32_t action) { emit(BPF_RET | BPF_K, action, 0, 0); }
static uint32_t error_of(int number) { return SECCOMP_RET_ERRNO | ((uint32_t)number & SECCOMP_RET_DATA); }

/** `answer_with` for this call, whatever its arguments. */
static void refuse(uint32_t call, uint32_t answer_with) {
  emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
  answer(answer_with);
}

/** Offset of the low word of an argument: 0 and up. */
static uint32_t argument(int index) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)index + 4);
#else
  return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)index);
#endif
}

/** The call only with one of these two values as its argument; else EPERM. */
static void only_with(uint32_t call, int index, uint32_t one, uint32_t other) {
  emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5);
  load(argument(index));
  emit(BPF_JMP | BPF_JEQ | BPF_K, one, 2, 0);
  emit(BPF_JMP | BPF_JEQ | BPF_K, other, 1, 0);
  answer(error_of(EPERM));
  answer(SECCOMP_RET_ALLOW);
}

/** The call only where these bits of its argument are so; else that answer. Further rules for it may follow. */
static void require(uint32_t call, int index, uint32_t mask, uint32_t value, uint32_t answer_with) {
  emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5);
  load(argument(index));
  emit(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  emit(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
  answer(answer_with);
  load(offsetof(struct seccomp_data, nr));
}

/** What a job does with descriptors; not: locks, leases, sizes of pipes, hints, and who gets signals for it. */
static const uint32_t descriptor_commands[] = {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC};

/**
 * Terminals are asked whether they are some, and channels made not to wait. Not: who gets signals for a descriptor,
 * input pushed into a terminal, attributes of files, devices.
 */
static const uint32_t device_commands[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};

/** Allows these values of the argument that was loaded, and goes on with the others. */
static void allow_among(const uint32_t* values, size_t count) {
  for (size_t each = 0; each < count; each++) {
    emit(BPF_JMP | BPF_JEQ | BPF_K, values[each], 0, 1);
    answer(SECCOMP_RET_ALLOW);
  }
}

/** Flags of a descriptor are set but for O_ASYNC, which sends signals, of any kind and to any process of the user. */
static void refuse_signals_of_descriptors(void) {
  const size_t count = sizeof descriptor_commands / sizeof *descriptor_commands;
  emit(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, (uint8_t)(1 + 2 * count + 5));
  load(argument(1));
  allow_among(descriptor_commands, count);
  emit(BPF_JMP | BPF_JEQ | BPF_K, F_SETFL, 0, 3);
  load(argument(2));
  emit(BPF_JMP | BPF_JSET | BPF_K, O_ASYNC, 1, 0);
  answer(SECCOMP_RET_ALLOW);
  answer(error_of(EPERM));
}

static void refuse_devices(void) {
  const size_t count = sizeof device_commands / sizeof *device_commands;
  emit(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, (uint8_t)(1 + 2 * count + 1));
  load(argument(1));
  allow_among(device_commands, count);
  answer(error_of(EPERM));
}

/** Limits are read; of its own files' number and length they are set, too. A larger stack is memory. */
static void refuse_limits(void) {
  emit(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 9);
  // The new limit: a pointer, of which both words count.
  load(argument(2));
  emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
  load(argument(2) ^ 4);
  emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0);
  load(argument(1));
  emit(BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_NOFILE, 2, 0);
  emit(BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_FSIZE, 1, 0);
  answer(error_of(EPERM));
  load(offsetof(struct seccomp_data, nr));
}

/** Kinds of its channels; not: a descriptor of the process at the other end. */
static void refuse_peers(void) {
  static const uint32_t asked[] = {SO_TYPE, SO_ERROR, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN};
  const size_t count = sizeof asked / sizeof *asked;
  require(SYS_getsockopt, 1, UINT32_MAX, SOL_SOCKET, error_of(EPERM));
  emit(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsockopt, 0, (uint8_t)(1 + 2 * count + 1));
  load(argument(2));
  allow_among(asked, count);
  answer(error_of(EPERM));
}

/** What a walk through its folder would not see, or not count. */
static void refuse_hiding(void) {
  const uint32_t own = S_IRWXU;
  require(SYS_mkdirat, 2, own, own, error_of(EPERM));
#ifdef SYS_mkdir
  require(SYS_mkdir, 1, own, own, error_of(EPERM));
#endif
  require(SYS_umask, 0, own, 0, error_of(EPERM));
  // As file systems answer that have no such thing: libraries then make a file with a name, and write zeros.
  const uint32_t no_name = O_TMPFILE & ~(uint32_t)O_DIRECTORY;
  require(SYS_openat, 2, no_name, 0, error_of(EOPNOTSUPP));
#ifdef SYS_open
  require(SYS_open, 1, no_name, 0, error_of(EOPNOTSUPP));
#endif
  refuse(SYS_fallocate, error_of(EOPNOTSUPP));
}

/**
 * No opening that empties a file without the right to write to it, which Landlock asks for since version 3 only; and
 * none for neither reading nor writing, of which it asks nothing.
 */
static void refuse_cutting(uint32_t call, int flags) {
  emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 7);
  load(argument(flags));
  emit(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE, 0, 0);
  emit(BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC | O_RDONLY, 2, 0);
  emit(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE, 0, 0);
  emit(BPF_JMP | BPF_JEQ | BPF_K, O_ACCMODE, 0, 1);
  answer(error_of(EPERM));
  answer(SECCOMP_RET_ALLOW);
}

static const uint32_t refused[] = {
// Other processes: their memory, descriptors, signals, priorities, shared memory.
#ifdef SYS_fork
    SYS_fork,
#endif
#ifdef SYS_vfork
    SYS_vfork,
#endif
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_tkill,
    SYS_setpgid,
    SYS_setsid,
    SYS_ioprio_set,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_shmdt,
    SYS_semget,
    SYS_semop,
    SYS_semtimedop,
    SYS_semctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_migrate_pages,
    SYS_move_pages,
    424 /* pidfd_send_signal */,
    434 /* pidfd_open */,
    438 /* pidfd_getfd */,
    // Memory that no limit of this process counts, and that others then lack.
    SYS_memfd_create,
    SYS_mlock,
    SYS_mlock2,
    SYS_mlockall,
    SYS_mincore,
    SYS_msync,
    SYS_remap_file_pages,
    SYS_io_setup,
    SYS_io_submit,
    SYS_setrlimit,
    440 /* process_madvise */,
    448 /* process_mrelease */,
    // Networks. The channels to the engine are open already.
    SYS_socket,
    SYS_socketpair,
    SYS_bind,
    SYS_connect,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_setsockopt,
    // Rings that do what filters refuse.
    425,
    426,
    427 /* io_uring */,
    // The kernel's own doors.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_syslog,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_personality,
    SYS_vhangup,
    SYS_lookup_dcookie,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    443 /* quotactl_fd */,
    447 /* memfd_secret */,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
#ifdef SYS_uselib
    SYS_uselib,
    SYS_ustat,
    SYS__sysctl,
#endif
    // Mounts, namespaces, who one is, the clock, names.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_sethostname,
    SYS_setdomainname,
    428,
    429,
    430,
    431,
    432,
    433,
    442 /* open_tree, move_mount, fs..., mount_setattr */,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_setgroups,
    SYS_capset,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    // What others do, and what makes them wait: watches, locks, the disks' queues.
    SYS_inotify_init1,
    SYS_inotify_add_watch,
#ifdef SYS_inotify_init
    SYS_inotify_init,
#endif
    SYS_flock,
    SYS_sync,
    SYS_syncfs,
    SYS_sync_file_range,
    // Ways to where no path was judged, and what is known of files elsewhere.
    SYS_chdir,
    SYS_fchdir,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_listxattr,
    SYS_llistxattr,
    464,
    465 /* getxattrat, listxattrat */,
    468 /* file_getattr */,
    // What Landlock does not see: owners, modes and attributes of files, links (a process
    // that follows one may be unconfined), handles that bypass paths.
    SYS_fchown,
    SYS_fchownat,
    SYS_fchmodat,
    452 /* fchmodat2 */,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    463,
    466 /* setxattrat, removexattrat */,
    469 /* file_setattr */,
    SYS_utimensat,
    // Cutting by path: Landlock governs it since version 3. Who has a file open for writing has ftruncate.
    SYS_truncate,
    SYS_symlinkat,
    SYS_linkat,
    SYS_mknodat,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
#ifdef SYS_chmod
    SYS_creat,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_symlink,
    SYS_link,
    SYS_mknod,
#endif
};

bool has_seccomp(void) {
  const uint32_t action = SECCOMP_RET_ERRNO;
#ifdef OWN_ARCH
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
  (void)action;
  return false;
#endif
}

void restrict_with_seccomp(void) {
#ifndef OWN_ARCH
  errno = ENOSYS;
  fail("seccomp on this processor");
#else
  const uint32_t self = (uint32_t)getpid();
  load(offsetof(struct seccomp_data, arch));
  emit(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
  answer(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
  // Newer calls, and those of x32, are said not to exist: libraries then take the older ones.
  emit(BPF_JMP | BPF_JGT | BPF_K, kNewestKnown, 0, 1);
  answer(error_of(ENOSYS));
  for (size_t each = 0; each < sizeof refused / sizeof *refused; each++) refuse(refused[each], error_of(EPERM));
  // Its arguments lie in memory, where no filter can read them: libraries then use clone and openat.
  refuse(435 /* clone3 */, error_of(ENOSYS));
  refuse(437 /* openat2 */, error_of(ENOSYS));
  // Copying a file sets the copy's mode to that of the original: said to be done, since it changes nothing of use.
  refuse(SYS_fchmod, error_of(0));

  refuse_hiding();
  refuse_cutting(SYS_openat, 2);
#ifdef SYS_open
  refuse_cutting(SYS_open, 1);
#endif

  // Threads, but no processes; and none with descriptors of its own, which its host would not see.
  require(SYS_clone, 0, CLONE_THREAD | CLONE_FILES, CLONE_THREAD | CLONE_FILES, error_of(EPERM));
  require(436 /* close_range */, 2, 2 /* CLOSE_RANGE_UNSHARE */, 0, error_of(EPERM));

  // Signals, limits and priorities of its own only. It keeps its pid when it becomes the program.
  only_with(SYS_kill, 0, self, self);
  only_with(SYS_tgkill, 0, self, self);
  only_with(SYS_rt_sigqueueinfo, 0, self, self);
  only_with(SYS_rt_tgsigqueueinfo, 0, self, self);
  refuse_limits();
  only_with(SYS_prlimit64, 0, 0, self);
  require(SYS_setpriority, 0, UINT32_MAX, PRIO_PROCESS, error_of(EPERM));
  only_with(SYS_setpriority, 1, 0, self);
  only_with(SYS_sched_setaffinity, 0, 0, self);
  only_with(SYS_sched_setscheduler, 0, 0, self);
  only_with(SYS_sched_setparam, 0, 0, self);
  only_with(SYS_sched_setattr, 0, 0, self);

  // RLIMIT_DATA counts neither what is shared nor what grows downwards like a stack; what is locked, and pages of
  // other sizes, others lack.
  require(SYS_mmap, 3, MAP_TYPE | MAP_GROWSDOWN | MAP_LOCKED | MAP_HUGETLB, MAP_PRIVATE, error_of(EPERM));
  // Pipes of messages belong to the kernel's watches.
  require(SYS_pipe2, 1, ~(uint32_t)(O_CLOEXEC | O_NONBLOCK), 0, error_of(EPERM));

  refuse_signals_of_descriptors();
  refuse_devices();
  refuse_peers();
  answer(SECCOMP_RET_ALLOW);

  const struct sock_fprog program = {.len = length, .filter = filter};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) fail("seccomp");
#endif
}
