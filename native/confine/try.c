// What a confined program can reach, found out by trying: for `earshot doctor` and the tests. Prints JSON, for each
// attempt the error that refused it, or null where it went through. Nothing that goes through does harm, but to the
// input.
#define _GNU_SOURCE
#include "try.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static const char* first = "";

void report_as(const char* name, const char* refused_by) {
  printf("%s\"%s\":%s%s%s", first, name, refused_by == NULL ? "" : "\"", refused_by == NULL ? "null" : refused_by,
         refused_by == NULL ? "" : "\"");
  first = ",";
}

void report(const char* name, long answer) {
  const int error = errno;
  if (answer >= 0) return report_as(name, NULL);
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
  const char* known = strerrorname_np(error);
  report_as(name, known == NULL ? "unknown" : known);
#else
  char number[32];
  snprintf(number, sizeof number, "error %d", error);
  report_as(name, number);
#endif
}

static long opened(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file;
}

static long made_process(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, NULL, 0);
  return child;
}

/** In a child where there can be one: who is traced stops at its next signal. */
static long traced(void) {
  const pid_t child = fork();
  if (child < 0) return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/** A file that is no program: without a filter it is for the kernel to say so. */
static long became_another(const char* path) {
  char* const nothing[] = {NULL};
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (syscall(SYS_execveat, file, "", nothing, nothing, AT_EMPTY_PATH) < 0 && errno != EPERM) return 0;
  closed(file);
  return execve(path, nothing, nothing) < 0 && errno == EPERM ? -1 : 0;
}

static long shared_memory(void) {
  const int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  if (id >= 0) shmctl(id, IPC_RMID, NULL);
  return id;
}

long closed(long file) {
  if (file >= 0) close((int)file);
  return file;
}

/** In pages that are never touched. */
static long mapped(size_t bytes, int flags) {
  void* const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) return -1;
  munmap(memory, bytes);
  return 0;
}

/** Files that may be read must not be emptied: no form of opening, and no path, cuts them. */
static void try_to_cut(const char* outside, const char* input) {
  struct stat facts;
  // To the length that it has.
  report("cut_file", truncate(outside, stat(outside, &facts) == 0 ? facts.st_size : 1));
  report("cut_input", truncate(input, 0));
  report("cut_input_by_reading", closed(syscall(SYS_openat, AT_FDCWD, input, O_RDONLY | O_TRUNC | O_CLOEXEC)));
  // Neither to read nor to write: for ioctl, as the kernel has it.
  report("cut_input_by_neither", closed(syscall(SYS_openat, AT_FDCWD, input, O_ACCMODE | O_TRUNC | O_CLOEXEC)));
  report("cut_input_by_making", closed(syscall(SYS_openat, AT_FDCWD, input, O_CREAT | O_TRUNC | O_CLOEXEC, 0600)));
#ifdef SYS_open
  report("cut_input_by_open", closed(syscall(SYS_open, input, O_RDONLY | O_TRUNC | O_CLOEXEC)));
  report("cut_input_by_open_for_neither", closed(syscall(SYS_open, input, O_ACCMODE | O_TRUNC | O_CLOEXEC)));
  report("cut_input_by_creat", closed(syscall(SYS_creat, input, 0600)));
#endif
  const uint64_t how[3] = {O_RDONLY | O_TRUNC | O_CLOEXEC, 0, 0};
  report("cut_input_by_openat2", closed(syscall(437 /* openat2 */, AT_FDCWD, input, how, sizeof how)));
}

/** Signals that the kernel sends for a descriptor, to a process and of a kind that its holder chooses. */
static void try_to_signal(const char* folder, int victim) {
  const int signal_number = victim > 0 ? SIGKILL : SIGURG;
  int target = victim > 0 ? victim : (int)getppid();
  int on = 1, ends[2];
  if (pipe(ends) != 0) return;
  report("size_of_pipe", fcntl(ends[0], F_SETPIPE_SZ, 1 << 20));
  report("signal_of_descriptor", fcntl(ends[0], F_SETSIG, signal_number));
  report("owner_of_descriptor", fcntl(ends[0], F_SETOWN, target));
  struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = target};
  report("owner_of_descriptor_as_struct", fcntl(ends[0], F_SETOWN_EX, &owner));
  report("signals_by_descriptor", fcntl(ends[0], F_SETFL, O_ASYNC));
  report("signals_by_descriptor_as_ioctl", ioctl(ends[0], FIOASYNC, &on));
  if (write(ends[1], "x", 1) != 1) return;
  fcntl(ends[0], F_SETFL, 0);
  // Of sockets; the three channels of a job are some.
  report("owner_of_channel", ioctl(STDIN_FILENO, FIOSETOWN, &target));
  report("owner_of_channel_as_group", ioctl(STDIN_FILENO, SIOCSPGRP, &target));
  const int watched = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  report("signals_of_a_folder", fcntl(watched, F_NOTIFY, DN_CREATE | DN_MULTISHOT));
  close(watched);
  close(ends[0]);
  close(ends[1]);
}

