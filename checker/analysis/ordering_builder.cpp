#include "analysis/ordering_builder.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "trace/call_promise.h"

namespace analysis {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

void raise(std::uint32_t& value, std::uint32_t to) { value = std::max(value, to); }

void join_clocks(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& other) {
  for (std::size_t i = 0; i < into.size(); ++i) raise(into[i], other[i]);
}

}  // namespace

ordering_builder::ordering_builder(const trace::recording& recording, ordering& result)
    : recording_(recording), result_(result) {}

void ordering_builder::run() {
  collect_streams();
  collect_branches();
  collect_threads();
  collect_edge_deadlines();
  collect_releases();
  do walk();
  while (has_learned_more_);
}

/// Fills the clocks from what is known already of what host functions acquire. They do so when they run, often
/// long after later operations were issued that come after them: then those have to be placed again.
void ordering_builder::walk() {
  has_learned_more_ = false;
  result_.clocks_.assign(result_.width_, 0);
  result_.operations_.assign(recording_.operations.size(), {});
  result_.after_call_.assign(recording_.calls.size(), 0);
  result_.acquired_.clear();
  nodes_in_branch_.clear();
  for (std::vector<trace::operation_id>& operations : issued_) operations.clear();
  for (auto& [id, thread] : threads_) {
    thread.current = 0;
    thread.is_returned = true;
    thread.knows = 0;
  }
  for (auto& [ordinal, device] : devices_) {
    device.blocking.assign(result_.width_, 0);
    device.legacy.assign(result_.width_, 0);
  }
  next_edge_ = 0;
  next_operation_ = 0;
  for (const trace::host_call& call : recording_.calls) begin(call);
  apply_edges_until(none);
  issue_until(none);
  for (auto& [id, thread] : threads_) finish_call(thread);
}

void ordering_builder::collect_streams() {
  std::vector<bool> is_used(recording_.streams.size(), false);
  for (const trace::operation& operation : recording_.operations) is_used.at(operation.stream - 1) = true;
  timeline_of_stream_.assign(recording_.streams.size(), none);
  std::uint32_t next = 0;
  for (const trace::stream& stream : recording_.streams) {
    if (!is_used[stream.id - 1]) continue;
    timeline_of_stream_[stream.id - 1] = next;
    device_state& device = devices_[stream.device];
    device.streams.push_back(next);
    const bool is_blocking = stream.kind != trace::stream_kind::legacy_default &&
                             stream.blocking == trace::stream_blocking::blocking;
    if (is_blocking) device.blocking_streams.push_back(next);
    ++next;
  }
  issued_.resize(next);
}

/// Divides the nodes of each graph launch into branches, rows of nodes of which each depends on the one
/// before. Launches into one stream follow each other, so they share the timelines of their branches.
void ordering_builder::collect_branches() {
  branch_of_.assign(recording_.operations.size(), none);
  std::map<trace::stream_id, std::vector<std::uint32_t>> timelines;
  auto next = static_cast<std::uint32_t>(issued_.size());
  for (const trace::operation& node : recording_.operations) {
    if (node.graph_launch == 0) continue;
    std::vector<trace::operation_id>& last = last_nodes_[node.graph_launch];
    std::size_t branch = 0;
    const auto continues = [&](trace::operation_id end) {
      return std::find(node.after.begin(), node.after.end(), end) != node.after.end();
    };
    while (branch < last.size() && !continues(last[branch])) ++branch;
    if (branch == last.size()) last.push_back(0);
    last[branch] = node.id;
    std::vector<std::uint32_t>& known = timelines[node.stream];
    if (branch == known.size()) known.push_back(next++);
    branch_of_[node.id - 1] = known[branch];
  }
  result_.width_ = next;
}

void ordering_builder::collect_threads() {
  for (const trace::host_call& call : recording_.calls) threads_[call.thread].calls.push_back(call.id);
  for (const trace::host_edge& edge : recording_.host_edges) {
    if (edge.from_operation == 0) threads_[edge.from];
    if (edge.to_operation == 0) threads_[edge.to];
  }
  auto next = static_cast<std::uint32_t>(result_.width_);
  for (auto& [id, thread] : threads_) {
    thread.id = id;
    thread.timeline = next++;
    result_.thread_timelines_[id] = thread.timeline;
  }
  result_.width_ = next;
}

