// painter.js: draws what is in view on a canvas. The time of a frame depends on the pixels, not on the items: items too
// narrow to be seen are drawn together, as dark as they were busy.

const ruler_height = 26;
const diamond = 5;
const dimmed = 0.22;

const colour_names = {
  copy_to_device: "--to-device", copy_to_host: "--to-host", copy_other: "--other-copy", set_memory: "--memset",
  kernel: "--kernel", host_code: "--host-code", call: "--call", wait: "--band", record_event: "--ink", wait_for_event: "--paper",
  named_range: "--range", named_mark: "--range",
  paper: "--paper", ink: "--ink", muted: "--muted", rule: "--rule", band: "--band", on_bar: "--on-bar", overlap: "--overlap",
};
const font = (size, weight = 400) => `${weight} ${size}px system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif`;

class painter {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.data = data;
    this.text_widths = new Map();
    this.read_colours();
  }

  read_colours() {
    const style = getComputedStyle(this.canvas);
    this.colours = Object.fromEntries(Object.entries(colour_names).map(([name, property]) => [name, style.getPropertyValue(property).trim()]));
  }

  resize(width, height) {
    const scale = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    const pixels = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) [this.canvas.width, this.canvas.height] = pixels;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
  }

  text_width(text) {
    let width = this.text_widths.get(text);
    if (width === undefined) this.text_widths.set(text, (width = this.context.measureText(text).width));
    return width;
  }

  // `state`: axis, tracks, pinned (height), scroll, version (of the rows), selected, hovered, related, emphasis, shows_path,
  // range, arrows, and place and places (the rows of an item). Rows are drawn into a picture of their own, which is kept while
  // only the pointer moves.
  draw(state) {
    const { unit, ticks } = state.axis.ticks();
    const { axis, pinned, scroll, version, emphasis } = state;
    const key = [axis.from, axis.to, this.width, this.height, pinned, scroll, version, emphasis, this.colours, this.canvas.width];
    if (!this.rows_key || key.some((part, i) => part !== this.rows_key[i])) {
      this.rows_key = key;
      this.draw_rows({ ...state, selected: null, hovered: null, related: new Set() }, ticks);
    }
    this.state = state;
    const { context } = this;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.rows_picture, 0, 0);
    context.restore();
    for (const item of new Set([...state.related, state.hovered, state.selected])) if (item !== null) this.draw_again(item);
    this.zone(ruler_height, this.height, () => {
      this.draw_range();
      for (const arrow of state.arrows) this.draw_arrow(arrow);
    });
    this.draw_ruler(unit, ticks);
  }

  draw_rows(state, ticks) {
    const { canvas, width, height, colours, context: on_screen } = this;
    this.state = state;
    this.rows_picture ??= document.createElement("canvas");
    [this.rows_picture.width, this.rows_picture.height] = [canvas.width, canvas.height];
    this.context = this.rows_picture.getContext("2d");
    this.context.setTransform(on_screen.getTransform());
    this.context.fillStyle = colours.paper;
    this.context.fillRect(0, 0, width, height);
    const top = ruler_height + state.pinned;
    for (const is_pinned of [false, true]) {
      this.zone(is_pinned ? ruler_height : top, is_pinned ? top : height, () => {
        this.each_track(is_pinned, (one, y) => this.draw_bands(one, y));
        this.draw_grid(ticks);
        this.each_track(is_pinned, (one, y) => this.draw_track(one, y));
      });
    }
    if (state.pinned > 0) this.line(0, top - 0.5, width, top - 0.5, colours.muted);
    this.context = on_screen;
  }

  // An item that the pointer or the selection changes, over the rows.
  draw_again(item) {
    const { axis, pinned, places } = this.state, top = ruler_height + pinned;
    const x = axis.x_of(this.data.start[item]), right = axis.x_of(this.data.end[item]);
    for (const [one, number] of places(item)) {
      const middle = this.y_of(one) + (number + 0.5) * one.row_height;
      this.bar_height = one.row_height - 6;
      this.zone(one.is_pinned ? ruler_height : top, one.is_pinned ? top : this.height, () => {
        if (this.data.is_instant[this.data.activity[item]]) this.draw_instant(item, x, middle);
        else if (right >= 0 && x <= this.width) this.draw_bar(item, x, Math.max(right, x + 1), middle);
      });
    }
  }

  zone(top, bottom, draw) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(0, top, this.width, bottom - top);
    this.context.clip();
    draw();
    this.context.restore();
  }

  y_of(one) { return one.is_pinned ? ruler_height + one.y : ruler_height + this.state.pinned + one.y - this.state.scroll; }

  each_track(is_pinned, visit) {
    for (const one of this.state.tracks) {
      if (!one.is_drawn || one.is_pinned !== is_pinned) continue;
      const y = this.y_of(one);
      if (y < this.height && y + one.height > ruler_height) visit(one, y);
    }
  }

  draw_grid(ticks) {
    for (const [time] of ticks) {
      const x = Math.round(this.state.axis.x_of(time)) + 0.5;
      this.line(x, ruler_height, x, this.height, this.colours.rule);
    }
  }

  line(x1, y1, x2, y2, colour, thickness = 1) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = thickness;
    this.context.beginPath();
    this.context.moveTo(x1, y1);
    this.context.lineTo(x2, y2);
    this.context.stroke();
  }

  draw_ruler(unit, ticks) {
    const { context, colours, state, width } = this;
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, width, ruler_height);
    this.line(0, ruler_height - 0.5, width, ruler_height - 0.5, colours.rule);
    context.font = font(11);
    context.textBaseline = "alphabetic";
    const range = state.range && this.range_label(state.range);
    context.fillStyle = colours.muted;
    for (const [time, label] of ticks) {
      const x = state.axis.x_of(time), words = time === ticks[0][0] ? `${label} ${unit}` : label, half = this.text_width(words) / 2;
      const left = Math.min(Math.max(x - half, 2), width - 2 * half - 2);
      if (range && left < range.left + range.width + 6 && left + 2 * half > range.left - 6) continue;
      context.fillText(words, left, 17);
    }
    if (!range) return;
    context.fillStyle = colours.ink;
    context.beginPath();
    context.roundRect(range.left, 4, range.width, 17, 4);
    context.fill();
    context.fillStyle = colours.paper;
    context.fillText(range.words, range.left + 6, 16.5);
  }

  range_label({ from, to }) {
    this.context.font = font(11);
    const words = time_in_words(to - from), room = this.text_width(words) + 12, middle = this.state.axis.x_of((from + to) / 2);
    return { words, width: room, left: Math.min(Math.max(middle - room / 2, 2), this.width - room - 2) };
  }

  draw_range() {
    const { range, axis } = this.state;
    if (!range) return;
    const x1 = axis.x_of(range.from), x2 = axis.x_of(range.to);
    this.context.globalAlpha = 0.08;
    this.context.fillStyle = this.colours.ink;
    this.context.fillRect(x1, ruler_height, x2 - x1, this.height);
    this.context.globalAlpha = 1;
    for (const x of [x1, x2]) this.line(Math.round(x) + 0.5, ruler_height, Math.round(x) + 0.5, this.height, this.colours.ink);
  }

  draw_bands(one, y) {
    if (one.kind === "heading" || one.kind === "strip") return;
    this.context.fillStyle = this.colours.band;
    const height = one.kind === "rate" ? rate_height : one.row_height;
    for (let top = y; top < y + one.height; top += height) this.context.fillRect(0, top + 1, this.width, height - 2);
  }

  draw_track(one, y) {
    if (one.kind === "heading") return this.draw_heading(one, y);
    if (one.kind === "rate") return this.draw_rate(one, y);
    if (one.kind === "strip") return this.draw_strip(one, y);
    for (const [i, each_row] of one.rows.entries()) {
      const top = y + i * one.row_height;
      if (top > this.height || top + one.row_height < ruler_height) continue;
      this.bar_height = one.row_height - 6;
      this.draw_row(each_row, top + one.row_height / 2);
    }
  }

  // Its words are elements (viewer.js); here it only hides the grid.
  draw_heading(one, y) {
    this.context.fillStyle = this.colours.paper;
    this.context.fillRect(0, y, this.width, one.height);
  }

  draw_strip({ begins, ends }, y) {
    const { axis } = this.state;
    this.context.fillStyle = this.colours.overlap;
    for (let i = lower_bound(ends, axis.from); i < begins.length && begins[i] <= axis.to;) {
      const x = axis.x_of(begins[i]), right = axis.x_of(ends[i]);
      this.context.fillRect(x, y + 4, Math.max(1, right - x), strip_height - 8);
      i = right - x >= 1 ? i + 1 : Math.max(i + 1, lower_bound(begins, axis.time_at(Math.floor(x) + 1)) - 1);
    }
  }

  // A step chart: filled, with a line on top. Where several steps fall into a pixel, about the tallest counts.
  draw_rate(one, y) {
    const { context, colours, width } = this, { axis } = this.state, { levels, max } = one.steps;
    const begin_of = (times) => Math.max(0, lower_bound(times, axis.from) - 1);
    const count = lower_bound(levels[0].times, axis.to) - begin_of(levels[0].times);
    const { times, values } = levels[Math.min(levels.length - 1, Math.max(0, Math.floor(Math.log2(count / (2 * width)))))];
    const base = y + rate_height - 2, full = rate_height - 7;
    const outline = [];  // left, right, height
    for (let i = begin_of(times); i < times.length && times[i] <= axis.to; ++i) {
      const x = Math.max(0, axis.x_of(times[i])), right = Math.min(width, i + 1 < times.length ? axis.x_of(times[i + 1]) : x);
      const tall = (values[i] / max) * full, last = outline.at(-1);
      if (right - x >= 1) outline.push([x, right, tall]);
      else if (last && Math.floor(x) === Math.floor(last[0])) last[2] = Math.max(last[2], tall);
      else outline.push([Math.floor(x), Math.floor(x) + 1, tall]);
    }
    context.fillStyle = colours[one.css_class];
    context.globalAlpha = 0.3;
    for (const [left, right, tall] of outline) if (tall > 0) context.fillRect(left, base - tall, right - left, tall);
    context.globalAlpha = 1;
    for (const [left, right, tall] of outline) if (tall > 0) context.fillRect(left, base - tall - 0.75, right - left, 1.5);
  }

  draw_row(one, middle) {
    const { data } = this, { axis, emphasis } = this.state;
    const { spans, instants } = one;
    const pixel = axis.length / axis.width;
    for (let i = next_beyond(spans, -1, data.end, axis.from); i < spans.length && data.start[spans[i]] <= axis.to;) {
      const item = spans[i], x = axis.x_of(data.start[item]), right = axis.x_of(data.end[item]);
      if (right - x >= 1.5) {
        this.draw_bar(item, x, right, middle);
        ++i;
        continue;
      }
      let next = next_beyond(spans, i, data.start, axis.time_at(Math.floor(x) + 1));
      // The last one of a pixel may reach far out of it.
      if (next - 1 > i && data.duration(spans[next - 1]) >= 1.5 * pixel) --next;
      const busy = (one.busy_before[next] - one.busy_before[i]) / pixel;
      const is_emphasised = emphasis && one.stands_out(i, next, emphasis);
      this.context.globalAlpha = emphasis && !is_emphasised ? dimmed : Math.min(1, Math.max(is_emphasised ? 0.9 : 0.35, busy));
      this.context.fillStyle = this.bar_colour(spans[(i + next) >> 1]);
      this.context.fillRect(Math.floor(x), middle - this.bar_height / 2, 1, this.bar_height);
      this.context.globalAlpha = 1;
      i = next;
    }
    for (let i = next_beyond(instants, -1, data.start, axis.from - 8 * pixel); i < instants.length && data.start[instants[i]] <= axis.to + 8 * pixel;) {
      const item = instants[i];
      this.draw_instant(item, axis.x_of(data.start[item]), middle);
      i = next_beyond(instants, i, data.start, data.start[item] + 2 * pixel);  // of those that fall together one is drawn
    }
  }

  bar_colour(item) {
    const css_class = this.data.css_class(item);
    return this.data.colours.get(item) ?? (css_class === "wait" ? this.colours.call : this.colours[css_class]);
  }

  label_colour(item) {
    const css_class = this.data.css_class(item), own = this.data.colours.get(item);
    if (css_class === "call" || css_class === "wait") return this.colours.ink;
    if (!own) return this.colours.on_bar;
    const [red, green, blue] = [1, 3, 5].map((place) => parseInt(own.slice(place, place + 2), 16));
    return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? "#000000" : "#ffffff";
  }

  draw_bar(item, x, right, middle) {
    const { context, colours, data } = this, { selected, hovered, shows_path, related } = this.state;
    const css_class = data.css_class(item), is_wait = css_class === "wait";
    const left = Math.max(x, -4), end = Math.min(right, this.width + 4), gap = right - x > 4 ? 0.8 : 0;
    const top = middle - this.bar_height / 2, { bar_height } = this, wide = Math.max(1, end - left - gap);
    context.globalAlpha = this.state.emphasis?.is_dimmed(item) ? dimmed : 1;
    context.beginPath();
    context.roundRect(left, top, wide, bar_height, wide > 6 ? 2 : 0);
    context.fillStyle = is_wait ? colours.paper : this.bar_colour(item);
    context.fill();
    if (is_wait && wide > 3) {
      context.strokeStyle = colours.muted;
      context.lineWidth = 1;
      context.setLineDash([3, 3]);
      context.beginPath();
      context.roundRect(left + 0.5, top + 0.5, wide - 1, bar_height - 1, 2);
      context.stroke();
      context.setLineDash([]);
    }
    if (item === hovered && item !== selected) {
      context.globalAlpha *= 0.15;
      context.fillStyle = colours.ink;
      context.fill();
      context.globalAlpha = 1;
    }
    this.draw_label(item, left, wide, middle, this.label_colour(item));
    context.globalAlpha = 1;
    const outline = item === selected ? 2.5 : related.has(item) ? 1.5 : shows_path && data.is_on_path[item] ? 2 : 0;
    if (outline === 0) return;
    context.strokeStyle = colours.ink;
    context.lineWidth = outline;
    if (outline === 1.5) context.setLineDash([3, 2]);
    context.beginPath();
    context.roundRect(left - 0.5, top - 1, wide + 1, bar_height + 2, 3);
    context.stroke();
    context.setLineDash([]);
  }

  draw_label(item, left, wide, middle, colour) {
    const visible = Math.max(left, 0), room = Math.min(left + wide, this.width) - visible - 8;
    if (room < 7 || this.bar_height < 12) return;
    const { context } = this;
    context.font = font(11);
    context.fillStyle = colour;
    context.textBaseline = "middle";
    const words = this.fitting(this.data.label_of(item), this.data.texts[this.data.short_label[item]], room);
    if (words !== "") context.fillText(words, visible + 4, middle + 0.5);
    context.textBaseline = "alphabetic";
  }

  // The label, or its begin when that is long enough to be told, or the number, or nothing.
  fitting(label, short_label, room) {
    if (this.text_width(label) <= room) return label;
    if (short_label !== "" && room < 60) return this.text_width(short_label) <= room ? short_label : "";
    let length = Math.floor((label.length * room) / this.text_width(label));
    while (length > 2 && this.text_width(`${label.slice(0, length)}…`) > room) --length;
    return length > 2 ? `${label.slice(0, length)}…` : "";
  }

  draw_instant(item, x, middle) {
    const { context, colours, data } = this, { selected, hovered, related } = this.state;
    const size = item === selected || item === hovered ? diamond + 2 : diamond;
    context.globalAlpha = this.state.emphasis?.is_dimmed(item) ? dimmed : 1;
    context.beginPath();
    context.moveTo(x, middle - size - 1);
    context.lineTo(x + size, middle);
    context.lineTo(x, middle + size + 1);
    context.lineTo(x - size, middle);
    context.closePath();
    context.fillStyle = this.bar_colour(item);
    context.fill();
    context.strokeStyle = colours.ink;
    context.lineWidth = item === selected ? 2.5 : related.has(item) ? 2 : 1.3;
    context.stroke();
    context.globalAlpha = 1;
  }

  // Where an item is drawn, in its lowest row, which is that of its stream.
  place_of(item) {
    const [one, number] = this.state.place(item) ?? [];
    if (!one?.is_drawn) return null;
    return { x1: this.state.axis.x_of(this.data.start[item]), x2: this.state.axis.x_of(this.data.end[item]), y: this.y_of(one) + (number + 0.5) * one.row_height };
  }

  // From the end of the source to the begin of the target; a call that waits goes on at its end. "issues" begins in the call.
  draw_arrow({ source, target, kind }) {
    const from = this.place_of(source), to = this.place_of(target);
    if (!from || !to || from.y === to.y) return;
    const x2 = this.data.is_call[target] ? to.x2 : to.x1, x1 = Math.min(kind === "issues" ? (from.x1 + Math.min(from.x2, x2)) / 2 : from.x2, x2);
    if (Math.max(x1, x2) < -50 || Math.min(x1, x2) > this.width + 50) return;
    const { context, colours } = this;
    context.globalAlpha = { minor: 0.35, path: 0.95, issues: 0.7 }[kind] ?? 0.85;
    context.strokeStyle = context.fillStyle = colours.ink;
    context.lineWidth = kind === "path" ? 2 : 1.3;
    context.setLineDash(kind === "issues" ? [4, 3] : []);
    const side = to.y > from.y ? 1 : -1, is_steep = x2 - x1 < 24;
    context.beginPath();
    context.moveTo(x1, from.y);
    if (is_steep) context.lineTo(x2, to.y - 13 * side);
    else context.bezierCurveTo((x1 + x2) / 2, from.y, (x1 + x2) / 2, to.y, x2 - 7, to.y);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    if (is_steep) {
      context.moveTo(x2, to.y - 8 * side);
      context.lineTo(x2 - 3.5, to.y - 14 * side);
      context.lineTo(x2 + 3.5, to.y - 14 * side);
    } else {
      context.moveTo(x2 - 1, to.y);
      context.lineTo(x2 - 8, to.y - 3.5);
      context.lineTo(x2 - 8, to.y + 3.5);
    }
    context.fill();
    context.globalAlpha = 1;
  }
}
