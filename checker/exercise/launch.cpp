#include "exercise/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "exercise/captured_output.h"
#include "exercise/channel.h"
#include "exercise/incoming.h"
#include "exercise/sealed_bytes.h"
#include "exercise/settings.h"
#include "exercise/source_lines.h"
#include "exercise/unused_results.h"
#include "processes/caught_signals.h"
#include "processes/descriptor.h"
#include "processes/environment.h"
#include "processes/guardian.h"
#include "processes/sandbox.h"

namespace exercise {
namespace {

using clock = std::chrono::steady_clock;
using processes::descriptor;

struct ends {
  descriptor ours;
  descriptor theirs;
};

ends make_channel() {
  int both[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {descriptor(both[0]), descriptor(both[1])};
}

std::vector<std::string> environment_of(const launch_options& options) {
  // The same run for everybody. Threads of clang++'s OpenMP cannot take turns with others. Requests and buffers are megabytes:
  // one heap of huge pages has a 500th of the faults (glibc from 2.35 on; others ignore it).
  std::map<std::string, std::string> variables{
      {"LC_ALL", "C"},
      {"KMP_DEVICE_THREAD_LIMIT", "1"},
      {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.arena_max=1"}};
  if (options.sandbox) variables.insert({{"HOME", "/tmp"}, {"PATH", "/usr/bin:/bin"}, {"TMPDIR", "/tmp"}});
  for (const auto& [name, value] : options.environment) variables[name] = value;
  std::vector<std::string> environment = processes::environment_with(variables, "STREAMLINGS_");
  if (options.sandbox) {
    std::erase_if(environment, [&](const std::string& entry) {
      return !entry.starts_with("CUDA_") && variables.count(entry.substr(0, entry.find('='))) == 0;
    });
  }
  return environment;
}

processes::sandbox_contents contents_of(const launch_options& options) {
  processes::sandbox_contents contents{.readable = options.sandbox->readable,
                                       .hidden = options.sandbox->hidden};
  contents.readable.push_back(options.program);
  if (!options.backend.profile.empty()) contents.readable.push_back(options.backend.profile);
  return contents;
}

trace::backend_settings settings_of(const launch_options& options) {
  trace::backend_settings settings = options.backend;
  settings.virtual_time_limit = options.limits.virtual_time;
  settings.reports_progress = options.on_progress != nullptr;
  return settings;
}

/// Gets the next bytes, at most `space`, and what descriptors come with them; the result is that of recvmsg().
ssize_t receive(int socket, std::string& space, std::vector<descriptor>& descriptors) {
  iovec piece{space.data(), space.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t length = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (length < 0) return length;
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    std::vector<int> numbers((each->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(numbers.data(), CMSG_DATA(each), numbers.size() * sizeof(int));
    for (const int number : numbers) descriptors.emplace_back(number);
  }
  return length;
}

std::string seconds_text(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  if (time.count() % 1000 != 0) text += "." + std::to_string(1000 + time.count() % 1000).substr(1);
  while (text.find('.') != std::string::npos && text.back() == '0') text.pop_back();
  return text + (text == "1" ? " second" : " seconds");
}

std::string signal_sentence(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "The program read or wrote memory that is not its own (SIGSEGV).";
    case SIGBUS:
      return "The program read or wrote memory that is not there (SIGBUS).";
    case SIGABRT:
      return "The program was aborted (SIGABRT): an exception that nobody caught, a std::thread that was neither joined nor "
             "detached at its end, free() of what malloc() had not given, a failed assertion, or abort().";
    case SIGFPE:
      return "The program did an impossible calculation, such as an integer division by zero (SIGFPE).";
    case SIGILL:
      return "The program ran into an instruction that does not exist (SIGILL).";
    default:
      return std::string("The program was ended by a signal: ") + strsignal(signal) + ".";
  }
}

std::map<call, message> by_call(std::vector<message> answers) {
  std::map<call, message> sorted;
  const std::vector<call> calls = calls_for(answers.size());
  if (calls.size() != answers.size()) throw damaged_channel("there is an answer too many or too few");
  for (std::size_t i = 0; i < calls.size(); ++i) sorted[calls[i]] = std::move(answers[i]);
  return sorted;
}

/// The driver makes each mark once; another comes from code that must not judge itself.
void require_marks_once(const trace::recording& recording) {
  std::set<std::string_view> names;
  for (const trace::mark& mark : recording.marks) {
    const bool is_of_part = mark.name.starts_with("begin:") || mark.name.starts_with("end:");
    if (is_of_part && !names.insert(mark.name).second)
      throw damaged_channel("the mark '" + mark.name + "' came twice");
  }
}

/// One run of a program, from start to the outcome.
class run {
 public:
  explicit run(const launch_options& options)
      : options_(options), output_(options.limits.kept_output_bytes) {}

  outcome result() {
    start();
    while (!watch_once()) {
    }
    auto ended = guardian_outcome();
    if (ended && options_.sandbox) ended = processes::sandbox::outcome_inside(*ended);
    outcome_.real_time = clock::now() - start_time_;
    // Nothing is left that could write, so what is there now is all there will be.
    while (!is_stopped() && channel_.is_open() && read_channel()) {
    }
    while (!is_stopped() && output_reader_.is_open() && read_output()) {
    }
    judge(ended);
    outcome_.output = output_.text();
    outcome_.output_was_cut = output_.was_cut();
    return std::move(outcome_);
  }

 private:
  /// Nothing when the guardian did not obey, or was killed by the program.
  std::optional<processes::outcome> guardian_outcome() {
    const bool may_wait = !is_stopped() || (clock::now() < *deadline() && !guardian_->is_stopped());
    if (may_wait) return guardian_->read_outcome();
    guardian_->kill();
    return std::nullopt;
  }

  void start() {
    ends channel = make_channel();
    const descriptor settings(make_sealed(encode_all({message_of(settings_of(options_))})));
    const sealed_requests requests = options_.requests.value_or(sealed_requests({}));
    processes::pipe_ends output;
    processes::start_options program{
        .arguments = {options_.program.string()},
        .environment = environment_of(options_),
        .passed_descriptors = {channel.theirs.number(), settings.number(), requests.descriptor()},
        .cpu_time_limit = options_.limits.cpu_time,
        .cpu_time_beyond = options_.limits.cpu_time_of_last_words,
        .is_exercise = true,
    };
    program.arguments.insert(program.arguments.end(), options_.arguments.begin(), options_.arguments.end());
    if (options_.output == program_output::captured) {
      output = processes::make_pipe();
      fcntl(output.reader.number(), F_SETFL, O_NONBLOCK);
      program.output = program.errors = output.writer.number();
    } else {
      program.input = processes::inherited;
      signals_.emplace({SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH});
    }
    if (options_.sandbox) sandbox_.emplace(program, contents_of(options_));
    channel_ = std::move(channel.ours);
    output_reader_ = std::move(output.reader);
    start_time_ = clock::now();
    guardian_.emplace(program);
  }

  bool is_stopped() const { return stopped_as_.has_value(); }

  /// When nobody waits for the program any longer.
  std::optional<clock::time_point> deadline() const {
    if (is_stopped()) return stop_time_ + options_.limits.grace;
    if (end_order_time_) return *end_order_time_ + options_.limits.grace;
    if (time_is_up_) return *time_is_up_ + options_.limits.last_words;
    if (options_.limits.real_time.count() > 0) return start_time_ + options_.limits.real_time;
    return std::nullopt;
  }

  /// For poll(): until the deadline, rounded up, and to look after the guardian.
  int timeout_milliseconds() const {
    constexpr std::int64_t look_after_guardian = 500;
    std::int64_t timeout = look_after_guardian;
    if (const auto end = deadline())
      timeout = std::min(timeout, std::chrono::ceil<std::chrono::milliseconds>(*end - clock::now()).count());
    return static_cast<int>(std::max<std::int64_t>(timeout, 0));
  }

  /// Waits for something to happen and handles it; true when the guardian has reported, or will not.
  bool watch_once() {
    // Once stopped, only the report is of interest; poll() passes over negative numbers.
    pollfd watched[4] = {{guardian_->descriptor(), POLLIN, 0},
                         {is_stopped() ? -1 : channel_.number(), POLLIN, 0},
                         {is_stopped() ? -1 : output_reader_.number(), POLLIN, 0},
                         {signals_ ? signals_->descriptor() : -1, POLLIN, 0}};
    const int events = poll(watched, 4, timeout_milliseconds());
    if (events < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (watched[0].revents != 0) return true;
    if (watched[1].revents != 0) read_channel();
    if (watched[2].revents != 0) read_output();
    if (watched[3].revents != 0) pass_on(signals_->take());
    if (options_.on_progress && received_.progress())
      options_.on_progress(clock::now() - start_time_, *received_.progress());
    if (events == 0 && guardian_->is_stopped()) {
      stop(ending::crashed, "The program stopped the process that watches over it.");
      return true;
    }
    if (deadline() && clock::now() >= *deadline()) return end_in_time();
    return false;
  }

  /// At the deadline: lets the program say where it stands, then orders the end, or, when that was not obeyed, gives up.
  bool end_in_time() {
    if (is_stopped()) return true;
    if (end_order_time_) {
      stop(ending::crashed, "The program did not end when it was told to.");
    } else if (!time_is_up_) {
      time_is_up_ = clock::now();
      guardian_->send_signal(SIGXCPU);
    } else {
      stop(ending::timed_out, sentence_of_time());
    }
    return false;
  }

  std::string sentence_of_time() const {
    if (!time_is_up_ && options_.limits.cpu_time.count() == 0)
      return "The program was ended by the limit of CPU time under which it was started (ulimit -t).";
    return "The program did not come to an end within " +
           (time_is_up_ ? seconds_text(options_.limits.real_time)
                        : seconds_text(options_.limits.cpu_time) + " of CPU time") +
           ".";
  }

  /// What a terminal does to the programs in its foreground, and what others ask of this process.
  void pass_on(int signal) {
    if (signal == SIGTSTP) {
      guardian_->send_signal(SIGSTOP);
      std::raise(SIGSTOP);
      guardian_->send_signal(SIGCONT);
      return;
    }
    if (signal != 0) guardian_->send_signal(signal);
    if (signal == SIGWINCH || signal == 0) return;
    guardian_->send_signal(SIGCONT);  // a stopped program gets no other signal
    if (signal == SIGTERM || signal == SIGHUP) end_order_time_ = end_order_time_.value_or(clock::now());
  }

  void stop(ending end, std::string detail) {
    if (is_stopped()) return;
    stopped_as_ = end;
    stop_time_ = clock::now();
    outcome_.detail = std::move(detail);
    guardian_->stop();
  }

  void stop_damaged(const damaged_channel& error) {
    stop(ending::channel_damaged,
         std::string("Something else was written into the private channel of the check: ") + error.what() +
             ".");
  }

  /// Takes what is there, at most one piece, so that a program that writes as fast as we read cannot keep us
  /// from the clock; false when there was nothing.
  bool read_channel() {
    std::vector<descriptor> descriptors;
    const ssize_t length = receive(channel_.number(), space_, descriptors);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
    if (length <= 0) {
      channel_.reset();
      return false;
    }
    try {
      for (const descriptor& memory : descriptors) received_.take_answers(memory.number());
      received_.feed(std::string_view(space_).substr(0, static_cast<std::size_t>(length)));
    } catch (const damaged_channel& error) {
      stop_damaged(error);
    }
    return !is_stopped();
  }

  /// The same for what the program prints.
  bool read_output() {
    const ssize_t length = read(output_reader_.number(), space_.data(), space_.size());
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
    if (length <= 0) {
      output_reader_.reset();
      return false;
    }
    output_.add(std::string_view(space_).substr(0, static_cast<std::size_t>(length)));
    if (output_.total_bytes() > options_.limits.output_bytes) {
      stop(ending::output_limit,
           "The program printed more than " + std::to_string(options_.limits.output_bytes) + " bytes.");
    }
    return !is_stopped();
  }

  void judge(const std::optional<processes::outcome>& ended) {
    outcome_.has_begun = received_.has_begun();
    outcome_.is_over_real_time = time_is_up_.has_value();
    if (is_stopped()) {
      outcome_.how = *stopped_as_;
      if (outcome_.how == ending::crashed) outcome_.signal = SIGKILL;
      return;
    }
    if (!ended) {
      return conclude(ending::crashed, "The program killed the process that watched over it.", SIGKILL);
    }
    if (ended->start_error != 0) {
      return conclude(ending::could_not_start, "'" + options_.program.string() + "' could not be started: " +
                                                   std::generic_category().message(ended->start_error) + ".");
    }
    const int signal = ended->signal;
    outcome_.exit_status = signal == 0 ? ended->exit_status : 0;
    try {
      outcome_.answers = by_call(received_.answers());
      outcome_.recording = received_.recording();
      if (outcome_.recording) require_marks_once(*outcome_.recording);
    } catch (const damaged_channel& error) {
      outcome_.answers.clear();
      outcome_.recording.reset();
      stop_damaged(error);
      outcome_.how = ending::channel_damaged;
      return;
    }
    if (outcome_.recording) {
      resolve_source_lines(*outcome_.recording, options_.program, options_.own_sources);
      mark_unused_results(*outcome_.recording);
    }
    const auto& reason = received_.reason();
    if (reason && !reason->sentence.empty())
      return conclude(ending_of(reason->kind), reason->sentence, signal);
    // Before the time, which a program without memory uses up as well: the system looks for pages that it could take back.
    outcome_.has_run_out_of_memory = signal != 0 && sandbox_ && sandbox_->has_run_out_of_memory();
    if (outcome_.has_run_out_of_memory)
      return conclude(ending::crashed, "The program took more memory than its sandbox has.", signal);
    const auto cpu_limit = options_.limits.cpu_time;
    const bool used_its_time = cpu_limit.count() > 0 && ended->cpu_time >= cpu_limit;
    const bool has_said_so = reason && reason->kind == "cpu_time_limit";
    if (has_said_so || signal == SIGXCPU || (signal == SIGKILL && used_its_time)) {
      return conclude(ending::timed_out, sentence_of_time());
    }
    if (signal != 0) return conclude(ending::crashed, signal_sentence(signal), signal);
    if (received_.is_done()) return conclude(ending::finished, "The program came to its end.");
    conclude(ending::ended_early, "The program ended by itself, with exit status " +
                                      std::to_string(outcome_.exit_status) +
                                      ", before the exercise was over.");
  }

  static ending ending_of(std::string_view kind) {
    if (kind == "virtual_time_limit") return ending::virtual_timed_out;
    if (kind == "lesson_broken") return ending::lesson_broken;
    if (kind == "could_not_start") return ending::could_not_start;
    if (kind == "channel_damaged") return ending::channel_damaged;
    return ending::crashed;
  }

  void conclude(ending end, std::string detail, int signal = 0) {
    outcome_.how = end;
    outcome_.detail = std::move(detail);
    outcome_.signal = signal;
  }

  const launch_options& options_;
  captured_output output_;
  std::string space_ = std::string(256 << 10, '\0');
  incoming received_;
  descriptor channel_;
  descriptor output_reader_;
  std::optional<processes::sandbox> sandbox_;
  std::optional<processes::guardian> guardian_;
  /// Only where the program has the caller's terminal.
  std::optional<processes::caught_signals> signals_;
  clock::time_point start_time_;
  clock::time_point stop_time_;
  /// Of SIGTERM or SIGHUP, which the program may obey in its own way.
  std::optional<clock::time_point> end_order_time_;
  /// When the real time was over, and the program was asked where it stands.
  std::optional<clock::time_point> time_is_up_;
  std::optional<ending> stopped_as_;
  outcome outcome_;
};

}  // namespace

sealed_requests::sealed_requests(const std::vector<message>& of_calls) {
  const auto close_it = [](const int* number) {
    close(*number);
    delete number;
  };
  descriptor_.reset(new int(make_sealed(encode_all(of_calls))), close_it);
}

outcome launch(const launch_options& options) { return run(options).result(); }

}  // namespace exercise