void ordering_builder::collect_edge_deadlines() {
  const auto next_call = [&](trace::thread_id thread, trace::call_id after) {
    const std::vector<trace::call_id>& calls = threads_[thread].calls;
    const auto next = std::upper_bound(calls.begin(), calls.end(), after);
    return next == calls.end() ? none : *next;
  };
  edge_deadlines_.resize(recording_.host_edges.size());
  trace::call_id earliest = none;
  for (std::size_t i = edge_deadlines_.size(); i-- > 0;) {  // edges are in the order in which they happened
    const trace::host_edge& edge = recording_.host_edges[i];
    if (edge.to_operation == 0) earliest = std::min(earliest, next_call(edge.to, edge.to_after));
    edge_deadlines_[i] = earliest;
  }
}

/// Where threads let others go on, and the ranks that this gives to the calls.
void ordering_builder::collect_releases() {
  for (const trace::host_edge& edge : recording_.host_edges) {
    if (edge.from_operation == 0) result_.releases_[edge.from].emplace_back(edge.from_after, edge.from_step);
  }
  if (result_.releases_.empty()) return;
  std::vector<std::uint32_t> after_call(recording_.calls.size() + 1, 0);
  for (auto& [thread, places] : result_.releases_) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const auto& [call, step] : places) ++after_call[call];
  }
  std::uint32_t next = 0;
  for (const std::uint32_t releases : after_call) {
    result_.ranks_.push_back(next);
    next += releases + 1;
  }
}

void ordering_builder::begin(const trace::host_call& call) {
  apply_edges_until(call.id);
  thread_state& thread = threads_[call.thread];
  finish_call(thread);
  thread.current = call.id;
  thread.is_returned = false;
  issue_until(call.id);
}

// Operations are taken in the order of their ids, which is their order in each stream, even where a call that
// began earlier issued its operation later.
void ordering_builder::issue_until(trace::call_id last_begun) {
  for (; next_operation_ < recording_.operations.size(); ++next_operation_) {
    const trace::operation& operation = recording_.operations[next_operation_];
    if (operation.issued_by > last_begun) return;
    if (operation.graph_launch != 0) {
      issue_node(operation);
    } else {
      issue(operation);
    }
  }
}

void ordering_builder::issue(const trace::operation& operation) {
  const trace::stream& stream = recording_.stream_at(operation.stream);
  const std::uint32_t timeline = timeline_of_stream_[stream.id - 1];
  device_state& device = devices_[stream.device];
  std::vector<trace::operation_id>& stream_so_far = issued_[timeline];
  const bool is_legacy = stream.kind == trace::stream_kind::legacy_default;
  const bool is_blocking = !is_legacy && stream.blocking == trace::stream_blocking::blocking;

  clock known(result_.width_, 0);
  std::uint32_t issuer = none;
  clock_index issuer_knows = 0;
  if (operation.issued_by != 0) {
    const thread_state& thread = threads_[recording_.call_at(operation.issued_by).thread];
    issuer = thread.timeline;
    issuer_knows = thread.knows;
    join(known, issuer_knows);
    raise(known[issuer], result_.rank_of(operation.issued_by));
  }
  if (!stream_so_far.empty()) learn_completion(stream_so_far.back(), known);             // S1
  if (operation.kind == trace::operation_kind::event_wait && operation.captured != 0) {  // E3, E12
    learn_completion(operation.captured, known);
  }
  for (const trace::operation_id id : operation.after)
    learn_completion(id, known);                     // launches of one graph
  if (const auto found = acquired_.find(operation.id); found != acquired_.end())
    join_clocks(known, found->second);
  if (is_legacy) join_clocks(known, device.blocking);  // D3, one direction
  if (is_blocking) join_clocks(known, device.legacy);  // D3, the other

  ordering::placed& placed = result_.operations_[operation.id - 1];
  placed.timeline = timeline;
  placed.position = static_cast<std::uint32_t>(stream_so_far.size() + 1);
  placed.before =
      share(known, placed, operation.issued_by, issuer,
            {stream_so_far.empty() ? 0 : result_.operations_[stream_so_far.back() - 1].before, issuer_knows,
             static_cast<clock_index>(result_.clocks_.size() / result_.width_ - 1)});
  stream_so_far.push_back(operation.id);
  if (is_legacy) learn_completion(operation.id, device.legacy);
  if (is_blocking) learn_completion(operation.id, device.blocking);
}

