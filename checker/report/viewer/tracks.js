// tracks.js: what is drawn one below the other: tracks of spans, of rates, and headings of runs.
//
// A track of spans has one row or several: an engine that did several things at once has several. A track of rates has
// steps. Tracks can be hidden, and pinned to the top.

const row_height = 24;
const narrow_row_height = 14;  // of tracks with many rows
const many_rows = 8;
const rate_height = 30;
const strip_height = 16;
const max_multiprocessor_tracks = 16;
const group_gap = 10;

class track {
  constructor(kind, name, run, group) {
    this.kind = kind;  // "heading", "spans", "rate", "strip"
    this.name = name;
    this.run = run;
    this.group = group;
    this.rows = [];
    this.is_hidden = false;
    this.is_filtered = false;  // a filter is on, and no item of it matches
    this.is_folded = false;    // one of a group that is shown on demand
    this.is_pinned = false;
    this.heading_height = 44;
    this.y = 0;    // in the content, or in the pinned zone
    this.gap = 0;  // above it
  }
  get row_height() { return this.rows.length > many_rows ? narrow_row_height : row_height; }
  get is_drawn() { return !this.is_hidden && !this.is_filtered && !this.is_folded; }
  get height() {
    if (this.kind === "spans") return Math.max(1, this.rows.length) * this.row_height;
    return { heading: this.heading_height, rate: rate_height, strip: strip_height }[this.kind];
  }
}

// Items of a row in order of start; spans do not overlap. `busy_before` tells how busy any stretch of it was.
class row {
  constructor(items, data) {
    this.items = items;
    const is_instant = (item) => data.is_instant[data.activity[item]];
    this.instants = items.filter(is_instant);
    this.spans = this.instants.length === 0 ? items : items.filter((item) => !is_instant(item));
    this.busy_before = new Float64Array(this.spans.length + 1);
    for (const [i, item] of this.spans.entries()) this.busy_before[i + 1] = this.busy_before[i] + data.duration(item);
    this.emphasis = null;
  }

  // Whether any of spans[from .. to) stands out; `emphasis` is an object with is_dimmed(item), another one when that changes.
  stands_out(from, to, emphasis) {
    if (this.emphasis !== emphasis) {
      this.emphasis = emphasis;
      this.emphasised_before = new Uint32Array(this.spans.length + 1);
      for (let i = 0; i < this.spans.length; ++i) this.emphasised_before[i + 1] = this.emphasised_before[i] + (emphasis.is_dimmed(this.spans[i]) ? 0 : 1);
    }
    return this.emphasised_before[to] > this.emphasised_before[from];
  }
}

