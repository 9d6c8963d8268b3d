#include "exercise/test_backend.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "trace/recorder.h"
#include "trace/run_control.h"

namespace test_backend {
namespace {

class recorder : public trace::recorder {
 public:
  void mark(std::string_view name) override {
    recording_.marks.push_back({std::string(name), trace::nanoseconds(recording_.marks.size() * 10), 0, 0});
  }

  trace::recording finish() override {
    if (plan().finish == finish_mode::throws) throw std::logic_error("the test backend is broken");
    if (plan().finish == finish_mode::hits_virtual_time_limit) {
      end_run("virtual_time_limit", "Virtual time reached its limit.");
    }
    recording_.backend = "test";
    recording_.devices.emplace_back();
    recording_.streams.emplace_back().id = 1;
    for (std::size_t index = 1; index <= plan().operations; ++index) {
      trace::operation done;
      done.id = static_cast<trace::operation_id>(index);
      done.name = "kernel";
      done.stream = 1;
      done.start = trace::nanoseconds(index);
      done.end = trace::nanoseconds(index + 1);
      recording_.operations.push_back(std::move(done));
    }
    return recording_;
  }

 private:
  trace::recording recording_;
};

}  // namespace

plan_type& plan() {
  static plan_type only;
  return only;
}

void end_run(std::string_view kind, std::string_view sentence) {
  trace::current_run_control()->end_run(kind, sentence);
  std::abort();
}

}  // namespace test_backend

trace::recorder& trace::backend_recorder() {
  static test_backend::recorder only;
  return only;
}
