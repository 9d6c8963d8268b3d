#include "trace/references.h"

#include <algorithm>
#include <string_view>

namespace trace {
namespace {

/// Looks up ids on behalf of one entry after another and keeps the first that names nothing.
class reference_check {
 public:
  explicit reference_check(const recording& recording) : recording_(recording) {}

  void speak_for(std::string_view kind, std::size_t number) {
    kind_ = kind;
    number_ = number;
  }
  void call(call_id id) { check("call", id, recording_.calls.size()); }
  void operation(operation_id id) { check("operation", id, recording_.operations.size()); }
  void stream(stream_id id) { check("stream", id, recording_.streams.size()); }
  void own_stream(stream_id id) {
    stream(id);
    if (id == 0) report("stream", 0);
  }
  void event(event_id id) { check("event", id, recording_.events.size()); }
  /// Recordings whose devices could not be read have a first one all the same.
  void device(std::uint32_t ordinal) {
    if (ordinal >= std::max<std::size_t>(1, recording_.devices.size())) report("device", ordinal);
  }
  void allocation(allocation_id id) { check("allocation", id, recording_.allocations.size()); }
  void place(location where) {
    if (where.file >= recording_.files.size()) report("file", where.file);
    check("callers", where.callers, recording_.callers.size());
  }
  void captured(operation_id id) {
    operation(id);
    if (id == 0 || found_) return;
    if (recording_.operation_at(id).kind != operation_kind::event_record) {
      found_ = start() + " captured operation " + std::to_string(id) + ", which is not an event record";
    }
  }
  void earlier(operation_id id, operation_id than) {
    if (id >= than && id != 0 && !found_) {
      found_ = start() + " captured operation " + std::to_string(id) + ", which was issued later";
    }
  }
  /// A node lies right behind its launch or another node of it, and depends on earlier nodes of the same launch.
  void graph_node(const trace::operation& node) {
    if (node.graph_launch == 0 && node.kind == operation_kind::graph_launch) {
      for (const operation_id id : node.after) earlier_in_graph(node, id, "launch");
      return;
    }
    if (node.graph_launch == 0) {
      if (!node.after.empty() && !found_) found_ = start() + " depends on nodes of a graph but is none";
      return;
    }
    earlier_in_graph(node, node.graph_launch, "launch");
    if (found_) return;
    if (recording_.operation_at(node.graph_launch).kind != operation_kind::graph_launch) {
      found_ =
          start() + " names operation " + std::to_string(node.graph_launch) + ", which is no graph launch";
      return;
    }
    const trace::operation& previous = recording_.operation_at(node.id - 1);
    if (previous.id != node.graph_launch && previous.graph_launch != node.graph_launch) {
      found_ = start() + " does not follow the other nodes of its graph launch";
    }
    for (const operation_id id : node.after) {
      earlier_in_graph(node, id, "node");
      if (!found_ && recording_.operation_at(id).graph_launch != node.graph_launch) {
        found_ = start() + " depends on operation " + std::to_string(id) +
                 ", which is not of the same graph launch";
      }
    }
  }
  void accessed(const access& part) {
    allocation(part.allocation);
    if (part.allocation == 0) report("allocation", 0);
    place(part.where);
  }
  void resident(const residency& blocks) {
    operation(blocks.operation);
    if (blocks.operation == 0) report("operation", 0);
    if (found_) return;
    const std::uint32_t ordinal = recording_.operation_at(blocks.operation).device;
    const std::size_t last = std::size_t{blocks.multiprocessor} + blocks.multiprocessors;
    if (ordinal >= recording_.devices.size() || last > recording_.devices[ordinal].multiprocessors)
      report("multiprocessor", last);
  }
  const std::optional<std::string>& found() const { return found_; }

 private:
  void earlier_in_graph(const trace::operation& node, operation_id id, std::string_view role) {
    if ((id >= node.id || id == 0) && !found_) {
      found_ = start() + " names as its graph " + std::string(role) + " operation " + std::to_string(id) +
               ", which does not come before it";
    }
  }
  std::string start() const { return std::string(kind_) + " " + std::to_string(number_); }
  void check(std::string_view kind, std::size_t id, std::size_t count) {
    if (id > count) report(kind, id);
  }
  void report(std::string_view kind, std::size_t id) {
    if (found_) return;
    found_ = start() + " names " + std::string(kind) + " " + std::to_string(id) +
             ", which the recording does not hold";
  }