/// A node of a graph comes after all that its launch comes after, and after the nodes that it depends on.
void ordering_builder::issue_node(const trace::operation& node) {
  const ordering::placed& launch = result_.operations_[node.graph_launch - 1];
  clock known = copy_of(launch.before);
  raise(known[launch.timeline], launch.position - 1);
  if (node.issued_by != 0) {
    const std::uint32_t issuer = threads_[recording_.call_at(node.issued_by).thread].timeline;
    raise(known[issuer], result_.rank_of(node.issued_by));
  }
  if (const auto found = acquired_.find(node.id); found != acquired_.end()) join_clocks(known, found->second);
  for (const trace::operation_id id : node.after) learn_completion(id, known);
  if (node.kind == trace::operation_kind::event_wait && node.captured != 0)
    learn_completion(node.captured, known);
  ordering::placed& placed = result_.operations_[node.id - 1];
  placed.timeline = branch_of_[node.id - 1];
  placed.position = ++nodes_in_branch_[placed.timeline];
  placed.before = store(known);

  const trace::stream& stream = recording_.stream_at(node.stream);
  device_state& device = devices_[stream.device];
  const bool is_legacy = stream.kind == trace::stream_kind::legacy_default;
  if (is_legacy) learn_completion(node.id, device.legacy);
  if (!is_legacy && stream.blocking == trace::stream_blocking::blocking)
    learn_completion(node.id, device.blocking);
}

/// What the thread knows once its current call has returned.
void ordering_builder::finish_call(thread_state& thread) {
  if (thread.is_returned) return;
  thread.is_returned = true;
  clock known = copy_of(thread.knows);
  learn_from(recording_.call_at(thread.current), thread, known);
  set_knows(thread, known);
}

void ordering_builder::apply_edges_until(trace::call_id begins) {
  for (; next_edge_ < edge_deadlines_.size() && edge_deadlines_[next_edge_] <= begins; ++next_edge_) {
    apply(recording_.host_edges[next_edge_]);
  }
}

void ordering_builder::apply(const trace::host_edge& edge) {
  if (edge.to_operation != 0) {
    clock& known = acquired_.try_emplace(edge.to_operation, result_.width_, 0).first->second;
    const clock before = known;
    learn_from(edge, known);
    has_learned_more_ |= known != before;
    return;
  }
  thread_state& to = threads_[edge.to];
  finish_call(to);
  clock known = copy_of(to.knows);
  learn_from(edge, known);
  if (known != copy_of(to.knows)) to.knows = store(known);
  result_.acquired_[edge.to].push_back({edge.to_after, edge.to_step, to.knows});
}

void ordering_builder::learn_from(const trace::host_edge& edge, clock& known) {
  if (edge.from_operation != 0) {
    if (edge.from_operation <= next_operation_) learn_completion(edge.from_operation, known);  // C8
  } else {
    thread_state& from = threads_[edge.from];
    // What it passed on may be taken up much later: by then it knows more than it did.
    if (from.current == edge.from_after) finish_call(from);
    const host_point release{edge.from, edge.from_after, edge.from_step};
    join(known, result_.clock_at(release));
    raise(known[from.timeline], result_.rank_of(release) + 1);
  }
}

void ordering_builder::learn_from(const trace::host_call& call, const thread_state& thread,
                                  clock& known) const {
  switch (trace::promise_of(recording_, call)) {
    case trace::call_promise::stream:
      learn_stream(call.stream, thread, known);
      break;
    case trace::call_promise::event:
      if (call.captured != 0 && knows_issue(thread, call.captured)) learn_completion(call.captured, known);
      break;
    case trace::call_promise::device: {
      const auto device = devices_.find(call.device);
      if (device == devices_.end()) break;
      for (const std::uint32_t timeline : device->second.streams)
        learn_issued(timeline, thread, known);  // S11
      break;
    }
    case trace::call_promise::own_operation:
      if (knows_issue(thread, call.operation)) learn_completion(call.operation, known);
      break;
    case trace::call_promise::source_staged:  // M1: the stream is synchronized before the source is staged
      if (knows_issue(thread, call.operation)) learn_what_is_before(call.operation, known);
      break;
    case trace::call_promise::nothing:
      break;
  }
}

void ordering_builder::learn_stream(trace::stream_id stream, const thread_state& thread, clock& known) const {
  if (stream == 0) return;
  const trace::stream& named = recording_.stream_at(stream);
  if (const std::uint32_t timeline = timeline_of_stream_[stream - 1]; timeline != none) {
    learn_issued(timeline, thread, known);
  }
  const auto device = devices_.find(named.device);
  if (named.kind != trace::stream_kind::legacy_default || device == devices_.end()) return;
  for (const std::uint32_t timeline : device->second.blocking_streams)
    learn_issued(timeline, thread, known);  // D6
}

