// panel.js: the words of a run: the selected item, totals, the list of items, the rows.

const list_page = 200;  // rows of the list at a time

class panel {
  constructor(viewer) {
    this.viewer = viewer;
    this.data = viewer.data;
    this.by = "name";
    this.first = 0;
    this.tabs = new tab_set(["Selection", "Totals", "List", "Rows"], () => this.update());
    this.element = this.tabs.element;
    const numeric = "number";
    const several = this.data.runs.length > 1;
    const run_column = several ? [["run", "run", (one) => this.data.runs[one.run].heading]] : [];
    this.totals = new sorted_table("Totals", [
      ["name", "name", (one) => make("span", {}, one.css_class ? chip(one.css_class) : "", without_ticks(one.name))],
      ...run_column,
      ["count", "count", (one) => one.count.toLocaleString("en"), numeric],
      ["total", "total", (one) => time_in_words(one.total), numeric],
      ["busy", "busy", (one) => `${(100 * one.busy).toFixed(1)} %`, numeric],
      ["average", "average", (one) => time_in_words(one.average), numeric],
      ["shortest", "shortest", (one) => time_in_words(one.shortest), numeric],
      ["longest", "longest", (one) => this.link(one.longest_item, time_in_words(one.longest)), numeric],
      ["bytes", "bytes", (one) => (one.bytes > 0 ? size_in_words(one.bytes) : ""), numeric],
    ], "total");
    this.list = new sorted_table("Calls and operations", [
      ["name", "name", (one) => make("span", {}, chip(this.data.css_class(one.item)), this.link(one.item))],
      ...run_column,
      ["start", "start", (one) => moment_in_words(one.start, this.data.length), numeric],
      ["duration", "duration", (one) => (this.data.is_instant[this.data.activity[one.item]] ? "" : time_in_words(one.duration)), numeric],
      ["stream", "stream", (one) => one.stream],
      ["line", "line", (one) => one.line],
      ["why not earlier", "why", (one) => make("span", {}, ...with_code(one.why))],
    ], "start", false);
    this.build();
  }

  build() {
    const by = (value, words) => make("label", {}, make("input", { type: "radio", name: "totals-by", value, checked: value === this.by, onchange: () => { this.by = value; this.update(); } }), words);
    this.totals_note = make("p", { class: "note" });
    this.tabs.panel("Totals").append(make("div", { class: "choices" }, by("name", "by kernel, copy and call"), by("stream", "by stream"), this.totals_note), make("div", { class: "scrolling" }, this.totals.element));
    this.list_note = make("p", { class: "note", "aria-live": "polite" });
    const turn = (words, step) => make("button", { type: "button", onclick: () => { this.first += step * list_page; this.update(); } }, words);
    this.list_turns = [turn("Previous", -1), turn("Next", 1)];
    this.tabs.panel("List").append(make("div", { class: "choices" }, this.list_note, ...this.list_turns), make("div", { class: "scrolling" }, this.list.element));
  }

  // A button that selects an item.
  link(item, words = this.data.label_of(item)) {
    return make("button", { type: "button", class: "link", "data-item": item, onclick: () => this.viewer.select(item, { shows: true }) }, words);
  }

  update() {
    if (this.tabs.current === "Selection") this.show_selection();
    else if (this.tabs.current === "Totals") this.show_totals();
    else if (this.tabs.current === "List") this.show_list();
    else this.show_rows();
  }

