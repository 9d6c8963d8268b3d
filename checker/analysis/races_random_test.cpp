#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "analysis/ordering.h"
#include "analysis/races.h"
#include "analysis/recording_builder.h"

// Random programs, for which every pair of sides is tried one by one.

namespace {

using analysis::answer;
using analysis::host_point;
using analysis::memory;
using analysis::race_side;
using analysis::recording_builder;
using trace::memory_kind;

enum class threads { one, two };

trace::access random_access(std::mt19937& random, const memory& of) {
  const std::uint64_t offset = random() % of.length;
  trace::byte_set bytes = trace::byte_set::range(offset, 1 + random() % (of.length - offset));
  if (random() % 3 == 0) bytes = trace::byte_set::range(0, of.length);
  if (random() % 3 == 0)
    bytes = trace::byte_set::from_runs({{random() % 8, 1 + random() % 2, 8, 1 + random() % 7}});
  return {of.allocation, static_cast<trace::access_mode>(random() % 3), bytes};
}

recording_builder random_program(unsigned seed, threads threads) {
  std::mt19937 random(seed);
  recording_builder program;
  const trace::stream_id streams[] = {program.legacy_stream(), program.create_stream(),
                                      program.create_stream(),
                                      program.create_stream(trace::stream_blocking::non_blocking)};
  const trace::event_id events[] = {program.create_event(), program.create_event()};
  const memory memories[] = {program.allocate(memory_kind::device, 64),
                             program.allocate(memory_kind::pinned, 64),
                             program.allocate(memory_kind::pageable, 64)};
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  for (int step = 0; step < 60; ++step) {
    if (threads == threads::two && random() % 4 == 0) {
      if (random() % 2 == 0) program.pass(2, 1);
      if (random() % 2 == 0) program.pass(1, 2);
      program.on_thread(1 + random() % 2);
    }
    switch (random() % 12) {
      case 0:
        program.record(one_of(events), one_of(streams));
        break;
      case 1:
        program.wait(one_of(streams), one_of(events));
        break;
      case 2:
        program.query_stream(one_of(streams), random() % 2 == 0 ? answer::complete : answer::not_ready);
        break;
      case 3:
        program.synchronize_event(one_of(events));
        break;
      case 4:
        program.copy(memories[2], memories[0], streams[0], analysis::waiting::synchronous);
        break;
      case 5:
      case 6:
        program.host_reads(part(one_of(memories), random() % 60, 1 + random() % 4));
        break;
      case 7:
        program.host_writes(part(one_of(memories), random() % 60, 1 + random() % 4));
        break;
      default:
        program.launch("kernel", one_of(streams),
                       {random_access(random, one_of(memories)), random_access(random, one_of(memories))});
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

std::set<pair_of_sides> all_racing_pairs(const trace::recording& seen) {
  const analysis::ordering order(seen);
  std::set<pair_of_sides> pairs;
  for (const trace::operation& two : seen.operations) {
    for (const trace::access& newer : *two.accesses) {
      for (const trace::operation& one : seen.operations) {
        for (const trace::access& older : *one.accesses) {
          if (one.id >= two.id || !conflict(older, newer) || order.is_before(one.id, two.id)) continue;
          if (older.mode == trace::access_mode::read && order.source_is_free(one.id, two.id)) continue;
          pairs.insert({{false, one.id}, {false, two.id}});
        }
      }
      for (std::size_t i = 0; i < seen.host_accesses->size(); ++i) {
        const trace::host_access& host = (*seen.host_accesses)[i];
        const host_point point{host.thread, host.after};
        if (!conflict(newer, host.access) || order.is_before(two.id, point) || order.is_before(point, two.id))
          continue;
        if (newer.mode == trace::access_mode::read && order.source_is_free(two.id, point)) continue;
        pairs.insert({{true, i}, {false, two.id}});
        pairs.insert({{false, two.id}, {true, i}});
      }
    }
  }
  return pairs;
}

side side_of(const race_side& side) {
  return side.operation == 0 ? std::pair(true, side.host_access)
                             : std::pair(false, std::size_t{side.operation});
}

/// Whether one side is the other, or is over before it begins.
bool is_same_or_before(const trace::recording& seen, const analysis::ordering& order, side one, side two) {
  const auto point = [&](side host) {
    const trace::host_access& access = seen.host_accesses->at(host.second);
    return host_point{access.thread, access.after};
  };
  const auto id = [](side operation) { return static_cast<trace::operation_id>(operation.second); };
  if (one == two) return true;
  if (one.first && two.first)
    return point(one).thread == point(two).thread && point(one).after <= point(two).after;
  if (one.first) return order.is_before(point(one), id(two));
  return two.first ? order.is_before(id(one), point(two)) : order.is_before(id(one), id(two));
}

/// Every reported pair races, and every racing pair is reported or has a reported one in its place: the same
/// second side, with a first side that comes after the one of the pair.
void expect_same_races(const trace::recording& seen, unsigned seed) {
  const std::set<pair_of_sides> racing = all_racing_pairs(seen);
  const analysis::ordering order(seen);
  std::set<pair_of_sides> reported;
  std::multimap<side, side> first_of;  // by second side, taken both ways
  const auto races = analysis::find_races(analysis::part_of(seen, ""));
  for (const analysis::race& race : races.value()) {
    const pair_of_sides pair{side_of(race.first), side_of(race.second)};
    EXPECT_TRUE(racing.contains(pair)) << "seed " << seed;
    EXPECT_TRUE(reported.insert(pair).second) << "seed " << seed << ": reported twice";
    first_of.insert({pair.second, pair.first});
    first_of.insert({pair.first, pair.second});
  }
  const auto is_replaced = [&](side first, side second) {
    const auto [begin, end] = first_of.equal_range(second);
    return std::any_of(
        begin, end, [&](const auto& found) { return is_same_or_before(seen, order, first, found.second); });
  };
  for (const auto& [first, second] : racing) {
    EXPECT_TRUE(is_replaced(first, second) || is_replaced(second, first)) << "seed " << seed;
  }
}

TEST(RacesRandom, OneHostThreadGivesTheRacesOfEveryPair) {
  std::size_t racing = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const recording_builder program = random_program(seed, threads::one);
    racing += all_racing_pairs(program.seen()).size();
    expect_same_races(program.seen(), seed);
  }
  EXPECT_GT(racing, 1000u);
}

TEST(RacesRandom, TwoHostThreadsGiveTheRacesOfEveryPair) {
  for (unsigned seed = 1; seed <= 300; ++seed)
    expect_same_races(random_program(seed, threads::two).seen(), seed);
}

}  // namespace