/// The work in a stream that the thread knows to have been issued.
void ordering_builder::learn_issued(std::uint32_t timeline, const thread_state& thread, clock& known) const {
  const std::vector<trace::operation_id>& operations = issued_[timeline];
  for (auto last = operations.rbegin(); last != operations.rend(); ++last) {
    if (!knows_issue(thread, *last)) continue;
    learn_completion(*last, known);
    return;
  }
}

/// That all that the operation waited for is complete.
void ordering_builder::learn_what_is_before(trace::operation_id operation, clock& known) const {
  const ordering::placed& placed = result_.operations_[operation - 1];
  if (placed.position == 0) return;  // not issued yet
  join(known, placed.before);
  if (placed.position > 1) raise(known[placed.timeline], placed.position - 1);
}

/// That the operation, and so all that it waited for, is complete.
void ordering_builder::learn_completion(trace::operation_id operation, clock& known) const {
  const ordering::placed& placed = result_.operations_[operation - 1];
  if (placed.position == 0) return;  // not issued yet
  join(known, placed.before);
  if (const auto found = acquired_.find(operation); found != acquired_.end()) join_clocks(known, found->second);
  raise(known[placed.timeline], placed.position);
  const trace::call_id issued_by = recording_.operation_at(operation).issued_by;
  if (issued_by != 0) {
    raise(known[result_.thread_timelines_.at(recording_.call_at(issued_by).thread)],
          result_.rank_of(issued_by));
  }
  const auto nodes = last_nodes_.find(operation);
  if (nodes == last_nodes_.end()) return;
  for (const trace::operation_id last : nodes->second) learn_completion(last, known);
}

/// Work that another thread issues is waited for only when that thread's call came before: else another run
/// might wait too early.
bool ordering_builder::knows_issue(const thread_state& thread, trace::operation_id operation) const {
  const trace::call_id issued_by = recording_.operation_at(operation).issued_by;
  if (issued_by == 0) return true;
  const thread_state& issuer = threads_.at(recording_.call_at(issued_by).thread);
  if (issuer.id == thread.id) return issued_by <= thread.current;
  return result_.progress(thread.knows, issuer.timeline) > result_.rank_of(issued_by);
}

ordering_builder::clock ordering_builder::copy_of(clock_index index) const {
  const auto begin = result_.clocks_.begin() + static_cast<std::ptrdiff_t>(index * result_.width_);
  return clock(begin, begin + static_cast<std::ptrdiff_t>(result_.width_));
}

void ordering_builder::join(clock& into, clock_index index) const {
  const std::uint32_t* other = result_.clocks_.data() + index * result_.width_;
  for (std::size_t i = 0; i < into.size(); ++i) raise(into[i], other[i]);
}

ordering_builder::clock_index ordering_builder::store(const clock& value) {
  const auto index = static_cast<clock_index>(result_.clocks_.size() / result_.width_);
  result_.clocks_.insert(result_.clocks_.end(), value.begin(), value.end());
  return index;
}

/// The index of a stored clock that serves for the operation. What the operation itself implies need not be
/// in it: the place in its own stream, and the call that issued it.
ordering_builder::clock_index ordering_builder::share(const clock& known, const ordering::placed& placed,
                                                      trace::call_id issued_by, std::uint32_t issuer,
                                                      std::initializer_list<clock_index> candidates) {
  for (const clock_index candidate : candidates) {
    const std::uint32_t* stored = result_.clocks_.data() + candidate * result_.width_;
    const auto serves = [&](std::uint32_t timeline) {
      if (timeline == placed.timeline) return stored[timeline] < placed.position;
      const bool is_implied = timeline == issuer && known[timeline] <= result_.rank_of(issued_by);
      if (is_implied) return stored[timeline] <= result_.rank_of(issued_by);
      return stored[timeline] == known[timeline];
    };
    std::uint32_t timeline = 0;
    while (timeline < known.size() && serves(timeline)) ++timeline;
    if (timeline == known.size()) return candidate;
  }
  return store(known);
}

void ordering_builder::set_knows(thread_state& thread, const clock& known) {
  if (known != copy_of(thread.knows)) thread.knows = store(known);
  result_.after_call_[thread.current - 1] = thread.knows;
}

}  // namespace analysis