// The first place after `i` whose item has that time or a later one; `times` are data.start or data.end.
function next_beyond(items, i, times, time) {
  let low = i + 1, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[items[middle]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The first place in sorted numbers that is not below the value.
function lower_bound(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Sums of values that hold from a start to an end: times and the sum from each time on.
function steps_of(spans) {
  const changes = [];
  for (const [start, end, value] of spans) if (value > 0) changes.push([start, value], [end, -value]);
  changes.sort((one, two) => one[0] - two[0]);
  const times = [], values = [];
  let now = 0;
  for (let i = 0; i < changes.length; ++i) {
    now += changes[i][1];
    if (changes[i + 1]?.[0] === changes[i][0]) continue;
    times.push(changes[i][0]);
    values.push(Math.max(0, now < 1e-9 ? 0 : now));
  }
  return with_levels(times, values);
}

// Each level has the tallest of two steps of the one before, so that a view of many steps looks at few.
function with_levels(times, values) {
  const levels = [{ times: Float64Array.from(times), values: Float64Array.from(values) }];
  while (levels.at(-1).times.length > 256) {
    const below = levels.at(-1), count = Math.ceil(below.times.length / 2);
    const above = { times: new Float64Array(count), values: new Float64Array(count) };
    for (let i = 0; i < count; ++i) {
      above.times[i] = below.times[2 * i];
      above.values[i] = Math.max(below.values[2 * i], below.values[2 * i + 1] ?? 0);
    }
    levels.push(above);
  }
  return { levels, max: values.reduce((max, value) => Math.max(max, value), 0) };
}

function tracks_of(data) {
  const tracks = [];
  for (const [number, run] of data.runs.entries()) {
    tracks.push(new track("heading", run.heading, number, "heading"));
    let open = null, last_engine = -1;
    for (const { name, group, items } of run.rows ?? []) {
      if (name !== "" || !open) {
        open = new track("spans", name, number, group);
        tracks.push(open);
      }
      open.rows.push(new row(Int32Array.from(items, (item) => item + run.base), data));
      if (group === "engine") last_engine = tracks.length;
    }
    if (last_engine >= 0) tracks.splice(last_engine, 0, ...overlap_track(run, number), ...rate_tracks(data, run, number));
  }
  return tracks;
}

function overlap_track(run, number) {
  if (!run.overlap?.length) return [];
  const made = new track("strip", "both at once", number, "engine");
  made.begins = Float64Array.from(run.overlap, ([begin]) => begin);
  made.ends = Float64Array.from(run.overlap, ([, end]) => end);
  return [made];
}

// How much of the links and of the multiprocessors was used. A copy counts with its average rate. Where blocks were is known
// when the recording holds it.
function rate_tracks(data, run, number) {
  const operations = [];
  for (let item = run.base; item < run.base + run.keys.length; ++item) if (!data.is_call[item]) operations.push(item);
  const devices = [...new Set(operations.map((item) => data.device[item]))].sort((one, two) => one - two);
  const made = [];
  for (const device of devices) {
    const prefix = devices.length > 1 ? `GPU ${device} ` : "";
    const here = operations.filter((item) => data.device[item] === device);
    const add = (name, css_class, unit, spans) => {
      const steps = steps_of(spans);
      if (steps.max > 0) made.push(Object.assign(new track("rate", prefix + name, number, "engine"), { steps, css_class, unit }));
    };
    const rates = (css_class) => here.filter((item) => data.css_class(item) === css_class)
      .map((item) => [data.start[item], data.end[item], data.bytes[item] / data.duration(item)]);  // bytes a nanosecond are gigabytes a second
    add("H2D link", "copy_to_device", "GB/s", rates("copy_to_device"));
    add("D2H link", "copy_to_host", "GB/s", rates("copy_to_host"));
    const blocks = (run.residencies ?? []).filter(([item]) => data.device[item + run.base] === device);
    add("resident blocks", "kernel", "blocks", blocks.map(([, , count, each, start, end]) => [start, end, count * each]));
    made.push(...multiprocessor_tracks(blocks, run.multiprocessors?.[device] ?? 0, prefix, number));
  }
  return made;
}

// The blocks on each multiprocessor, or on a few neighbours where there are many, all on one scale.
function multiprocessor_tracks(blocks, count, prefix, number) {
  if (blocks.length === 0) return [];
  const together = Math.ceil(count / max_multiprocessor_tracks), made = [];
  for (let first = 0; first < count; first += together) {
    const last = Math.min(first + together, count) - 1;
    const name = `${prefix}SM ${first}${last > first ? `\u2013${last}` : ""}`;
    const steps = steps_of(blocks.map(([, begin, some, each, start, end]) => [start, end, each * (Math.min(begin + some, last + 1) - Math.max(begin, first))]));
    made.push(Object.assign(new track("rate", name, number, "multiprocessor"), { steps, css_class: "kernel", unit: "blocks", is_folded: true }));
  }
  const max = Math.max(...made.map((one) => one.steps.max));
  for (const one of made) one.steps.max = max;
  return made;
}

// Places of the tracks. Returns the heights of the pinned zone and of the rest.
function lay_out(tracks) {
  let pinned = 0, rest = 0, before = null;
  for (const one of tracks) {
    if (!one.is_drawn) continue;
    if (one.is_pinned) {
      one.gap = 0;
      one.y = pinned;
      pinned += one.height;
      continue;
    }
    one.gap = before === null || before.kind === "heading" ? 0 : before.group !== one.group || before.kind === "rate" !== (one.kind === "rate") ? group_gap : 0;
    rest += one.gap;
    one.y = rest;
    rest += one.height;
    before = one;
  }
  return { pinned, rest };
}
