// totals.js: sums over items, by name or by stream, in a stretch of time.

// Time in which at least one of the intervals was open; `intervals` are in order of begin.
function covered_time(intervals) {
  let sum = 0, until = -Infinity;
  for (const [from, to] of intervals) {
    if (to <= until) continue;
    sum += to - Math.max(from, until);
    until = to;
  }
  return sum;
}

// Rows of a table. Operations that are partly in the stretch count with the part that is.
function totals_of(data, { by, from, to, matches }) {
  const groups = new Map();
  for (let item = 0; item < data.count; ++item) {
    if (matches && !matches[item]) continue;
    if (data.is_instant[data.activity[item]] || data.end[item] <= from || data.start[item] >= to) continue;
    if (by === "stream" && (data.is_call[item] || data.stream_of(item) === "")) continue;
    const name = by === "stream" ? data.stream_of(item) : data.name_of(item);
    const key = `${data.run[item]} ${by === "stream" ? "" : data.activity[item]} ${name}`;
    let group = groups.get(key);
    if (!group) {
      group = { name, run: data.run[item], kind: by === "stream" ? "" : data.meaning(item), css_class: by === "stream" ? "" : data.css_class(item),
                count: 0, total: 0, bytes: 0, shortest: Infinity, longest: 0, longest_item: item, intervals: [] };
      groups.set(key, group);
    }
    const begin = Math.max(from, data.start[item]), end = Math.min(to, data.end[item]), time = end - begin;
    group.count += 1;
    group.total += time;
    group.bytes += data.bytes[item];
    group.shortest = Math.min(group.shortest, time);
    if (time > group.longest) {
      group.longest = time;
      group.longest_item = item;
    }
    group.intervals.push([begin, end]);
  }
  return [...groups.values()].map(({ intervals, ...group }) => {
    intervals.sort((one, two) => one[0] - two[0]);
    return { ...group, average: group.total / group.count, busy: covered_time(intervals) / Math.max(1, to - from) };
  }).sort((one, two) => two.total - one.total);
}
