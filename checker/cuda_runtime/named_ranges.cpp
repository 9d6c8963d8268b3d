#include "cuda_runtime/named_ranges.h"

namespace cuda_runtime {

int named_ranges::push(trace::named_range range) {
  std::vector<std::size_t>& open = pushed_[{range.thread, range.domain}];
  open.push_back(begin(std::move(range)) - 1);
  return static_cast<int>(open.size()) - 1;
}

int named_ranges::pop(trace::thread_id thread, const std::string& domain, trace::nanoseconds now) {
  std::vector<std::size_t>& open = pushed_[{thread, domain}];
  if (open.empty()) return -1;
  end(open.back() + 1, now);
  open.pop_back();
  return static_cast<int>(open.size());
}

std::uint64_t named_ranges::begin(trace::named_range range) {
  ranges_.push_back(std::move(range));
  is_open_.push_back(true);
  return ranges_.size();
}

void named_ranges::end(std::uint64_t id, trace::nanoseconds now) {
  if (id == 0 || id > ranges_.size() || !is_open_[id - 1]) return;
  is_open_[id - 1] = false;
  ranges_[id - 1].end = now;
}

void named_ranges::mark(trace::named_range point) {
  point.end = point.start;
  ranges_.push_back(std::move(point));
  is_open_.push_back(false);
}

std::vector<trace::named_range> named_ranges::take(trace::nanoseconds end_of_run) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (is_open_[i]) ranges_[i].end = end_of_run;
  }
  return std::move(ranges_);
}

}  // namespace cuda_runtime