static char below_folder[4096];
const char* below(const char* folder, const char* name) {
  snprintf(below_folder, sizeof below_folder, "%s/%s", folder, name);
  return below_folder;
}

/** What every job reads must not be held: programs that write such a file would wait. */
static void try_to_hold(const char* input) {
  const int file = open(input, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct flock range = {.l_type = F_RDLCK};
  report("lock_input", flock(file, LOCK_SH | LOCK_NB));
  report("lock_part_of_input", fcntl(file, F_SETLK, &range));
  report("lock_part_of_opened_input", fcntl(file, F_OFD_SETLK, &range));
  report("lease_on_input", fcntl(file, F_SETLEASE, F_RDLCK));
  report("lease_of_writer_on_input", fcntl(file, F_SETLEASE, F_WRLCK));
  fcntl(file, F_SETLEASE, F_UNLCK);
  uint64_t hint = 1;
  report("hint_about_input", fcntl(file, 1036 /* F_SET_RW_HINT */, &hint));
  int flags = 0;
  report("attributes_of_input", ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 ? ioctl(file, FS_IOC_SETFLAGS, &flags) : -1);
  close(file);
}

/** What no walk through the folder sees. */
static void try_to_hide(const char* folder) {
  report("folder_that_is_closed", mkdir(below(folder, "closed"), 0300));
  rmdir(below_folder);
  const long mask = syscall(SYS_umask, 0777);
  report("modes_of_nothing", mask);
  if (mask >= 0) umask((mode_t)mask);
  report("file_without_a_name", opened(folder, O_TMPFILE | O_RDWR));
  report("descriptors_of_its_own", syscall(436 /* close_range */, 1000000, 1000000, 2 /* CLOSE_RANGE_UNSHARE */));
  const int file = open(below(folder, "room"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  report("room_set_aside", fallocate(file, 0, 0, 4096));
  close(file);
  unlink(below_folder);
}

/** Names and activity of others; priorities of others, which no process of this kind has; what others pay for. */
static void try_the_rest(const char* outside, const char* folder) {
  const unsigned unused = 0x7ffffffe;
  unsigned long requests = 0;
  unsigned char page = 0;
  char value[16];
  struct rlimit limit;
  const int watches = inotify_init1(IN_CLOEXEC);
  report("watch_files", watches);
  if (watches >= 0) close(watches);
  report("attribute_of_file", getxattr(outside, "user.try", value, sizeof value));
  report("go_to_a_folder", chdir(folder));
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
  int timer = 0;
  report("timer_with_signals", syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
  report("priority_of_own_disk", syscall(SYS_ioprio_set, 1, 0, (2 << 13) | 4));
  report("priority_of_user", setpriority(PRIO_USER, unused, 0));
  report("priority_of_group", setpriority(PRIO_PGRP, unused, 0));
  report("priority_of_users_disk", syscall(SYS_ioprio_set, 3, unused, (2 << 13) | 4));
  report("larger_stack", getrlimit(RLIMIT_STACK, &limit) == 0 ? setrlimit(RLIMIT_STACK, &limit) : -1);
  report("requests_to_disks", syscall(SYS_io_setup, 1, &requests));
  if (requests != 0) syscall(SYS_io_destroy, requests);
  report("memory_that_is_locked", mlock(&page, 1));
  munlock(&page, 1);
  report("memory_that_may_vanish", mapped(4096, 8 /* MAP_DROPPABLE */ | MAP_ANONYMOUS));
  report("disk_of_all", syncfs(STDIN_FILENO));
  struct msghdr message = {0};
  report("message_with_descriptors", sendmsg(STDIN_FILENO, &message, 0));
  socklen_t size = sizeof watches;
  int host = -1;
  report("descriptor_of_host", getsockopt(STDIN_FILENO, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &host, &size));
  closed(host);
}

int try_everything(const struct targets* targets) {
  const char *outside = targets->outside, *folder = targets->folder;
  char path[4096], own[4096], link_path[4096], made[4096];
  struct stat facts;
  const pid_t parent = getppid();
  snprintf(own, sizeof own, "%s/try", folder);
  snprintf(link_path, sizeof link_path, "%s/try-link", folder);
  snprintf(made, sizeof made, "%s.made", outside);

  // As a job does before it opens its inputs; without filters there is nothing to complete.
  if (syscall(SYS_getpgid, 0) < 0) restrict_after_start();
  printf("{");
  first = "";
  report("write_own_file", opened(own, O_WRONLY | O_CREAT | O_TRUNC));
  report("read_file", opened(outside, O_RDONLY));
  report("write_file", opened(outside, O_WRONLY));
  report("make_file", opened(made, O_WRONLY | O_CREAT | O_EXCL));
  report("remove_file", unlink(made));
  try_to_cut(outside, targets->input);
  report("hard_link", link(outside, link_path));
  unlink(link_path);
  report("symbolic_link", symlink(outside, link_path));
  unlink(link_path);
  report("change_mode", stat(outside, &facts) == 0 ? chmod(outside, facts.st_mode & 07777) : -1);
  report("change_owner", chown(outside, geteuid(), (gid_t)-1));
  snprintf(path, sizeof path, "/proc/%d/environ", parent);
  report("read_environment_of_host", opened(path, O_RDONLY));
  snprintf(path, sizeof path, "/proc/%d/mem", parent);
  report("open_memory_of_host", opened(path, O_RDONLY));
  report("signal_host", kill(parent, 0));
  report("signal_all", kill(-1, 0));
  report("signal_thread_of_host", syscall(SYS_tkill, parent, 0));
  report("signal_of_own_making", syscall(SYS_rt_sigqueueinfo, parent, 0, NULL));
  try_to_signal(folder, targets->victim);
  report("trace", traced());
  report("watch_host", closed(syscall(434 /* pidfd_open */, parent, 0)));
  report("start_process", made_process());
  report("become_another_program", became_another(outside));
  report("further_filters",
         syscall(SYS_seccomp, 1 /* SECCOMP_SET_MODE_FILTER */, 1, NULL) < 0 && errno != EFAULT ? -1 : 0);
  report("own_session", setsid());
  report("tcp_socket", closed(socket(AF_INET, SOCK_STREAM, 0)));
  report("udp_socket", closed(socket(AF_INET6, SOCK_DGRAM, 0)));
  report("unix_socket", closed(socket(AF_UNIX, SOCK_STREAM, 0)));
  report("netlink_socket", closed(socket(AF_NETLINK, SOCK_RAW, 0)));
  report("shared_memory", shared_memory());
  report("memory_beyond_the_bound", mapped((size_t)1 << 40, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE));
  report("memory_that_is_shared", mapped(4096, MAP_SHARED | MAP_ANONYMOUS));
  report("memory_that_grows", mapped(65536, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN));
  report("memory_as_a_file", closed(syscall(SYS_memfd_create, "try", 0U)));
  report("become_root", setuid(0));
  char rings[128] = {0};
  report("io_uring", closed(syscall(425, 1, rings)));
  report("user_namespace", unshare(CLONE_NEWUSER));
  report("mount", mount("none", folder, "tmpfs", 0, NULL) == 0 ? umount(folder) : -1);
  report("keyring", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 0));
  char attributes[128] = {0};
  report("bpf", closed(syscall(SYS_bpf, 0, attributes, sizeof attributes)));
  report("userfaultfd", closed(syscall(SYS_userfaultfd, 0)));
  report("list_of_mounts", syscall(457 /* statmount */, own, own, 10, 0));
  try_to_hold(targets->input);
  try_to_hide(folder);
  try_the_rest(outside, folder);
  try_paths(targets);
  try_room(folder);
  try_shares();
  if (targets->entries != NULL) try_entries(targets->entries);
  try_calls();
  unlink(own);
  printf("}\n");
  return 0;
}
