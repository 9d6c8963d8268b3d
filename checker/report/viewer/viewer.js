// viewer.js: the viewer put together: what is shown, and the actions that keys, buttons and other pages call.
//
//     new timeline_viewer(element, runs);   // runs as timeline_json.cpp writes them
//
// Each element of class "timeline-viewer" gets one when the page is loaded, with the runs of the script elements of type
// application/json in it, or after it when it is the page's only one.

const narrow_width = 600;
const max_event_arrows = 40;  // more would hide what they join
const max_path_arrows = 400;

class timeline_viewer {
  constructor(element, runs) {
    this.element = element;
    this.data = new run_data(runs);
    this.axis = new time_axis(this.data.length);
    this.tracks = tracks_of(this.data);
    this.rows_of_items = [new Map(), new Map()];
    this.selected = null;
    this.hovered = null;
    this.range = null;  // what is measured: from, to
    this.search_text = "";
    this.matches = null;
    this.kinds_off = new Set();
    this.filters_rows = false;
    this.shows_path = false;
    this.scroll = 0;
    this.pointer_time = null;
    this.listeners = new AbortController();  // those outside the element
    this.place_items();
    this.build();
    this.show_kinds();
    this.element.viewer = this;
    this.observe();
    this.resize();
    this.panel.tabs.show("Selection");
  }

