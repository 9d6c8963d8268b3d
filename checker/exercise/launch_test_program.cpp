// The exercise program of launch_test.cpp: does what the environment variable TEST_MODE names.

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "exercise/exercise.h"
#include "exercise/test_backend.h"
#include "trace/run_control.h"

/// The number of the next piece that is sent to the checker at which the limit of CPU time is reached; 0: none.
static int pieces_until_time_is_up = 0;

/// In the place of the C library's.
extern "C" ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  if (pieces_until_time_is_up > 0 && --pieces_until_time_is_up == 0) std::raise(SIGXCPU);
  return syscall(SYS_sendmsg, descriptor, message, flags);
}

namespace {

std::string mode() {
  const char* text = std::getenv("TEST_MODE");
  return text == nullptr ? "" : text;
}

/// Reads the variables as they were when the program began.
bool has_our_variables() {
  std::ifstream file("/proc/self/environ", std::ios::binary);
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (variable.rfind("STREAMLINGS_", 0) == 0) return true;
  }
  return false;
}

/// Stands for a global object of the learner: its constructor runs before main().
struct early_bird {
  bool saw_the_channel = fcntl(3, F_GETFD) != -1 || fcntl(4, F_GETFD) != -1 || fcntl(5, F_GETFD) != -1;

  early_bird() {
    if (mode() == "constructor _Exit") std::_Exit(0);
    if (mode() == "constructor exit") std::exit(0);
    if (mode() == "constructor crash") std::abort();
  }
} early;

void write_garbage(int descriptor) {
  const std::string garbage(4096, 'g');
  [[maybe_unused]] const ssize_t written = write(descriptor, garbage.data(), garbage.size());
}

std::vector<int> open_sockets() {
  std::vector<int> sockets;
  DIR* folder = opendir("/proc/self/fd");
  while (const dirent* item = readdir(folder)) {
    struct stat about {};
    const int number = std::atoi(item->d_name);
    if (item->d_name[0] != '.' && fstat(number, &about) == 0 && S_ISSOCK(about.st_mode))
      sockets.push_back(number);
  }
  closedir(folder);
  return sockets;
}

