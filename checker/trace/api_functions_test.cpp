#include "trace/api_functions.h"

#include <gtest/gtest.h>

#include <string_view>

namespace trace {
namespace {

TEST(ApiFunctions, EachIsFoundByItsName) {
#define FUNCTION(name, ...) EXPECT_EQ(function_named(#name), api_function::name);
#include "trace/api_functions.inc"
#undef FUNCTION
}

TEST(ApiFunctions, NamesWithoutARowAreOther) {
  EXPECT_EQ(function_named("cudaBindTexture"), api_function::other);
  EXPECT_EQ(function_named("zzz"), api_function::other);
  EXPECT_EQ(function_named(""), api_function::other);
  EXPECT_EQ(name_of(api_function::other), "");
}

TEST(ApiFunctions, OfOtherFunctionsNothingIsAssumed) {
  const api_function_traits& traits = traits_of(api_function::other);
  EXPECT_EQ(traits.effect, call_effect::none);
  EXPECT_EQ(traits.waits_for, wait_target::nothing);
}

TEST(ApiFunctions, WhatWaitsForAStreamOrAnEventNamesOne) {
  for (const api_function function : {api_function::cudaStreamSynchronize, api_function::cudaStreamQuery,
                                      api_function::cudaEventSynchronize, api_function::cudaEventQuery}) {
    const api_function_traits& traits = traits_of(function);
    EXPECT_EQ(traits.names == named_object::stream, traits.waits_for == wait_target::stream) << traits.name;
    EXPECT_EQ(traits.names == named_object::event, traits.waits_for == wait_target::event) << traits.name;
  }
}

}  // namespace
}  // namespace trace