  observe() {
    const until = { signal: this.listeners.signal };
    this.observers = [new ResizeObserver(() => this.resize()), new MutationObserver(() => this.recolour())];
    this.observers[0].observe(this.plot);
    this.observers[1].observe(document.documentElement, { attributes: true, attributeFilter: ["class"] });
    addEventListener("resize", () => this.resize(), until);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour(), until);
    matchMedia("print").addEventListener("change", ({ matches }) => this.print(matches), until);
  }

  // Lets go of the page; the viewer is of no use afterwards.
  dispose() {
    this.listeners.abort();
    for (const one of this.observers) one.disconnect();
  }

  // For each item its first and its last row: on the engine or the host, and in its stream.
  place_items() {
    const [first, last] = [new Int32Array(this.data.count).fill(-1), new Int32Array(this.data.count).fill(-1)];
    this.all_rows = [];
    for (const one of this.tracks) {
      for (const [number, { items }] of one.rows.entries()) {
        for (const item of items) {
          if (first[item] < 0) first[item] = this.all_rows.length;
          last[item] = this.all_rows.length;
        }
        this.all_rows.push([one, number]);
      }
    }
    [this.first_row, this.last_row] = [first, last];
    this.items_in_order = Int32Array.from({ length: this.data.count }, (_, item) => item)
      .filter((item) => first[item] >= 0).sort((one, two) => this.data.start[one] - this.data.start[two] || one - two);
  }

  // The row of the stream, or the engine's when that is not drawn.
  place(item) {
    const last = this.all_rows[this.last_row[item]];
    return last?.[0].is_drawn ? last : this.all_rows[this.first_row[item]];
  }

  // All rows that it is drawn in.
  places(item) {
    return [...new Set([this.first_row[item], this.last_row[item]])].map((number) => this.all_rows[number]).filter((row_of) => row_of?.[0].is_drawn);
  }

  build() {
    const { data } = this;
    this.canvas = make("canvas", { tabindex: "0", role: "application", "aria-roledescription": "timeline", "aria-label": `Timeline: ${data.runs.map((run) => run.heading).join(", ")}. The tab List has the same as a table; the question mark shows the keys.` });
    this.over = make("canvas", { class: "overview", "aria-hidden": "true" });
    this.pinned_heads = make("div", { class: "heads" });
    this.heads = make("div", { class: "heads" });
    this.stage = make("div", { class: "stage" }, this.canvas, this.heads, this.pinned_heads);
    this.extent = make("div", { class: "extent" }, this.stage);
    this.plot = make("div", { class: "plot", onscroll: () => { this.scroll = this.plot.scrollTop; this.changed(); } }, this.extent);
    this.tip = make("div", { class: "tip", hidden: true });
    this.voice = make("p", { class: "unseen", "aria-live": "polite" });
    this.painter = null;
    this.panel = new panel(this);
    this.help = this.make_help();
    this.element.replaceChildren(this.make_tools(), this.over, this.plot, this.make_legend(), this.panel.element, this.tip, this.voice, this.help);
    this.painter = new painter(this.canvas, data);
    this.overview = new overview(this.over, data);
    new pointer_control(this, this.canvas);
    connect_overview(this, this.over);
    connect_keys(this, this.element.hasAttribute("data-whole-page") ? document : this.element);
  }

  make_tools() {
    const button = (action, words, label) => make("button", { type: "button", "data-action": action, "aria-label": label, title: label, onclick: () => this.act(action) }, words);
    this.search_box = make("input", { type: "search", placeholder: "Search", "aria-label": "Search: words of names, streams and facts; also stream:a line:41 >10us", title: "Words of names, streams and facts; also stream:a  line:41  >10us  <2ms",
      oninput: () => this.search(this.search_box.value),
      onkeydown: (event) => { if (event.key === "Enter") { this.act(event.shiftKey ? "previous match" : "next match"); event.preventDefault(); } } });
    this.match_words = make("span", { class: "matches", "aria-live": "polite" });
    this.only_matches = make("button", { type: "button", "aria-pressed": "false", title: "Show only rows that have a match", onclick: () => this.act("filter rows") }, "Filter rows");
    this.path_button = make("button", { type: "button", "aria-pressed": "false", "data-action": "critical path", title: "The chain of operations that decided how long the run took (c)", onclick: () => this.act("critical path") }, "Critical path");
    this.hidden_rows = make("button", { type: "button", hidden: true, onclick: () => this.act("show all rows") });
    if (!this.data.runs.some((run) => run.path?.length > 0)) this.path_button.disabled = true;
    this.fold_button = make("button", { type: "button", "aria-pressed": "false", hidden: !this.tracks.some((one) => one.is_folded), title: "How many blocks each multiprocessor held (u)", onclick: () => this.act("multiprocessors") }, "Multiprocessors");
    return make("div", { class: "tools", role: "toolbar", "aria-label": "Timeline" },
      make("span", { class: "group" }, button("zoom out", "−", "Zoom out (s)"), button("zoom in", "+", "Zoom in (w)"), button("show all", "Whole run", "Show the whole run (0)")),
      make("span", { class: "group grow" }, this.search_box, button("previous match", "↑", "Previous match (N)"), button("next match", "↓", "Next match (n)"), this.match_words),
      make("span", { class: "group" }, this.only_matches, this.path_button, this.fold_button, this.hidden_rows, button("help", "?", "Keys (?)")));
  }

  make_legend() {
    const present = new Set(this.data.activity);
    const buttons = this.data.activities.flatMap(([css_class, meaning], activity) => present.has(activity)
      ? [make("button", { type: "button", "data-kind": css_class, "aria-pressed": "true", title: `Show or hide: ${meaning}`, onclick: (event) => this.toggle_kind(activity, event.currentTarget) }, chip(css_class), meaning)] : []);
    return make("div", { class: "legend", role: "group", "aria-label": "Kinds of spans" }, ...buttons);
  }

  make_help() {
    const rows = key_table.map(([keys, , words]) => make("tr", {}, make("th", { scope: "row" }, ...keys.map((key) => make("kbd", {}, key.replace("Arrow", "")))), make("td", {}, words)));
    const gestures = [["drag", "measure between two cursors, which catch the edges of spans"], ["Shift + drag, middle button", "move"], ["Ctrl + wheel", "zoom at the pointer"], ["Shift + wheel", "move"],
                      ["two fingers", "zoom"], ["one finger", "move"], ["double click", "zoom to a span"]];
    const close = make("button", { type: "button", onclick: () => this.help.close() }, "Close");
    return make("dialog", { class: "help", "aria-label": "Keys" }, make("h3", {}, "Keys and gestures", close), make("table", {}, make("tbody", {}, ...rows, ...gestures.map(([name, words]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, words))))));
  }

  // ---- what is shown

  resize(is_print = matchMedia("print").matches) {
    const width = this.plot.clientWidth;
    if (width === 0) return;
    this.gutter = width < narrow_width ? 92 : Math.round(Math.min(190, Math.max(110, this.longest_name())));
    for (const one of this.tracks) one.heading_height = width < narrow_width ? 74 : 46;
    this.element.style.setProperty("--gutter", `${this.gutter}px`);
    this.axis.width = Math.max(50, width - this.gutter - 1);
    this.is_print = is_print;
    this.arrange();
    this.overview.prepare(this.tracks, Math.max(50, Math.floor(this.over.clientWidth)));
  }

  // On paper: all rows, in light colours.
  print(is_print) {
    this.painter.read_colours();
    this.resize(is_print);
    this.draw();
  }

  longest_name() {
    const context = this.canvas.getContext("2d");
    context.font = font(12);
    return 24 + this.tracks.reduce((max, one) => (one.kind === "heading" ? max : Math.max(max, context.measureText(one.name).width)), 0);
  }

  // Heights, after rows came or went.
  arrange() {
    const { pinned, rest } = lay_out(this.tracks);
    this.version = (this.version ?? 0) + 1;
    this.pinned = pinned;
    const content = ruler_height + pinned + rest + 4;
    const room = this.is_print ? Math.min(content, 8000) : Math.min(content, Math.max(260, Math.round(innerHeight * 0.72)));
    this.plot.style.height = `${room}px`;
    this.extent.style.height = `${content}px`;
    this.stage.style.height = `${room}px`;
    this.painter.resize(this.axis.width, room);
    const hidden = this.tracks.filter((one) => one.is_hidden).length;
    this.hidden_rows.hidden = hidden === 0;
    this.hidden_rows.textContent = `Show ${hidden} hidden`;
    this.changed();
  }

  recolour() {
    this.painter.read_colours();
    this.changed();
  }

  changed() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = null;
    this.painter.draw({ axis: this.axis, tracks: this.tracks, pinned: this.pinned, scroll: this.scroll, version: this.version, selected: this.selected, hovered: this.hovered, emphasis: this.emphasis,
                        shows_path: this.shows_path, range: this.range, related: this.related(), arrows: this.arrows(), place: (item) => this.place(item), places: (item) => this.places(item) });
    this.overview.draw(this.axis, this.painter.colours);
    this.draw_heads();
  }

  draw_heads() {
    const top = ruler_height + this.pinned;
    this.pinned_heads.style.cssText = `top:${ruler_height}px;height:${this.pinned}px`;
    this.heads.style.cssText = `top:${top}px;bottom:0`;
    const heads = (is_pinned) => this.tracks.flatMap((one) => {
      if (!one.is_drawn || one.is_pinned !== is_pinned) return [];
      const y = one.is_pinned ? one.y : one.y - this.scroll;
      return y + one.height < 0 || y > this.painter.height ? [] : [this.head(one, y)];
    });
    const drawn = `${this.scroll} ${this.pinned} ${this.painter.height} ${this.tracks.map((one) => `${one.y}${one.is_drawn}${one.is_pinned}`)}`;
    if (drawn === this.drawn_heads) return;
    this.drawn_heads = drawn;
    this.pinned_heads.replaceChildren(...heads(true));
    this.heads.replaceChildren(...heads(false));
  }

  head(one, y) {
    const style = `top:${y}px;height:${one.height}px`;
    if (one.kind === "heading") return make("div", { class: "run-head", style }, make("h2", {}, one.name), make("p", {}, this.summary_of(one.run)));
    const button = (words, label, property) => make("button", { type: "button", tabindex: "-1", title: `${label} ${one.name}`, "aria-label": `${label} ${one.name}`, onclick: () => this.set_row(one, property, !one[property]) }, words);
    const note = one.kind === "rate" ? make("small", {}, `to ${one.steps.max < 10 && !Number.isInteger(one.steps.max) ? one.steps.max.toPrecision(2) : Math.round(one.steps.max).toLocaleString("en")} ${one.unit}`) : "";
    return make("div", { class: `head ${one.kind}`, style, title: one.name }, make("span", { class: "head-name" }, one.name), note, make("span", { class: "head-buttons" }, button(one.is_pinned ? "↓" : "↑", one.is_pinned ? "Release" : "Pin", "is_pinned"), button("×", "Hide", "is_hidden")));
  }

  summary_of(number) {
    const run = this.data.runs[number];
    return run.problem ? `No timeline: ${run.problem}.` : `${time_in_words(run.length)} in all, on ${run.machine}; ${run.overlap_words}`;
  }

  // Both ways: the call of an operation and the operations of a call; and what it waited for.
  related() {
    const item = this.selected ?? this.hovered, { data } = this;
    if (item === null) return new Set();
    return new Set([...(data.issued.get(item) ?? []), ...(data.issued_by[item] === no_item ? [] : [data.issued_by[item]]), ...data.waited_for[item]]);
  }

  arrows() {
    const { data } = this, item = this.selected ?? this.hovered;
    if (this.shows_path) {
      const arrows = [];
      for (const { path } of data.runs) {
        for (let i = 1; i < path.length && arrows.length < max_path_arrows; ++i)
          if (data.end[path[i]] >= this.axis.from && data.start[path[i - 1]] <= this.axis.to) arrows.push({ source: path[i - 1], target: path[i], kind: "path" });
      }
      if (item === null) return arrows.length < max_path_arrows ? arrows : [];
    }
    if (item !== null) {
      const arrows = data.waited_for[item].map((source, i) => ({ source, target: item, kind: i === 0 ? "" : "minor" }));
      if (data.issued_by[item] !== no_item) arrows.push({ source: data.issued_by[item], target: item, kind: "issues" });
      for (const target of (data.issued.get(item) ?? []).slice(0, max_event_arrows)) arrows.push({ source: item, target, kind: "issues" });
      return arrows;
    }
    this.event_waits ??= this.items_in_order.filter((one) => data.css_class(one) === "wait_for_event" && data.waited_for[one].length > 0);
    const from = next_beyond(this.event_waits, -1, data.start, this.axis.from), to = next_beyond(this.event_waits, -1, data.start, this.axis.to);
    return to - from > max_event_arrows ? [] : [...this.event_waits.slice(from, to)].map((target) => ({ source: data.waited_for[target][0], target, kind: "" }));
  }

  // ---- pointing

  track_at(y) {
    const top = ruler_height + this.pinned;
    return this.tracks.find((one) => {
      if (!one.is_drawn || one.is_pinned !== y < top) return false;
      const begin = one.is_pinned ? ruler_height + one.y : top + one.y - this.scroll;
      return y >= begin && y < begin + one.height;
    });
  }

  // The row at that height of the canvas, as in all_rows.
  row_at(y) {
    const one = this.track_at(y);
    if (one?.kind !== "spans") return null;
    const begin = one.is_pinned ? ruler_height + one.y : ruler_height + this.pinned + one.y - this.scroll;
    const number = Math.min(one.rows.length - 1, Math.floor((y - begin) / one.row_height));
    return this.all_rows.find((row_of) => row_of[0] === one && row_of[1] === number) ?? null;
  }

  // The span at a place of the canvas, or the nearest within a few pixels; null for none.
  item_at(x, y) {
    const row_of = this.row_at(y);
    if (!row_of) return null;
    const { items } = row_of[0].rows[row_of[1]];
    const { data, axis } = this, reach = (axis.length / axis.width) * 5, time = axis.time_at(x);
    let best = null, best_distance = Infinity;
    const after = next_beyond(items, -1, data.start, time + reach);
    for (let i = after - 1; i >= 0 && i >= after - 40; --i) {
      const item = items[i], is_instant = data.is_instant[data.activity[item]];
      const distance = is_instant ? Math.abs(time - data.start[item]) - reach : Math.max(data.start[item] - time, time - data.end[item], 0);
      if (distance < best_distance) [best, best_distance] = [item, distance];
    }
    return best_distance <= reach * 0.6 ? best : null;
  }

  // The time of a place; the edge of a span when one is near.
  snapped({ x, y }) {
    const item = this.item_at(x, y) , time = this.axis.time_at(x);
    if (item === null) return time;
    const edges = [this.data.start[item], this.data.end[item]].map((edge) => [Math.abs(this.axis.x_of(edge) - x), edge]).sort((one, two) => one[0] - two[0]);
    return edges[0][0] <= 7 ? edges[0][1] : time;
  }

  hover(item, place) {
    this.pointer_time = place ? this.axis.time_at(place.x) : null;
    this.canvas.style.cursor = item === null ? "" : "pointer";
    if (item !== null && place) {
      this.tip.replaceChildren(make("b", {}, this.data.label_of(item)), this.data.is_instant[this.data.activity[item]] ? "" : ` ${time_in_words(this.data.duration(item))}`);
      const box = this.canvas.getBoundingClientRect(), outer = this.element.getBoundingClientRect();
      this.tip.style.cssText = `left:${Math.min(box.left - outer.left + place.x + 14, outer.width - 170)}px;top:${box.top - outer.top + place.y + 18}px`;
    }
    this.tip.hidden = item === null;
    if (item === this.hovered) return;
    this.hovered = item;
    if (this.selected === null && this.panel.tabs.current === "Selection") this.panel.update();
    this.changed();
  }

  // `shows`: the view follows.
  select(item, { shows = false } = {}) {
    this.selected = item;
    if (item !== null) {
      this.voice.textContent = this.panel.sentence_of(item);
      if (shows) this.bring_into_view(item);
      if (this.panel.tabs.current !== "Selection") this.panel.tabs.show("Selection");
    }
    if (this.panel.tabs.current === "Selection") this.panel.update();
    this.element.dispatchEvent(new CustomEvent("timeline-select", { detail: item === null ? null : { key: this.key_of(item), line: this.data.fact(item, "line") } }));
    this.changed();
  }

  key_of(item) {
    const run = this.data.runs[this.data.run[item]];
    return run.keys[item - run.base];
  }
  // The item of an operation (its id) or of a call (minus its id), in that run.
  item_of_key(key, number = 0) {
    const place = this.data.runs[number].keys.indexOf(key);
    return place < 0 ? null : place + this.data.runs[number].base;
  }

  bring_into_view(item) {
    const { data, axis } = this, middle = (data.start[item] + data.end[item]) / 2;
    if (data.end[item] < axis.from || data.start[item] > axis.to) axis.show(middle - axis.length / 2, middle + axis.length / 2);
    const [one, number] = this.place(item) ?? [];
    if (!one || one.is_pinned) return;
    const y = one.y + number * one.row_height, room = this.plot.clientHeight - ruler_height - this.pinned;
    if (y < this.scroll) this.plot.scrollTop = y;
    else if (y + one.row_height > this.scroll + room) this.plot.scrollTop = y + one.row_height - room;
  }

  measure(from, to) {
    this.range = from === null || from === to ? null : { from: Math.max(0, Math.min(from, to)), to: Math.min(this.axis.whole, Math.max(from, to)) };
    if (this.range) this.voice.textContent = `${time_in_words(this.range.to - this.range.from)} measured`;
    if (["Totals", "List"].includes(this.panel.tabs.current)) this.panel.update();
    this.changed();
  }

  // ---- search, filter, rows

  search(text) {
    this.search_text = text;
    if (this.search_box.value !== text) this.search_box.value = text;
    this.show_kinds();
  }

  toggle_kind(activity, button) {
    if (!this.kinds_off.delete(activity)) this.kinds_off.add(activity);
    button.setAttribute("aria-pressed", !this.kinds_off.has(activity));
    this.show_kinds();
  }

  show_kinds() {
    const { data } = this;
    let matches = find_items(data, this.search_text);
    if (this.kinds_off.size > 0) {
      matches ??= new Uint8Array(data.count).fill(1);
      for (let item = 0; item < data.count; ++item) if (this.kinds_off.has(data.activity[item])) matches[item] = 0;
    }
    this.matches = matches;
    this.emphasise();
    this.matching = matches === null ? [] : this.items_in_order.filter((item) => matches[item]);
    this.match_words.textContent = this.search_text === "" ? "" : `${this.matching.length.toLocaleString("en")} found`;
    for (const one of this.tracks)
      one.is_filtered = this.filters_rows && matches !== null && one.kind !== "heading" && !one.rows.some(({ items }) => items.some((item) => matches[item]));
    this.panel.first = 0;
    if (["Totals", "List"].includes(this.panel.tabs.current)) this.panel.update();
    if (this.gutter) this.arrange();
  }

  // What does not match, or is not on the critical path when that is shown, goes into the background.
  emphasise() {
    const { matches, shows_path, data } = this;
    this.emphasis = matches || shows_path ? { is_dimmed: (item) => Boolean((matches && !matches[item]) || (shows_path && !data.is_on_path[item])) } : null;
  }

  next_match(step) {
    if (this.matching.length === 0) return;
    const here = this.selected === null ? -1 : this.matching.indexOf(this.selected);
    const count = this.matching.length;
    const next = here >= 0 ? (here + step + count) % count : step > 0 ? 0 : count - 1;
    this.select(this.matching[next], { shows: true });
    this.match_words.textContent = `${(next + 1).toLocaleString("en")} of ${count.toLocaleString("en")}`;
  }

  set_row(one, property, value) {
    one[property] = value;
    this.arrange();
    if (this.panel.tabs.current === "Rows") this.panel.update();
  }

  // ---- walking

  // The row in which the selected item was reached: an operation is in two.
  current_row() {
    const rows = [this.first_row, this.last_row].map((row_of) => this.all_rows[row_of[this.selected]]);
    return rows.find((row_of) => row_of === this.walked_row && row_of[0].is_drawn) ?? this.place(this.selected);
  }

  walk_in_row(step_of) {
    if (this.selected === null) return this.select_first();
    const [one, number] = (this.walked_row = this.current_row()), { items } = one.rows[number];
    const next = step_of(items.indexOf(this.selected), items.length);
    if (next >= 0 && next < items.length) this.select(items[next], { shows: true });
  }

  walk_rows(step) {
    if (this.selected === null) return this.select_first();
    let place = this.all_rows.indexOf(this.current_row()) + step;
    while (this.all_rows[place] && (!this.all_rows[place][0].is_drawn || this.all_rows[place][0].rows[this.all_rows[place][1]].items.length === 0)) place += step;
    if (!this.all_rows[place]) return;
    const { items } = this.all_rows[place][0].rows[this.all_rows[place][1]], { data } = this;
    const middle = (data.start[this.selected] + data.end[this.selected]) / 2;
    const after = next_beyond(items, -1, data.start, middle);
    const distance = (item) => Math.abs((data.start[item] + data.end[item]) / 2 - middle);
    const near = [items[after - 1], items[after]].filter((item) => item !== undefined);
    this.walked_row = this.all_rows[place];
    this.select(near.reduce((best, item) => (distance(item) < distance(best) ? item : best)), { shows: true });
  }

  select_first() {
    const first = this.items_in_order.find((item) => this.data.end[item] >= this.axis.from && this.place(item)[0].is_drawn);
    if (first !== undefined) this.select(first, { shows: true });
  }

  // The middle of what is of interest: the pointer, the selection, the view.
  middle() {
    const { axis, data } = this;
    if (this.pointer_time !== null) return this.pointer_time;
    const middle = this.selected === null ? -1 : (data.start[this.selected] + data.end[this.selected]) / 2;
    return middle >= axis.from && middle <= axis.to ? middle : (axis.from + axis.to) / 2;
  }

  zoom_to_selection() {
    const { data, axis } = this, item = this.selected;
    const [from, to] = this.range ? [this.range.from, this.range.to] : item !== null ? [data.start[item], data.end[item]] : [0, axis.whole];
    const room = this.range ? (to - from) * 0.03 : Math.max((to - from) * 0.1, axis.whole / 5000);
    axis.show(from - room, to + room);
  }

  act(action) {
    const { axis, data, selected } = this;
    const row_of_selected = selected === null ? null : this.current_row()[0];
    const actions = {
      "zoom in": () => axis.zoom(1.6, this.middle()),
      "zoom out": () => axis.zoom(1 / 1.6, this.middle()),
      "move left": () => axis.move(-axis.length * 0.15),
      "move right": () => axis.move(axis.length * 0.15),
      "show all": () => axis.show_all(),
      "zoom to selection": () => this.zoom_to_selection(),
      "previous span": () => this.walk_in_row((place) => place - 1),
      "next span": () => this.walk_in_row((place) => place + 1),
      "first span": () => this.walk_in_row(() => 0),
      "last span": () => this.walk_in_row((_, count) => count - 1),
      "row above": () => this.walk_rows(-1),
      "row below": () => this.walk_rows(1),
      "other end": () => {
        if (selected === null) return;
        const other = data.issued_by[selected] !== no_item ? data.issued_by[selected] : data.issued.get(selected)?.[0];
        if (other !== undefined) this.select(other, { shows: true });
      },
      "cause": () => { if (selected !== null && data.waited_for[selected].length > 0) this.select(data.waited_for[selected][0], { shows: true }); },
      "measure": () => { if (selected !== null) this.measure(data.start[selected], data.end[selected]); },
      "measure from": () => { if (selected !== null) this.measure(data.start[selected], Math.max(this.range?.to ?? axis.whole, data.end[selected])); },
      "measure to": () => { if (selected !== null) this.measure(Math.min(this.range?.from ?? 0, data.start[selected]), data.end[selected]); },
      "critical path": () => {
        if (this.path_button.disabled) return;
        this.shows_path = !this.shows_path;
        this.path_button.setAttribute("aria-pressed", this.shows_path);
        this.emphasise();
      },
      "multiprocessors": () => {
        const folded = this.tracks.filter((one) => one.group === "multiprocessor");
        for (const one of folded) one.is_folded = !one.is_folded;
        this.fold_button.setAttribute("aria-pressed", folded.some((one) => !one.is_folded));
        this.arrange();
        if (this.panel.tabs.current === "Rows") this.panel.update();
      },
      "filter rows": () => {
        this.filters_rows = !this.filters_rows;
        this.only_matches.setAttribute("aria-pressed", this.filters_rows);
        this.show_kinds();
      },
      "search": () => { this.search_box.focus(); this.search_box.select(); },
      "next match": () => this.next_match(1),
      "previous match": () => this.next_match(-1),
      "pin row": () => { if (row_of_selected) this.set_row(row_of_selected, "is_pinned", !row_of_selected.is_pinned); },
      "hide row": () => { if (row_of_selected) this.set_row(row_of_selected, "is_hidden", true); },
      "show all rows": () => {
        for (const one of this.tracks) one.is_hidden = false;
        this.arrange();
        if (this.panel.tabs.current === "Rows") this.panel.update();
      },
      "help": () => this.help.showModal(),
      "clear": () => {
        if (this.range) this.measure(null, null);
        else if (selected !== null) this.select(null);
        else if (this.search_text !== "") this.search("");
        if (document.activeElement === this.search_box) this.canvas.focus({ preventScroll: true });
      },
    };
    actions[action]();
    this.changed();
  }
}

function show_timelines() {
  for (const element of document.querySelectorAll(".timeline-viewer")) {
    if (element.viewer) continue;
    const inside = [...element.querySelectorAll("script[type='application/json']")];
    new timeline_viewer(element, inside.map((script) => JSON.parse(script.textContent)));
  }
}
globalThis.timeline_viewer = timeline_viewer;
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show_timelines);
else show_timelines();
