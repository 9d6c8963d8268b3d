#include "analysis/ordering_builder.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "trace/call_promise.h"

namespace analysis {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

bool is_legacy(const trace::stream& stream) { return stream.kind == trace::stream_kind::legacy_default; }

bool is_blocking(const trace::stream& stream) {
  return !is_legacy(stream) && stream.blocking == trace::stream_blocking::blocking;
}

}  // namespace

ordering_builder::ordering_builder(const trace::recording& recording, ordering& result,
                                   std::size_t limit_bytes)
    : recording_(recording), result_(result), limit_bytes_(limit_bytes) {}

void ordering_builder::run() {
  collect_streams();
  collect_branches();
  collect_threads();
  collect_edge_deadlines();
  collect_releases();
  collect_parts();
  do walk();
  while (has_learned_more_);
}

/// Fills the clocks from what is known already of what host functions acquire. They do so when they run, often
/// long after later operations were issued that come after them: then those have to be placed again.
void ordering_builder::walk() {
  has_learned_more_ = false;
  result_.clocks_ = clock_store(timelines_, limit_bytes_);
  graph_.emplace(timelines_, result_.clocks_);
  result_.operations_.assign(recording_.operations.size(), {});
  result_.after_call_.assign(recording_.calls.size(), 0);
  result_.acquired_.clear();
  issued_.assign(issued_.size(), {});
  has_blocking_news_.assign(has_blocking_news_.size(), false);
  for (auto& [id, thread] : threads_) {
    thread.current = 0;
    thread.is_returned = true;
    thread.all.clear();
    thread.synchronous.clear();
  }
  for (auto& [ordinal, device] : devices_) {
    device.blocking_news.clear();
    device.log.clear();
  }
  next_edge_ = 0;
  next_operation_ = 0;
  for (const trace::host_call& call : recording_.calls) begin(call);
  apply_edges_until(none);
  issue_until(none);
  for (auto& [id, thread] : threads_) finish_call(thread);
}

void ordering_builder::collect_streams() {
  timelines_of_stream_.resize(recording_.streams.size());
  std::uint32_t next = 0;
  for (const trace::operation& operation : recording_.operations) {
    std::vector<stream_timeline>& timelines = timelines_of_stream_.at(operation.stream - 1);
    const trace::thread_id issuer = issuer_of(operation);
    const bool is_known = std::any_of(timelines.begin(), timelines.end(),
                                      [&](const stream_timeline& one) { return one.issuer == issuer; });
    if (!is_known) timelines.push_back({issuer, next++});
  }
  for (const trace::stream& stream : recording_.streams) {
    for (const auto& [issuer, timeline] : timelines_of_stream_[stream.id - 1]) {
      device_state& device = devices_[stream.device];
      if (is_legacy(stream)) device.legacy.push_back(timeline);
    }
  }
  issued_.resize(next);
  has_blocking_news_.resize(next);
}

/// Divides the nodes of each graph launch into branches, rows of nodes of which each depends on the one
/// before. Launches by one thread into one stream follow each other, so they share the timelines of their branches.
void ordering_builder::collect_branches() {
  branch_of_.assign(recording_.operations.size(), none);
  std::map<std::uint32_t, std::vector<std::uint32_t>> timelines;       // by that of the launch
  std::unordered_map<trace::operation_id, std::size_t> branch_number;  // of the last node of each
  auto next = static_cast<std::uint32_t>(issued_.size());
  for (const trace::operation& node : recording_.operations) {
    if (node.graph_launch == 0) continue;
    launch_nodes& nodes = nodes_[node.graph_launch];
    std::vector<trace::operation_id>& last = nodes.last;
    std::size_t branch = last.size();
    for (const trace::operation_id id : node.after) {
      if (const auto ends = branch_number.find(id); ends != branch_number.end())
        branch = std::min(branch, ends->second);
    }
    if (branch == last.size()) last.push_back(0);
    branch_number.erase(last[branch]);
    branch_number[node.id] = branch;
    nodes.last_issued = node.id;
    last[branch] = node.id;
    std::vector<std::uint32_t>& known = timelines[timeline_of(recording_.operation_at(node.graph_launch))];
    if (branch == known.size()) known.push_back(next++);
    branch_of_[node.id - 1] = known[branch];
  }
  timelines_ = next;
}