/// A descriptor for the checker, with no bytes that it could take for its own.
void send_descriptor(int socket) {
  char byte = 'g';
  iovec piece{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* const descriptors = CMSG_FIRSTHDR(&header);
  descriptors->cmsg_level = SOL_SOCKET;
  descriptors->cmsg_type = SCM_RIGHTS;
  descriptors->cmsg_len = CMSG_LEN(2 * sizeof(int));
  const int both[2] = {STDOUT_FILENO, STDERR_FILENO};
  std::memcpy(CMSG_DATA(descriptors), both, sizeof both);
  sendmsg(socket, &header, MSG_NOSIGNAL);
}

/// Starts a process that leaves the session and never ends; returns its id when it is on its way.
pid_t start_daemon() {
  int ready[2];
  if (pipe(ready) != 0) std::abort();
  if (fork() == 0) {
    setsid();
    const pid_t daemon = fork();
    if (daemon != 0) _exit(0);
    const pid_t self = getpid();
    if (write(ready[1], &self, sizeof self) != sizeof self) _exit(1);
    for (;;) pause();
  }
  pid_t daemon = 0;
  if (read(ready[0], &daemon, sizeof daemon) != sizeof daemon) std::abort();
  return daemon;
}

std::int64_t soft_limit(__rlimit_resource resource) {
  rlimit limits{};
  getrlimit(resource, &limits);
  return static_cast<std::int64_t>(limits.rlim_cur);
}

void print_400_megabytes() {
  const std::string megabyte(1 << 20, 'x');
  for (int count = 0; count < 400; ++count) std::fwrite(megabyte.data(), 1, megabyte.size(), stdout);
}

/// As a learner's code does it, which no sanitizer stops before.
__attribute__((no_sanitize("undefined"))) void write_to_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

void never_returns(volatile int& counter) {
  for (;;) counter = counter + 1;
}

const std::map<std::string, std::function<void(exercise::message&)>>& deeds() {
  using message = exercise::message;
  static const std::map<std::string, std::function<void(message&)>> all = {
      {"finish", [](message&) {}},
      {"calibrate", [](message&) {}},
      {"look around",
       [](message& answer) {
         answer.set("saw the channel", std::int64_t{early.saw_the_channel});
         answer.set("has our variables", std::int64_t{has_our_variables()});
         answer.set("has a terminal", std::int64_t{open("/dev/tty", O_WRONLY) != -1});
         answer.set("stdin is empty", std::int64_t{std::getchar() == EOF});
         answer.set("own session", std::int64_t{getsid(0) == getpid()});
         answer.set("cpu limit", soft_limit(RLIMIT_CPU));
         answer.set("core limit", soft_limit(RLIMIT_CORE));
         answer.set("locale", std::string(std::getenv("LC_ALL")));
         answer.set("heap", std::string(std::getenv("GLIBC_TUNABLES")));
       }},
      {"crash", [](message&) { write_to_null(); }},
      {"throw", [](message&) { throw std::runtime_error("nobody catches this"); }},
      {"loop",
       [](message&) {
         volatile int counter = 0;
         never_returns(counter);
       }},
      {"use up the cpu time", [](message&) { std::raise(SIGXCPU); }},
      {"time is up while it reports",
       [](message&) {
         std::signal(SIGXCPU, [](int) { trace::current_run_control()->end_run("cpu_time_limit", ""); });
         pieces_until_time_is_up = 3;
       }},
      {"stop itself", [](message&) { std::raise(SIGSTOP); }},
      {"exit", [](message&) { std::exit(0); }},
      {"print passed and exit",
       [](message&) {
         std::puts("[  PASSED  ] 7 tests.");
         std::exit(0);
       }},
      {"print passed", [](message&) { std::puts("[  PASSED  ] 7 tests."); }},
      {"print to both",
       [](message&) {
         std::fputs("first ", stdout);
         std::fflush(stdout);
         std::fputs("second ", stderr);
         std::fputs("third", stdout);
       }},
      {"flood", [](message&) { print_400_megabytes(); }},
      {"garbage everywhere",
       [](message&) {
         for (int descriptor = 3; descriptor < 1024; ++descriptor) write_garbage(descriptor);
       }},
      {"garbage in sockets",
       [](message&) {
         for (const int socket : open_sockets()) write_garbage(socket);
       }},
      {"descriptors in sockets",
       [](message&) {
         for (const int socket : open_sockets()) send_descriptor(socket);
       }},
      {"close sockets",
       [](message&) {
         for (const int socket : open_sockets()) close(socket);
       }},
      {"leave a daemon", [](message& answer) { answer.set("daemon", std::int64_t{start_daemon()}); }},
      {"leave a daemon and flood",
       [](message&) {
         std::printf("%d\n", start_daemon());
         print_400_megabytes();
       }},
      {"fork and return twice", [](message&) { fork(); }},
      {"kill the parent",
       [](message&) {
         kill(getppid(), SIGKILL);
         for (;;) pause();
       }},
      {"mark again", [](message&) { exercise::begin_learner(); }},
      {"stop the parent",
       [](message&) {
         std::printf("%d %d\n", getppid(), start_daemon());
         std::fflush(stdout);
         kill(getppid(), SIGSTOP);
         for (;;) pause();
       }},
      {"stop the parent and flood",
       [](message&) {
         kill(getppid(), SIGSTOP);
         print_400_megabytes();
       }},
      {"kill the parent and live on",
       [](message&) {
         prctl(PR_SET_PDEATHSIG, 0);
         std::printf("%d %d\n", getpid(), start_daemon());
         std::fflush(stdout);
         kill(getppid(), SIGKILL);
         for (;;) pause();
       }},
      {"large recording", [](message&) { test_backend::plan().operations = 100'000; }},
      {"backend throws", [](message&) { test_backend::plan().finish = test_backend::finish_mode::throws; }},
      {"endless finish",
       [](message&) { test_backend::plan().finish = test_backend::finish_mode::hits_virtual_time_limit; }},
      {"virtual limit",
       [](message&) { test_backend::end_run("virtual_time_limit", "Virtual time reached its limit."); }},
      {"fault", [](message&) { test_backend::end_run("fault", "The host wrote to device memory."); }},
  };
  return all;
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  std::vector<float> output = request.values<float>("input");
  if (mode() == "missing name") request.integer("elements");
  if (mode() == "unread name") return;
  if (mode() == "calibrate")
    answer.set("calibrated.length",
               request.has("calibrated.length") ? request.number("calibrated.length") + 1 : 5.0);
  const std::int64_t factor = request.integer("factor");
  if (mode() == "missing name" || mode() == "unread name") return;
  exercise::begin_learner();
  for (float& element : output) element *= static_cast<float>(factor);
  deeds().at(mode())(answer);
  exercise::end_learner();
  answer.set("output", output);
}
