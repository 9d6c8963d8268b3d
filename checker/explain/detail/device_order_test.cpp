#include "explain/detail/device_order.h"

#include <gtest/gtest.h>

#include "device/tiny_gpu.h"
#include "trace/recording_builder.h"

namespace explain {
namespace {

using analysis::part_of;
using trace::recording_builder;
using trace::stream_blocking;

/// Whether a kernel in one stream comes before one in another, by number, when `between` happens.
template <typename Between>
bool is_ordered(recording_builder& program, trace::stream_id one, trace::stream_id two, Between between) {
  const auto first = program.launch("first", one);
  between();
  const auto second = program.launch("second", two);
  const auto whole = part_of(program.recording(), "");
  const auto number_of = [&](trace::operation_id id) {
    return static_cast<operation_number>(id - whole.operations.front());
  };
  const class program steps = program_of(whole, device::tiny_gpu());
  return device_order(steps).is_before(number_of(first), number_of(second));
}

TEST(DeviceOrder, IsThatOfTheStream) {
  recording_builder program;
  const auto stream = program.create_stream();
  EXPECT_TRUE(is_ordered(program, stream, stream, [] {}));
}

TEST(DeviceOrder, IsNotBetweenStreamsThatOnlyTheHostKeepsInOrder) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  EXPECT_FALSE(is_ordered(program, one, two, [&] { program.synchronize_stream(one); }));
}

TEST(DeviceOrder, GoesThroughEventsOfAThirdStream) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream(), third = program.create_stream();
  const auto event = program.create_event(), later = program.create_event();
  EXPECT_TRUE(is_ordered(program, one, two, [&] {
    program.record(event, one);
    program.wait(third, event);
    program.record(later, third);
    program.wait(two, later);
  }));
}

TEST(DeviceOrder, TheLegacyDefaultStreamAndBlockingStreamsWaitForEachOther) {
  recording_builder program;
  const auto blocking = program.create_stream(stream_blocking::blocking);
  EXPECT_TRUE(is_ordered(program, program.legacy_stream(), blocking, [] {}));
  recording_builder other;
  const auto non_blocking = other.create_stream(stream_blocking::non_blocking);
  EXPECT_FALSE(is_ordered(other, other.legacy_stream(), non_blocking, [] {}));
}

}  // namespace
}  // namespace explain
