#include "spawn_process.h"

#ifdef __linux__

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace earshot::process {
namespace {

[[noreturn]] void fail(int number, const char* what) { throw std::system_error(number, std::generic_category(), what); }

/** Closed at the end of its scope unless it was released. */
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

class FileActions {
 public:
  FileActions() {
    if (const int failed = posix_spawn_file_actions_init(&actions_)) fail(failed, "posix_spawn_file_actions_init");
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  void open_null(int fd) {
    if (const int failed = posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0))
      fail(failed, "posix_spawn_file_actions_addopen");
  }
  void hand_on(int fd, int as) {
    if (const int failed = posix_spawn_file_actions_adddup2(&actions_, fd, as))
      fail(failed, "posix_spawn_file_actions_adddup2");
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  explicit Attributes(bool session) {
    if (const int failed = posix_spawnattr_init(&attributes_)) fail(failed, "posix_spawnattr_init");
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (session) flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setflags(&attributes_, short(flags));
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/** Above every number that a child's descriptors get, so that none is written over before it is handed on. */
Descriptor out_of_the_way(Descriptor low, int least) {
  if (low.get() >= least) return low;
  Descriptor high(fcntl(low.get(), F_DUPFD_CLOEXEC, least));
  if (high.get() < 0) fail(errno, "fcntl");
  return high;
}

}  // namespace

bool can_spawn_cheaply() { return true; }

Spawned spawn_process(const std::string& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment, int pipes, bool session) {
  constexpr int first = 2;
  FileActions actions;
  const Attributes attributes(session);
  std::vector<Descriptor> ours, theirs;
  actions.open_null(0);
  actions.open_null(1);
  for (int i = 0; i < pipes; i++) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) fail(errno, "socketpair");
    ours.emplace_back(pair[0]);
    theirs.push_back(out_of_the_way(Descriptor(pair[1]), first + pipes));
    // The copy is the only one that stays open when the program starts.
    actions.hand_on(theirs.back().get(), first + i);
  }
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(), pointers(words).data(),
                                 pointers(environment).data());
  if (failed != 0) fail(failed, "posix_spawn");
  Spawned spawned{int(pid), {}};
  for (Descriptor& end : ours) spawned.fds.push_back(end.release());
  return spawned;
}

void take_back(const Spawned& spawned) {
  for (const int fd : spawned.fds) close(fd);
  kill(spawned.pid, SIGKILL);
  reap(spawned.pid);
}

void wait_for_end(int pid) {
  siginfo_t info;
  while (waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

Ending reap(int pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    // Another wait for any child was faster; the exit status is lost.
    if (errno != EINTR) return {-1, SIGKILL};
  }
  if (WIFSIGNALED(status)) return {-1, WTERMSIG(status)};
  return {WEXITSTATUS(status), -1};
}

}  // namespace earshot::process

#else

namespace earshot::process {

bool can_spawn_cheaply() { return false; }
Spawned spawn_process(const std::string&, const std::vector<std::string>&, const std::vector<std::string>&, int, bool) {
  return {-1, {}};
}
void take_back(const Spawned&) {}
void wait_for_end(int) {}
Ending reap(int) { return {-1, -1}; }

}  // namespace earshot::process

#endif
