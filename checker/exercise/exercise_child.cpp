#include "exercise/exercise_child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "exercise/channel.h"
#include "exercise/sealed_bytes.h"
#include "exercise/settings.h"
#include "trace/recorder.h"
#include "trace/recording_bytes.h"
#include "trace/run_control.h"

namespace exercise_child {
namespace {

using exercise::part;

constinit int channel = -1;
constinit const exercise::sealed_bytes* requests = nullptr;
constinit pid_t owner = 0;  // a process that the learner forks inherits the channel but must not use it
constinit std::atomic<pid_t> sender = 0;  // the thread that reports the end of this run

bool is_connected() { return channel >= 0 && getpid() == owner; }

/// A number that programs which close or write "all" descriptors seldom reach, and that no child process inherits.
int moved_to_high_number(int descriptor) {
  constexpr rlim_t highest = 32768;  // the kernel's table of descriptors grows with the highest number
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t numbers = std::min(limit.rlim_cur, highest);
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, static_cast<int>(numbers > 64 ? numbers - 64 : 3));
  if (moved < 0) {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
  }
  close(descriptor);
  return moved;
}

exercise::frame_writer& to_checker() {
  static exercise::frame_writer& writer = *new exercise::frame_writer(channel);
  return writer;
}

/// A signal in between could make this thread report the end of the run.
void report_progress(const trace::progress& progress) {
  if (!is_connected()) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    to_checker().write_part(part::progress, exercise::message_of(progress).encode());
  } catch (const std::system_error&) {
    // Whoever asked has gone.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Runs before the constructors of the learner's objects, which must not find the channel.
__attribute__((constructor(101))) void take_over_channel() {
  if (!exercise::is_sealed(exercise::settings_number) || !exercise::is_sealed(exercise::requests_number))
    return;
  channel = moved_to_high_number(exercise::channel_number);
  owner = getpid();
  try {
    const trace::backend_settings settings = exercise::settings_of(
        exercise::decode_all(exercise::sealed_bytes(exercise::settings_number).all()).at(0));
    requests = new exercise::sealed_bytes(exercise::requests_number);
    close(exercise::settings_number);
    close(exercise::requests_number);
    trace::set_run_control({settings, &fail, settings.reports_progress ? &report_progress : nullptr});
    to_checker().write_part(part::begun, "");
  } catch (const std::exception& error) {
    fail("could_not_start", std::string("The request did not reach the program: ") + error.what() + ".");
  }
}

enum class claim { ours, ours_again };

/// A limit of time that is reached in the middle of the report would cut it off; the checker sees to it that it ends.
void block_time_limit() {
  sigset_t limit;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXCPU);
  pthread_sigmask(SIG_BLOCK, &limit, nullptr);
}

/// Only the first thread that comes here reports; every other one stops until the process ends.
claim claim_the_report() {
  pid_t nobody = 0;
  if (sender.compare_exchange_strong(nobody, gettid())) {
    block_time_limit();
    return claim::ours;
  }
  while (nobody != gettid()) pause();
  return claim::ours_again;
}

void flush_output() {
  const std::ios_base::Init streams;  // before the constructors of this library there are none
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
}

void send_recording(exercise::frame_writer& writer, const trace::recording& recording) {
  exercise::part_streambuf buffer(writer, part::recording);
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit);  // without it the stream would swallow a failure to send
  trace::write_bytes(out, recording);
  buffer.close();
}

void send_failure(exercise::frame_writer& writer, std::string_view kind, std::string_view sentence) {
  writer.write_part(part::failure, std::string(kind) + '\n' + std::string(sentence));
}

[[noreturn]] void end_by_signal(int number) {
  std::signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(number);
  _exit(1);
}

[[noreturn]] void end_process_after_failure(std::string_view kind) {
  constexpr std::string_view of_signals = "signal ";
  if (kind == "fault") end_by_signal(SIGSEGV);
  if (kind.starts_with(of_signals)) end_by_signal(std::atoi(kind.data() + of_signals.size()));
  _exit(1);
}

void send_everything(exercise::frame_writer& writer, const std::vector<exercise::message>& answers) {
  // Not destroyed: the process ends, and that would take as long as sending it.
  const trace::recording& recording = *new trace::recording(trace::backend_recorder().finish());
  if (!answers.empty()) {
    const int memory = exercise::make_sealed(exercise::encode_all(answers));
    writer.write(part::answer, "", true, memory);
    close(memory);
  }
  send_recording(writer, recording);
  flush_output();
  writer.write_part(part::done, "");
}

