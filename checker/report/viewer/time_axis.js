// time_axis.js: the part of the run that is in view, between time and pixels; times in words.

const time_units = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
const min_view = 20;        // ns: more zoom would show nothing more
const pixels_a_tick = 100;  // at least

// "1.24 ms", "620 us": three digits and the unit that fits, as in the program's sentences.
function time_in_words(nanoseconds) {
  const [unit, length] = time_units.find(([, length]) => Math.abs(nanoseconds) >= length) ?? time_units[3];
  return `${Number((nanoseconds / length).toPrecision(Math.abs(nanoseconds) >= 1000 * length ? 4 : 3))} ${unit}`;
}

// A point in time: as many digits as tell it from its neighbours in a view of that length.
function moment_in_words(nanoseconds, view_length) {
  const [unit, length] = time_units.find(([, length]) => nanoseconds >= length) ?? time_units[3];
  const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10((1000 * length) / Math.max(view_length, 1)))));
  return `${Number((nanoseconds / length).toFixed(digits))} ${unit}`;
}

function size_in_words(bytes) {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
    if (bytes >= size) return `${(bytes / size).toPrecision(3)} ${unit}`;
  return `${bytes} B`;
}

class time_axis {
  constructor(length) {
    this.whole = length;
    this.from = 0;
    this.to = length;
    this.width = 1;  // pixels of the plot
  }

  get length() { return this.to - this.from; }
  get is_whole() { return this.from <= 0 && this.to >= this.whole; }
  x_of(time) { return ((time - this.from) / this.length) * this.width; }
  time_at(x) { return this.from + (x / this.width) * this.length; }

  show(from, to) {
    const length = Math.min(this.whole, Math.max(to - from, Math.min(min_view, this.whole)));
    this.from = Math.min(Math.max(0, (from + to - length) / 2), this.whole - length);
    this.to = this.from + length;
  }
  show_all() { this.show(0, this.whole); }
  // `time` keeps its place on the screen.
  zoom(factor, time) {
    const length = Math.min(this.whole, Math.max(this.length / factor, Math.min(min_view, this.whole)));
    const from = time - ((time - this.from) / this.length) * length;
    this.show(from, from + length);
  }
  move(time) {
    const by = Math.min(Math.max(time, -this.from), this.whole - this.to);
    this.show(this.from + by, this.to + by);
  }

  // Round times with their labels; the unit is that of the whole run.
  ticks() {
    const min_step = (this.length * pixels_a_tick) / this.width;
    const power = 10 ** Math.floor(Math.log10(min_step));
    const step = Math.max(1, [1, 2, 5, 10].map((digit) => digit * power).find((length) => length >= min_step));
    const [unit, length] = time_units.find(([, nanoseconds]) => this.whole >= 10 * nanoseconds) ?? time_units[3];
    const ticks = [];
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step)
      ticks.push([time, `${Number((time / length).toPrecision(9))}`]);
    return { unit, ticks };
  }
}
