// test_backend.h: a backend without a GPU, for the tests of this module: its recording holds what the test
// program asks for.
//
//     test_backend::plan().operations = 100'000;
#pragma once

#include <cstddef>
#include <string_view>

namespace test_backend {

enum class finish_mode { records, throws, hits_virtual_time_limit };

/// What finish() will do; set by the program under test.
struct plan_type {
  std::size_t operations = 0;
  finish_mode finish = finish_mode::records;
};
plan_type& plan();

/// Ends the run as a backend does that cannot go on.
[[noreturn]] void end_run(std::string_view kind, std::string_view sentence);

}  // namespace test_backend