/// Sends all that a run gives. When that fails it is not the learner's mistake, so the checker is told so, if
/// it can be.
void report_end(const std::vector<exercise::message>& answers) {
  claim_the_report();
  exercise::frame_writer& writer = to_checker();
  try {
    send_everything(writer, answers);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "streamlings: the result of this run could not be sent: %s\n", error.what());
    _exit(1);
  } catch (const std::exception& error) {
    send_failure(writer, "lesson_broken",
                 std::string("The recording could not be made: ") + error.what() + ".");
    _exit(1);
  }
}

void send_recording_of_own_main() {
  if (is_connected()) report_end({});
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
  return list;
}

/// In a namespace of this file, so that no other finds it.
class tools_of_library final : public exercise::driver_tools {
 public:
  exercise::call current_call() const override { return current; }
  void mark(std::string_view name) const override { trace::backend_recorder().mark(name); }
  void name_stream(const void* stream, std::string_view name) const override {
    trace::backend_recorder().name_stream(stream, name);
  }
  void name_memory(const void* begin, std::size_t bytes, std::string_view name) const override {
    trace::backend_recorder().name_memory(begin, bytes, name);
  }

  exercise::call current = exercise::call::repeated;
};

/// What the first call measured of the machine is handed to the later ones, which are to do the same.
std::vector<exercise::message> answers_of(drive_function drive, std::vector<exercise::message>& requests,
                                          tools_of_library& tools) {
  std::vector<exercise::message> answers;
  const auto drive_once = [&](exercise::call now, exercise::message& request) {
    tools.current = now;
    if (!answers.empty()) request.take_calibration(answers.front());
    drive(request, answers.emplace_back());
  };
  const std::vector<exercise::call> calls = exercise::calls_for(requests.size());
  for (std::size_t i = 0; i < calls.size(); ++i) drive_once(calls[i], requests[i]);
  return answers;
}

}  // namespace

int run(drive_function drive, tools_function take_tools) {
  if (!is_connected()) {
    std::fputs("This program is one half of an exercise; it is started by `streamlings check`.\n", stderr);
    return 2;
  }
  std::vector<exercise::message> decoded;
  try {
    decoded = exercise::decode_all(requests->all());
    delete std::exchange(requests, nullptr);
  } catch (const std::exception& error) {
    fail("channel_damaged", std::string("The request did not reach the exercise: ") + error.what() + ".");
  }
  std::vector<exercise::message> answers;
  trace::backend_recorder();  // that it cannot start is told before anything of the learner runs
  try {
    static tools_of_library tools;
    take_tools(tools);
    answers = answers_of(drive, decoded, tools);
  } catch (const exercise::missing_name& error) {
    fail("lesson_broken",
         std::string("drive() asked for a name that the request does not hold: ") + error.what() + ".");
  }
  if (!is_connected()) {
    flush_output();
    _exit(0);
  }
  for (const exercise::message& request : decoded) {
    const auto unread = request.unread_names();
    if (unread.empty()) continue;
    fail("lesson_broken", "drive() did not read everything in the request: " + list_of(unread) + ".");
  }
  report_end(answers);
  _exit(0);
}

void send_recording_at_exit() {
  if (!is_connected()) return;
  trace::backend_recorder();  // made before the handler is registered, so that it is still there when the
                              // handler runs
  std::atexit(&send_recording_of_own_main);
}

void fail(std::string_view kind, std::string_view sentence) {
  if (!is_connected()) {
    std::cerr << sentence << '\n';
    end_process_after_failure(kind);
  }
  // Called again by the thread that reports: the recorder failed while it finished, so there is no recording
  // to send.
  const bool has_recording = claim_the_report() == claim::ours && kind != "could_not_start";
  flush_output();
  exercise::frame_writer& writer = to_checker();
  try {
    if (has_recording) send_recording(writer, trace::backend_recorder().finish());
  } catch (const std::exception& error) {
    std::cerr << "streamlings: the recording is lost: " << error.what() << '\n';
  }
  try {
    send_failure(writer, kind, sentence);
  } catch (const std::system_error&) {
    std::cerr << sentence << '\n';
  }
  end_process_after_failure(kind);
}

}  // namespace exercise_child