  const recording& recording_;
  std::string_view kind_;
  std::size_t number_ = 0;
  std::optional<std::string> found_;
};

void check_constraints(reference_check& check, const std::optional<std::vector<constraint>>& waited_for) {
  if (!waited_for) return;
  for (const constraint& reason : *waited_for) {
    check.operation(reason.operation);
    check.call(reason.call);
  }
}

void check_operation(reference_check& check, const operation& entry) {
  check.speak_for("operation", entry.id);
  check.device(entry.device);
  check.own_stream(entry.stream);
  check.call(entry.issued_by);
  check.event(entry.event);
  check.captured(entry.captured);
  check.earlier(entry.captured, entry.id);
  check.call(entry.defined_by);
  check.graph_node(entry);
  check_constraints(check, entry.waited_for);
  if (entry.accesses) {
    for (const access& part : *entry.accesses) check.accessed(part);
  }
}

void check_call(reference_check& check, const host_call& entry) {
  check.speak_for("call", entry.id);
  check.place(entry.where);
  check.device(entry.device);
  check.stream(entry.stream);
  check.event(entry.event);
  check.operation(entry.operation);
  check.captured(entry.captured);
  check.allocation(entry.allocation);
  check_constraints(check, entry.waited_for);
}

/// Entries without an id are numbered from 1.
template <typename Entry, typename Check>
void check_numbered(reference_check& check, std::string_view kind, const std::vector<Entry>& entries,
                    Check&& check_entry) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    check.speak_for(kind, i + 1);
    check_entry(entries[i]);
  }
}

/// Streams and events, which one call creates and another destroys.
template <typename Entry>
void check_created(reference_check& check, std::string_view kind, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    check.speak_for(kind, entry.id);
    check.device(entry.device);
    check.call(entry.created_by);
    check.call(entry.destroyed_by);
    check.call(entry.overwritten_by);
  }
}

}  // namespace

std::optional<std::string> first_broken_reference(const recording& recording) {
  reference_check check(recording);
  check_numbered(check, "callers", recording.callers, [&](const caller_lines& entry) {
    for (const location& line : entry.lines) check.place(line);
  });
  check_created(check, "stream", recording.streams);
  check_created(check, "event", recording.events);
  for (const allocation& entry : recording.allocations) {
    check.speak_for("allocation", entry.id);
    check.device(entry.device);
    check.call(entry.allocated_by);
    check.call(entry.freed_by);
    check.place(entry.declared);
  }
  for (const host_call& entry : recording.calls) check_call(check, entry);
  for (const operation& entry : recording.operations) check_operation(check, entry);
  if (recording.host_accesses) {
    check_numbered(check, "host access", *recording.host_accesses, [&](const host_access& entry) {
      check.call(entry.after);
      check.place(entry.where);
      check.accessed(entry.access);
    });
  }
  check_numbered(check, "host edge", recording.host_edges, [&](const host_edge& entry) {
    check.operation(entry.from_operation);
    check.call(entry.from_after);
    check.operation(entry.to_operation);
    check.call(entry.to_after);
    check.place(entry.where);
  });
  check_numbered(check, "region thread", recording.region_threads, [&](const region_thread& entry) {
    check.call(entry.after);
    check.call(entry.until);
    check.place(entry.where);
  });
  check_numbered(check, "diagnostic", recording.diagnostics, [&](const diagnostic& entry) {
    check.call(entry.call);
    check.place(entry.where);
    check.place(entry.earlier);
  });
  check_numbered(check, "mark", recording.marks, [&](const mark& entry) {
    check.call(entry.after);
    check.operation(entry.after_operation);
    check.place(entry.where);
  });
  check_numbered(check, "range", recording.ranges,
                 [&](const named_range& entry) { check.place(entry.where); });
  check_numbered(check, "residency", recording.residencies,
                 [&](const residency& entry) { check.resident(entry); });
  return check.found();
}

}  // namespace trace