void ordering_builder::collect_threads() {
  for (const trace::host_call& call : recording_.calls) threads_[call.thread].calls.push_back(call.id);
  for (const trace::host_edge& edge : recording_.host_edges) {
    if (edge.from_operation == 0) threads_[edge.from];
    if (edge.to_operation == 0) threads_[edge.to];
  }
  std::uint32_t next = timelines_;
  for (auto& [id, thread] : threads_) {
    thread.id = id;
    thread.timeline = next++;
    result_.thread_timelines_[id] = thread.timeline;
  }
  timelines_ = next;
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

/// A part of a host function ends with what lets others go on, and begins with what lets it go on.
void ordering_builder::collect_parts() {
  for (const trace::host_edge& edge : recording_.host_edges) {
    if (edge.from_operation != 0) result_.parts_[edge.from_operation].begins.push_back(edge.from_step + 1);
    if (edge.to_operation != 0) result_.parts_[edge.to_operation].begins.push_back(edge.to_step);
  }
  for (auto& [operation, parts] : result_.parts_) {
    std::sort(parts.begins.begin(), parts.begins.end());
    parts.begins.erase(std::unique(parts.begins.begin(), parts.begins.end()), parts.begins.end());
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
  const std::uint32_t timeline = timeline_of(operation);
  device_state& device = devices_[stream.device];
  graph_->begin({timeline, graph_->last_position(timeline)});  // S1
  learn_issuer(operation.issued_by);
  learn_of_other_issuers(operation, timeline);
  if (operation.kind == trace::operation_kind::event_wait && knows_record(operation))  // E3, E12
    learn_completion(operation.captured);
  for (const trace::operation_id id : operation.after) learn_completion(id);  // launches of one graph
  if (is_legacy(stream) && !waits_for_nothing(operation)) {  // D3, one direction
    for (const std::uint32_t blocking : device.blocking_news)
      graph_->learn({blocking, graph_->last_position(blocking)});
    if (device.legacy.size() == 1) {  // else what another thread issues there need not be behind this
      for (const std::uint32_t blocking : device.blocking_news) has_blocking_news_[blocking] = false;
      device.blocking_news.clear();
    }
  } else if (is_blocking(stream)) {  // D3, the other
    if (!waits_for_nothing(operation)) {
      for (const std::uint32_t legacy : device.legacy) graph_->learn({legacy, graph_->last_position(legacy)});
    }
    if (!has_blocking_news_[timeline]) device.blocking_news.push_back(timeline);
    has_blocking_news_[timeline] = true;
  }
  ordering::placed& placed = result_.operations_[operation.id - 1];
  placed.timeline = timeline;
  issue_parts(operation, placed);
  issued_[timeline].push_back(operation.id);
  device.log.push_back(operation.id);
  if (operation.kind != trace::operation_kind::graph_launch) return;
  // Its nodes come after its start; its completion is the next position, after them.
  ++placed.position;
  if (!nodes_.contains(operation.id)) complete_launch(operation.id);
}

/// Ends the step begun, which is the operation, or the first part of a host function that edges divide; the others follow.
void ordering_builder::issue_parts(const trace::operation& operation, ordering::placed& placed) {
  placed.before = graph_->end_operation();
  if (const auto divided = result_.parts_.find(operation.id); divided != result_.parts_.end()) {
    ordering::function_parts& parts = divided->second;
    parts.before = {placed.before};
    while (parts.before.size() <= parts.begins.size()) {
      graph_->begin({placed.timeline, graph_->last_position(placed.timeline)});
      learn_issuer(operation.issued_by);
      learn_acquired(operation.id, parts.before.size());
      parts.before.push_back(graph_->end_operation());
    }
    placed.before = parts.before.back();
  }
  placed.position = graph_->last_position(placed.timeline);
}

/// A node of a graph comes after all that its launch comes after, and after the nodes that it depends on.
void ordering_builder::issue_node(const trace::operation& node) {
  const ordering::placed& launch = result_.operations_[node.graph_launch - 1];
  ordering::placed& placed = result_.operations_[node.id - 1];
  placed.timeline = branch_of_[node.id - 1];
  graph_->begin({placed.timeline, graph_->last_position(placed.timeline)});
  graph_->learn({launch.timeline, launch.position - 1});
  learn_issuer(node.issued_by);
  for (const trace::operation_id id : node.after) learn_completion(id);
  if (node.kind == trace::operation_kind::event_wait && node.captured != 0) learn_completion(node.captured);
  issue_parts(node, placed);
  if (nodes_.at(node.graph_launch).last_issued == node.id) complete_launch(node.graph_launch);
}

void ordering_builder::complete_launch(trace::operation_id launch) {
  const ordering::placed& placed = result_.operations_[launch - 1];
  graph_->begin({placed.timeline, placed.position - 1});
  learn_issuer(recording_.operation_at(launch).issued_by);
  if (const auto nodes = nodes_.find(launch); nodes != nodes_.end()) {
    for (const trace::operation_id last : nodes->second.last) learn_completion(last);
  }
  graph_->end_operation();
}

/// What the thread knows once its current call has returned.
void ordering_builder::finish_call(thread_state& thread) {
  if (thread.is_returned) return;
  thread.is_returned = true;
  graph_->begin({thread.timeline, result_.rank_of(thread.current) + 1});
  learn_from(recording_.call_at(thread.current), thread);
  result_.after_call_[thread.current - 1] = graph_->end_host_step();
}

void ordering_builder::apply_edges_until(trace::call_id begins) {
  for (; next_edge_ < edge_deadlines_.size() && edge_deadlines_[next_edge_] <= begins; ++next_edge_) {
    apply(recording_.host_edges[next_edge_]);
  }
}

void ordering_builder::apply(const trace::host_edge& edge) {
  if (edge.to_operation == 0) finish_call(threads_[edge.to]);
  timeline_point source;
  if (edge.from_operation == 0) {
    thread_state& from = threads_[edge.from];
    // What it passed on may be taken up much later: by then it knows more than it did.
    if (from.current == edge.from_after) finish_call(from);
    source = {from.timeline, result_.rank_of(host_point{edge.from, edge.from_after, edge.from_step}) + 1};
  } else if (edge.from_operation <= next_operation_) {  // C8
    const ordering::placed placed = result_.place_of({edge.from_operation, edge.from_step});
    source = {placed.timeline, placed.position};
  }
  if (edge.to_operation != 0) return keep_acquired(edge, source);
  const thread_state& to = threads_[edge.to];
  graph_->begin({to.timeline, result_.rank_of(host_point{edge.to, edge.to_after, edge.to_step}) + 1});
  if (source.position != 0) graph_->learn(source);
  result_.acquired_[edge.to].push_back({edge.to_after, edge.to_step, graph_->end_host_step()});
}

void ordering_builder::keep_acquired(const trace::host_edge& edge, timeline_point source) {
  if (source.position == 0) return;
  const auto part_of = [&](trace::operation_id operation, std::uint32_t step) {
    return result_.parts_.at(operation).part_of(step);
  };
  std::map<std::uint32_t, std::uint32_t>& acquired =
      acquired_[{edge.to_operation, part_of(edge.to_operation, edge.to_step)}];
  const auto keep = [&](timeline_point point) {
    std::uint32_t& known = acquired[point.timeline];
    has_learned_more_ |= known < point.position;
    known = std::max(known, point.position);
  };
  graph_->for_each_known(source, keep);
  if (edge.from_operation == 0) return;
  const auto begin = acquired_.lower_bound({edge.from_operation, 0});
  const auto end = acquired_.upper_bound({edge.from_operation, part_of(edge.from_operation, edge.from_step)});
  for (auto part = begin; part != end; ++part) {
    for (const auto& [timeline, position] : part->second) keep({timeline, position});
  }
}

void ordering_builder::learn_from(const trace::host_call& call, thread_state& thread) {
  switch (trace::promise_of(recording_, call)) {
    case trace::call_promise::stream:
      learn_stream(call.stream, thread);
      break;
    case trace::call_promise::event:
      if (call.captured != 0 && knows_issue(thread, call.captured)) learn_completion(call.captured);
      break;
    case trace::call_promise::device:
      if (const auto device = devices_.find(call.device); device != devices_.end())  // S11
        learn_work(device->second, thread.all[call.device], work_kind::any, thread);
      break;
    case trace::call_promise::own_operation:
      if (knows_issue(thread, call.operation)) learn_completion(call.operation);
      break;
    case trace::call_promise::source_staged:  // M1: the stream is synchronized before the source is staged
      if (knows_issue(thread, call.operation)) learn_what_is_before(call.operation);
      break;
    case trace::call_promise::nothing:
      break;
  }
}

void ordering_builder::learn_stream(trace::stream_id stream, thread_state& thread) {
  if (stream == 0) return;
  const trace::stream& named = recording_.stream_at(stream);
  const auto device = devices_.find(named.device);
  if (is_legacy(named) && device != devices_.end()) {  // D6
    learn_work(device->second, thread.synchronous[named.device], work_kind::synchronous, thread);
  } else {
    for (const auto& [issuer, timeline] : timelines_of_stream_[stream - 1])
      learn_issued(issued_[timeline], thread);
  }
}

/// Of what one thread issued into a stream, what the thread knows to have been issued.
void ordering_builder::learn_issued(const std::vector<trace::operation_id>& issued,
                                    const thread_state& thread) {
  const auto unknown = std::partition_point(issued.begin(), issued.end(),
                                            [&](trace::operation_id id) { return knows_issue(thread, id); });
  if (unknown != issued.begin()) learn_completion(*std::prev(unknown));
}

/// Of what other threads issued into the stream of the operation.
void ordering_builder::learn_of_other_issuers(const trace::operation& operation, std::uint32_t timeline) {
  for (const stream_timeline& other : timelines_of_stream_[operation.stream - 1]) {
    if (other.timeline == timeline) continue;
    if (operation.issued_by == 0) {
      if (!issued_[other.timeline].empty()) learn_completion(issued_[other.timeline].back());
    } else {
      learn_issued(issued_[other.timeline], threads_.at(issuer_of(operation)));
    }
  }
}

/// The same for the work of a device that the thread has not waited for.
void ordering_builder::learn_work(const device_state& device, work_to_learn& work, work_kind kind,
                                  const thread_state& thread) {
  for (auto& [issuer, operations] : work.unknown) {
    const auto known_end =
        std::partition_point(operations.begin(), operations.end(),
                             [&](trace::operation_id id) { return knows_issue(thread, id); });
    std::for_each(std::make_reverse_iterator(known_end), operations.rend(),
                  [&](trace::operation_id id) { learn_completion(id); });
    operations.erase(operations.begin(), known_end);
  }
  by_issuer unknown;
  for (std::size_t i = device.log.size(); i-- > work.next;) {
    const trace::operation_id id = device.log[i];
    const trace::stream& stream = recording_.stream_at(recording_.operation_at(id).stream);
    if (kind == work_kind::synchronous && !is_legacy(stream) && !is_blocking(stream)) continue;
    if (knows_issue(thread, id)) {
      learn_completion(id);
    } else {
      unknown[timeline_of_issuer(id)].push_back(id);
    }
  }
  work.next = device.log.size();
  for (const auto& [issuer, operations] : unknown) {
    std::vector<trace::operation_id>& all = work.unknown[issuer];
    all.insert(all.end(), operations.rbegin(), operations.rend());
  }
}

/// That all that the operation waited for is complete.
void ordering_builder::learn_what_is_before(trace::operation_id operation) {
  const ordering::placed& placed = result_.operations_[operation - 1];
  if (placed.position != 0) graph_->learn_what_is_before({placed.timeline, placed.position});
}

/// That the operation, and so all that it waited for, is complete.
void ordering_builder::learn_completion(trace::operation_id operation) {
  const ordering::placed& placed = result_.operations_[operation - 1];
  if (placed.position != 0) graph_->learn({placed.timeline, placed.position});
}

void ordering_builder::learn_acquired(trace::operation_id operation, std::size_t part) {
  const auto acquired = acquired_.find({operation, part});
  if (acquired == acquired_.end()) return;
  for (const auto& [timeline, position] : acquired->second) graph_->learn({timeline, position});
}

void ordering_builder::learn_issuer(trace::call_id issued_by) {
  timeline_point issuer;
  if (issued_by != 0)
    issuer = {threads_.at(recording_.call_at(issued_by).thread).timeline, result_.rank_of(issued_by)};
  graph_->learn_issuer(issuer);
}

trace::thread_id ordering_builder::issuer_of(const trace::operation& operation) const {
  return operation.issued_by == 0 ? 0 : recording_.call_at(operation.issued_by).thread;
}

/// Not of a node of a graph.
std::uint32_t ordering_builder::timeline_of(const trace::operation& operation) const {
  const std::vector<stream_timeline>& timelines = timelines_of_stream_[operation.stream - 1];
  const trace::thread_id issuer = issuer_of(operation);
  return std::find_if(timelines.begin(), timelines.end(),
                      [&](const stream_timeline& one) { return one.issuer == issuer; })
      ->timeline;
}

std::uint32_t ordering_builder::timeline_of_issuer(trace::operation_id operation) const {
  const trace::call_id issued_by = recording_.operation_at(operation).issued_by;
  return issued_by == 0 ? none : threads_.at(recording_.call_at(issued_by).thread).timeline;
}

/// Work that another thread issues is waited for only when that thread's call came before: else another run
/// might wait too early.
bool ordering_builder::knows_issue(const thread_state& thread, trace::operation_id operation) const {
  const trace::call_id issued_by = recording_.operation_at(operation).issued_by;
  if (issued_by == 0) return true;
  const thread_state& issuer = threads_.at(recording_.call_at(issued_by).thread);
  if (issuer.id == thread.id) return issued_by <= thread.current;
  return result_.progress(graph_->latest(thread.timeline), issuer.timeline) > result_.rank_of(issued_by);
}

/// Whether the wait takes its record in every run.
bool ordering_builder::knows_record(const trace::operation& wait) const {
  if (wait.captured == 0 || wait.issued_by == 0) return wait.captured != 0;
  return knows_issue(threads_.at(recording_.call_at(wait.issued_by).thread), wait.captured);
}

}  // namespace analysis
