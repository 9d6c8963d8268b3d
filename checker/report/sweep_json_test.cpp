#include "report/sweep_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/sample_sweep.h"

namespace report {
namespace {

using nlohmann::json;

TEST(SweepJson, WhatIsWrittenIsRead) {
  sweep measured = sample_sweep();
  measured.points.front().is_right = false;
  EXPECT_EQ(sweep_from_json(sweep_json(measured)), measured);
  measured.chosen.reset();
  EXPECT_EQ(sweep_from_json(sweep_json(measured)), measured);
}

TEST(SweepJson, NamesThePointsByTheirParameters) {
  const json object = json::parse(sweep_json(sample_sweep()));
  EXPECT_EQ(object["version"], 1);
  EXPECT_EQ(object["fastest"], (json{{"streams", 4}, {"chunks", 8}}));
  EXPECT_EQ(object["points"][1],
            (json{{"streams", 1}, {"chunks", 2}, {"time_ns", 2'010'000}, {"is_right", true}}));
}

TEST(SweepJson, OtherTextIsRefused) {
  for (const char* text : {"", "{}", "[1]", R"({"version": 2})"})
    EXPECT_THROW(sweep_from_json(text), std::runtime_error) << text;
}

}  // namespace
}  // namespace report
