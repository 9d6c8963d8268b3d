#include "report/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace report {

void expect_golden(const std::string& file_name, std::string_view text) {
  const std::filesystem::path file = std::filesystem::path(STREAMLINGS_GOLDEN_DIR) / file_name;
  const char* update = std::getenv("STREAMLINGS_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }
  std::ifstream in(file, std::ios::binary);
  ASSERT_TRUE(in) << file << " is missing; STREAMLINGS_UPDATE_GOLDEN=1 writes it";
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(text, expected.str()) << "differs from " << file << "; STREAMLINGS_UPDATE_GOLDEN=1 rewrites it";
}

int times_in(std::string_view text, std::string_view part) {
  int times = 0;
  for (std::size_t found = text.find(part); found != std::string_view::npos;
       found = text.find(part, found + 1))
    ++times;
  return times;
}

}  // namespace report