  show_selection() {
    const place = this.tabs.panel("Selection"), { data, viewer } = this, item = viewer.selected ?? viewer.hovered;
    if (item === null) {
      place.replaceChildren(make("p", { class: "note" },
        "Point at a span to see what it was, why it did not start earlier, and the line of your program. Click it to keep it. Drag to measure. Press ", make("kbd", {}, "?"), " for the keys."));
      return;
    }
    const terms = [["time", this.time_of(item)]];
    for (const [name, value] of data.facts_of(item)) if (name !== "what" || value !== data.meaning(item)) terms.push([name, value]);
    const links = (items) => make("span", { class: "links" }, ...items.slice(0, 12).map((other) => this.link(other)), items.length > 12 ? `and ${items.length - 12} more` : "");
    if (data.issued_by[item] !== no_item) terms.push(["issued by", this.link(data.issued_by[item])]);
    if (data.issued.has(item)) terms.push(["issued", links(data.issued.get(item))]);
    if (data.waited_for[item].length > 0) terms.push(["waited for", links(data.waited_for[item])]);
    if (data.freed.has(item)) terms.push(["waited for by", links(data.freed.get(item))]);
    place.replaceChildren(
      make("h3", {}, chip(data.css_class(item)), data.label_of(item), data.label_of(item) === data.meaning(item) ? "" : make("small", {}, data.meaning(item))),
      make("dl", {}, ...terms.map(([name, value]) => make("div", { class: value.length > 60 ? "long" : "" }, make("dt", {}, name), make("dd", {}, ...(typeof value === "string" ? with_code(value) : [value]))))),
      viewer.selected === null ? "" : make("div", { class: "choices" },
        make("button", { type: "button", onclick: () => viewer.act("zoom to selection") }, "Zoom to it"),
        make("button", { type: "button", onclick: () => viewer.act("measure from") }, "Measure from here"),
        make("button", { type: "button", onclick: () => viewer.act("measure to") }, "Measure to here")));
  }

  time_of(item) {
    const { data } = this, begin = moment_in_words(data.start[item], data.length);
    if (data.is_instant[data.activity[item]]) return begin;
    return `${begin} to ${moment_in_words(data.end[item], data.length)}, ${time_in_words(data.duration(item))} long`;
  }

  sentence_of(item) {
    const facts = this.data.facts_of(item).filter(([name]) => name !== "what").map(([name, value]) => `${name}: ${value}`);
    return [this.data.label_of(item), this.data.meaning(item), this.time_of(item), ...facts].join("; ");
  }

  show_totals() {
    const { range, matches } = this.viewer, from = range?.from ?? 0, to = range?.to ?? this.data.length;
    this.totals_note.textContent = range ? `In the ${time_in_words(to - from)} that are measured` : "In the whole run; drag in the timeline for a part of it";
    this.totals.fill(totals_of(this.data, { by: this.by, from, to, matches }));
  }

  show_list() {
    const { data } = this, { matches, range } = this.viewer;
    const items = this.viewer.items_in_order.filter((item) => (!matches || matches[item]) && (!range || (data.end[item] >= range.from && data.start[item] <= range.to)));
    this.first = Math.max(0, Math.min(this.first, items.length - 1 - ((items.length - 1) % list_page)));
    const page = items.slice(this.first, this.first + list_page);
    this.list_note.textContent = items.length === 0 ? "Nothing matches." : `${(this.first + 1).toLocaleString("en")} to ${(this.first + page.length).toLocaleString("en")} of ${items.length.toLocaleString("en")} calls and operations`;
    this.list_turns[0].disabled = this.first === 0;
    this.list_turns[1].disabled = this.first + list_page >= items.length;
    this.list.fill(Array.from(page, (item) => ({ item, run: data.run[item], name: data.label_of(item), start: data.start[item], duration: data.duration(item),
                                         stream: without_ticks(data.stream_of(item)), line: data.fact(item, "line"), why: data.fact(item, "why not earlier") })));
  }

  show_rows() {
    const { viewer } = this;
    const box = (one, property, name) => make("label", {}, make("input", { type: "checkbox", checked: one[property], onchange: () => viewer.set_row(one, property, !one[property]) }), name);
    const rows = viewer.tracks.filter((one) => one.kind !== "heading" && !one.is_folded).map((one) =>
      make("li", {}, make("span", { class: "row-name" }, this.data.runs.length > 1 ? `${this.data.runs[one.run].heading}: ` : "", one.name || "row"), box(one, "is_pinned", "pinned"), box(one, "is_hidden", "hidden")));
    this.tabs.panel("Rows").replaceChildren(
      make("div", { class: "choices" }, make("button", { type: "button", onclick: () => viewer.act("show all rows") }, "Show all rows")), make("ul", { class: "rows" }, ...rows));
  }
}
