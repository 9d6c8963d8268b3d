#include "matchers/copies.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "matchers/facts/memory/overwritten_unread.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

verdict judge_vain_copies(const run_facts& run) {
  const trace::recording& recording = run.recording();
  if (!recording.host_accesses) return passed("which bytes were used is not recorded");
  const std::vector<overwritten_write> vain = overwritten_unread(run, trace::operation_kind::copy);
  if (vain.empty()) return passed();
  const auto& [copy, over_it, written] = vain.front();
  report::evidence why;
  why.required = "What a copy brings is used before something else is written there.";
  why.observation = fmt::format("Nothing read what {} brought before {} wrote over it.", in_words(recording, *copy),
                                in_words(recording, *over_it));
  if (vain.size() > 1) why.observation += fmt::format(" {} copies are in vain like this one.", vain.size());
  lead_to(why, recording, *copy);
  why.read_next = "What the contract says about the way of the data, and how often each step is taken.";
  return failed(run_verdict::requirement_missed, mistake::copied_in_vain, why);
}

bool is_between_devices(const trace::recording& recording, const trace::operation& operation) {
  if (operation.kind != trace::operation_kind::copy || !operation.accesses) return false;
  std::set<std::uint32_t> devices;
  for (const trace::access& access : *operation.accesses) {
    const trace::allocation& memory = recording.allocation_at(access.allocation);
    if (memory.kind == trace::memory_kind::device) devices.insert(memory.device);
  }
  return devices.size() > 1;
}

/// "elements 10 to 19"
std::string elements_in_words(std::uint64_t first, std::uint64_t end) {
  return fmt::format("elements {} to {}", first, end - 1);
}

verdict judge_places(const run_facts& run, const std::string& from, const std::string& to,
                     const std::string& count) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& copy = recording.operation_at(id);
    if (!is_between_devices(recording, copy)) continue;
    for (const trace::access& access : *copy.accesses) {
      const bool is_read = access.mode == trace::access_mode::read;
      const std::string& memory = recording.allocation_at(access.allocation).name;
      const std::string& member = is_read ? from : to;
      const std::string first_of = memory.substr(0, memory.find('.') + 1) + member;
      if (!run.answer().has(first_of)) continue;
      const auto first = static_cast<std::uint64_t>(run.answer().integer(first_of));
      const std::uint64_t end = first + static_cast<std::uint64_t>(run.answer().integer(count));
      const trace::byte_range touched = access.bytes.bounds();
      if (first * sizeof(float) <= touched.begin && touched.end <= end * sizeof(float)) continue;
      report::evidence why;
      why.required = fmt::format(
          "What one device sends to another is read from `{}` on and written from `{}` on, `{}` elements.",
          from, to, count);
      why.observation =
          fmt::format("{} {} {} of `{}`. Its place there is {}: `{}` is {}.",
                      report::capitalized(in_words(recording, copy)), is_read ? "reads" : "writes",
                      elements_in_words(touched.begin / sizeof(float), touched.end / sizeof(float)), memory,
                      elements_in_words(first, end), first_of, first);
      lead_to(why, recording, copy);
      why.read_next = "What the contract says about the elements that are sent, and about where they go.";
      return failed(run_verdict::wrong_answer, mistake::wrong_argument, why);
    }
  }
  return passed();
}

}  // namespace

matcher SendsFromTo(std::string from, std::string to, std::string count) {
  return {fmt::format("what is sent goes from `{}` to `{}`", from, to),
          [=](const run_facts& run) { return judge_places(run, from, to, count); }, reach::every_call};
}

matcher CopiesNothingInVain() {
  return {"what each copy brings is used", judge_vain_copies, reach::every_call};
}

}  // namespace matchers
