#include "report/wording/names.h"

#include <gtest/gtest.h>

namespace report {
namespace {

TEST(Words, SentencesBeginWithACapital) {
  EXPECT_EQ(capitalized("host-to-device copies wait"), "Host-to-device copies wait");
  EXPECT_EQ(capitalized("kernel scale_all writes it"), "Kernel scale_all writes it");
}

TEST(Words, NamesOfAProgramKeepTheirSpelling) {
  EXPECT_EQ(capitalized("cudaMemcpy was called"), "cudaMemcpy was called");
  EXPECT_EQ(capitalized("host_task() runs"), "host_task() runs");
}

}  // namespace
}  // namespace report
