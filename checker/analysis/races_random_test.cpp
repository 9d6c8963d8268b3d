#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "analysis/brute_force_order.h"
#include "analysis/limits.h"
#include "analysis/ordering.h"
#include "analysis/races.h"
#include "trace/recording_builder.h"

// Random programs, for which every pair of sides is tried one by one.

namespace {

using analysis::host_point;
using analysis::operation_point;
using analysis::race_side;
using trace::answer;
using trace::memory;
using trace::memory_kind;
using trace::recording_builder;

enum class threads { one, two };

trace::access random_access(std::mt19937& random, const memory& block) {
  const std::uint64_t offset = random() % block.length;
  trace::byte_set bytes = trace::byte_set::range(offset, 1 + random() % (block.length - offset));
  if (random() % 3 == 0) bytes = trace::byte_set::range(0, block.length);
  if (random() % 3 == 0)
    bytes = trace::byte_set::from_runs({{random() % 8, 1 + random() % 2, 8, 1 + random() % 7}});
  return {block.allocation, static_cast<trace::access_mode>(random() % 3), bytes};
}

recording_builder random_program(unsigned seed, threads threads, std::size_t more_streams = 0) {
  std::mt19937 random(seed);
  recording_builder program;
  program.divide_into_steps();
  const trace::stream_id of_second_device = program.legacy_stream(1);
  program.on_device(0);
  std::vector<trace::stream_id> streams{
      program.legacy_stream(),     program.create_stream(),
      program.create_stream(),     program.create_stream(trace::stream_blocking::non_blocking),
      program.per_thread_stream(), of_second_device};
  std::vector<trace::event_id> events{program.create_event(), program.create_event()};
  for (std::size_t i = 0; i < more_streams; ++i) {
    streams.push_back(program.create_stream(random() % 8 == 0 ? trace::stream_blocking::blocking
                                                              : trace::stream_blocking::non_blocking));
    events.push_back(program.create_event());
  }
  const memory memories[] = {program.allocate(memory_kind::device, 64),
                             program.allocate(memory_kind::pinned, 64),
                             program.allocate(memory_kind::pageable, 64)};
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  const auto access = [&] { return random_access(random, one_of(memories)); };
  const auto how = [&] {
    return random() % 2 == 0 ? trace::waiting::synchronous : trace::waiting::asynchronous;
  };
  for (std::size_t step = 0; step < 60 + 4 * more_streams; ++step) {
    if (threads == threads::two && random() % 4 == 0) {
      if (random() % 2 == 0) program.pass(2, 1);
      if (random() % 2 == 0) program.pass(1, 2);
      program.on_thread(1 + random() % 2);
    }
    program.on_device(random() % 8 == 0 ? 1 : 0);
    switch (random() % 24) {
      case 0:
      case 1:
        program.record(one_of(events), one_of(streams));
        break;
      case 2:
      case 3:
        program.wait(one_of(streams), one_of(events));
        break;
      case 4:
        program.query_stream(one_of(streams), random() % 2 == 0 ? answer::complete : answer::not_ready);
        break;
      case 5:
        program.query_event(one_of(events), random() % 2 == 0 ? answer::complete : answer::not_ready);
        break;
      case 6:
        program.synchronize_event(one_of(events));
        break;
      case 7:
        if (random() % 4 == 0) program.synchronize_device();
        break;
      case 8:
        program.synchronize_stream(one_of(streams));
        if (random() % 2 == 0) program.fail_last_call(400);
        break;
      case 9:
      case 10:
        program.copy(one_of(memories), one_of(memories), one_of(streams), how());
        break;
      case 11:
        program.set(one_of(memories), one_of(streams), how());
        break;
      case 12: {
        const trace::operation_id function = program.launch_host_function(one_of(streams), {access()});
        if (threads == threads::two && random() % 3 == 0)
          program.pass_to_host_function(1 + random() % 2, function);
        if (random() % 2 == 0) program.touch(function, access());
        if (random() % 2 == 0) program.pass_from_host_function(function, 1);
        if (random() % 2 == 0) program.touch(function, access());
        if (threads == threads::two && random() % 4 == 0)
          program.pass_from_host_function(function, 1 + random() % 2);
        break;
      }
      case 13:
        program.launch_graph(one_of(streams), {{"a", {}, {access()}},
                                               {"b", {0}, {access()}},
                                               {"c", {}, {access()}},
                                               {"d", {random() % 2 == 0 ? 1u : 2u}, {access()}}});
        break;
      case 14:
        program.free(program.allocate(memory_kind::device, 8));
        break;
      case 15:
      case 16:
      case 17:
        program.host_reads(slice(one_of(memories), random() % 60, 1 + random() % 4));
        break;
      case 18:
      case 19:
        program.host_writes(slice(one_of(memories), random() % 60, 1 + random() % 4));
        break;
      default:
        program.launch("kernel", one_of(streams), {access(), access()});
    }
  }
  return program;
}

using side = std::pair<bool, std::size_t>;  // whether it is the host, and its number
using pair_of_sides = std::pair<side, side>;

bool conflict(const trace::access& one, const trace::access& two) {
  const bool is_harmless = one.mode == two.mode && one.mode != trace::access_mode::write;
  return one.allocation == two.allocation && !is_harmless && one.bytes.overlaps(two.bytes);
}

/// A graph launch has none beside those of its nodes.
std::vector<trace::access> accesses_of(const trace::operation& operation) {
  return operation.accesses.value_or(std::vector<trace::access>{});
}

/// Whether the operation reads and writes bytes of that access.
bool updates(const trace::operation& operation, const trace::access& conflict) {
  const auto does = [&](trace::access_mode other_way) {
    const std::vector<trace::access> all = accesses_of(operation);
    return std::any_of(all.begin(), all.end(), [&](const trace::access& access) {
      return access.mode != other_way && access.allocation == conflict.allocation &&
             access.bytes.overlaps(conflict.bytes);
    });
  };
  return does(trace::access_mode::write) && does(trace::access_mode::read);
}

struct racing_pairs {
  std::set<pair_of_sides> racing;
  std::set<pair_of_sides> updates;  // of one stream, which may be right in either order
};

racing_pairs all_racing_pairs(const trace::recording& recording) {
  const analysis::ordering order(recording);
  racing_pairs found;
  std::set<pair_of_sides>& pairs = found.racing;
  for (const trace::operation& two : recording.operations) {
    for (const trace::access& newer : accesses_of(two)) {
      for (const trace::operation& one : recording.operations) {
        for (const trace::access& older : accesses_of(one)) {
          const operation_point first{one.id, older.step};
          const operation_point second{two.id, newer.step};
          if (one.id >= two.id || !conflict(older, newer)) continue;
          if (order.is_before(first, second) || order.is_before(second, first)) continue;
          if (order.is_staged(one.id) && older.mode == trace::access_mode::read &&
              order.source_is_free(one.id, two.id))
            continue;
          const bool is_of_one_stream =
              one.stream == two.stream && one.graph_launch == 0 && two.graph_launch == 0;
          const bool are_updates = is_of_one_stream && updates(one, newer) && updates(two, older);
          (are_updates ? found.updates : pairs).insert({{false, one.id}, {false, two.id}});
        }
      }
      for (std::size_t i = 0; i < recording.host_accesses->size(); ++i) {
        const trace::host_access& host = (*recording.host_accesses)[i];
        const host_point point{host.thread, host.after, host.step};
        const operation_point other{two.id, newer.step};
        if (!conflict(newer, host.access) || order.is_before(other, point) || order.is_before(point, other))
          continue;
        if (order.is_staged(two.id) && newer.mode == trace::access_mode::read &&
            order.source_is_free(two.id, point))
          continue;
        pairs.insert({{true, i}, {false, two.id}});
        pairs.insert({{false, two.id}, {true, i}});
      }
    }
  }
  for (std::size_t i = 0; i < recording.host_accesses->size(); ++i) {
    for (std::size_t j = 0; j < recording.host_accesses->size(); ++j) {
      const trace::host_access& one = (*recording.host_accesses)[i];
      const trace::host_access& two = (*recording.host_accesses)[j];
      if (one.thread == two.thread || !conflict(one.access, two.access)) continue;
      const host_point first{one.thread, one.after, one.step};
      const host_point second{two.thread, two.after, two.step};
      if (!order.is_before(first, second) && !order.is_before(second, first))
        pairs.insert({{true, i}, {true, j}});
    }
  }
  return found;
}

side side_of(const race_side& side) {
  return side.operation == 0 ? std::pair(true, side.host_access)
                             : std::pair(false, std::size_t{side.operation});
}

/// Whether one side is the other, or is over before it begins.
bool is_same_or_before(const trace::recording& recording, const analysis::ordering& order, side one,
                       side two) {
  const auto point = [&](side host) {
    const trace::host_access& access = recording.host_accesses->at(host.second);
    return host_point{access.thread, access.after, access.step};
  };
  const auto id = [](side operation) { return static_cast<trace::operation_id>(operation.second); };
  if (one == two) return true;
  if (one.first && two.first)
    return point(one).thread == point(two).thread && point(one).after <= point(two).after &&
           point(one).step <= point(two).step;
  if (one.first) return order.is_before(point(one), id(two));
  // Complete, or a copy whose source has been staged by then.
  return two.first ? order.source_is_free(id(one), point(two)) : order.source_is_free(id(one), id(two));
}

/// Every reported pair races, and every racing pair is reported or has a reported one in its place: the same
/// second side, with a first side that comes after the one of the pair. Beyond max_races_of_access of one side, none is missed.
void expect_same_races(const trace::recording& recording, unsigned seed) {
  const auto [racing, updates] = all_racing_pairs(recording);
  const analysis::ordering order(recording);
  std::set<pair_of_sides> reported;
  std::multimap<side, side> first_of;  // by second side, taken both ways
  const auto races = analysis::find_races(analysis::part_of(recording, ""));
  for (const analysis::race& race : races.value()) {
    const pair_of_sides pair{side_of(race.first), side_of(race.second)};
    EXPECT_TRUE(racing.contains(pair)) << "seed " << seed;
    EXPECT_TRUE(reported.insert(pair).second) << "seed " << seed << ": reported twice";
    first_of.insert({pair.second, pair.first});
    first_of.insert({pair.first, pair.second});
  }
  for (const auto& [first, second] : updates) first_of.insert({second, first});
  const auto is_replaced = [&](side first, side second) {
    const auto [begin, end] = first_of.equal_range(second);
    return std::any_of(begin, end, [&](const auto& found) {
      return is_same_or_before(recording, order, first, found.second);
    });
  };
  std::map<side, std::size_t> racing_with;
  for (const auto& [first, second] : racing) ++racing_with[second];
  const auto is_beyond_limit = [&](side second) {
    return racing_with[second] >= analysis::max_races_of_access;
  };
  for (const auto& [first, second] : racing) {
    EXPECT_TRUE(is_replaced(first, second) || is_replaced(second, first) || is_beyond_limit(second) ||
                is_beyond_limit(first))
        << "seed " << seed;
  }
}

/// Every question that can be asked of the order has the answer of the definition.
void expect_same_order(const trace::recording& recording, unsigned seed) {
  const analysis::ordering order(recording);
  const analysis::brute_force_order definition(recording);
  std::vector<host_point> points;
  for (const trace::host_access& access : *recording.host_accesses)
    points.push_back({access.thread, access.after, access.step});
  std::size_t differences = 0;
  std::vector<operation_point> steps;
  for (const trace::operation& operation : recording.operations) {
    for (const trace::access& access : accesses_of(operation)) steps.push_back({operation.id, access.step});
  }
  for (const operation_point& one : steps) {
    for (const operation_point& two : steps) {
      if (one.operation < two.operation)
        differences += order.is_before(one, two) != definition.is_before(one, two);
    }
    for (const host_point& point : points) {
      differences += order.is_before(one, point) != definition.is_before(one, point);
      differences += order.is_before(point, one) != definition.is_before(point, one);
    }
  }
  for (const trace::operation& one : recording.operations) {
    for (const trace::operation& two : recording.operations) {
      if (one.id < two.id)
        differences += order.is_before(one.id, two.id) != definition.is_before(one.id, two.id);
    }
    for (const host_point& point : points) {
      differences += order.is_before(one.id, point) != definition.is_before(one.id, point);
      differences += order.is_before(point, one.id) != definition.is_before(point, one.id);
      if (order.is_staged(one.id)) {
        const bool is_free =
            definition.is_before(one.id, point) || definition.has_returned(one.issued_by, point);
        differences += order.source_is_free(one.id, point) != is_free;
      }
    }
  }
  for (const host_point& one : points) {
    for (const host_point& two : points) {
      if (one.thread != two.thread)
        differences += order.is_before(one, two) != definition.is_before(one, two);
    }
  }
  EXPECT_EQ(differences, 0u) << "seed " << seed;
}

/// The numbers of the first program and of programs; checker/tools/random_orders.sh asks for other ones.
unsigned number_from(const char* variable, unsigned otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(value, nullptr, 10));
}

void expect_same_in_random_programs(threads threads, std::size_t more_streams = 0) {
  const unsigned first = number_from("STREAMLINGS_RANDOM_SEED", 1);
  const unsigned count = number_from("STREAMLINGS_RANDOM_PROGRAMS", 1000) / (more_streams == 0 ? 2 : 20);
  std::size_t racing = 0;
  for (unsigned seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    const recording_builder program = random_program(seed, threads, more_streams);
    expect_same_order(program.recording(), seed);
    racing += all_racing_pairs(program.recording()).racing.size();
    expect_same_races(program.recording(), seed);
  }
  EXPECT_GT(racing, count);
}

TEST(RacesRandom, OneHostThreadGivesTheOrderOfTheDefinitionAndTheRacesOfEveryPair) {
  expect_same_in_random_programs(threads::one);
}

TEST(RacesRandom, TwoHostThreadsGiveTheOrderOfTheDefinitionAndTheRacesOfEveryPair) {
  expect_same_in_random_programs(threads::two);
}

TEST(RacesRandom, ManyStreamsGiveTheOrderOfTheDefinitionAndTheRacesOfEveryPair) {
  expect_same_in_random_programs(threads::two, 70);
}

}  // namespace
