// run_data.js: the runs of a page as one set of items, in typed arrays. An item is a call, an operation or a named range.
//
// timeline_json.cpp writes a run as an object of columns: `texts` is a table that other columns point into; `keys` has
// the operation's id, or minus the id of a call, or 0 for a range; `rows` have numbers of items. All times are nanoseconds from the begin
// of the part. Here the columns of all runs stand one behind the other, and `base` of a run is its first item.

const no_item = -1;

class run_data {
  constructor(runs) {
    this.runs = runs;
    this.count = runs.reduce((sum, run) => sum + (run.keys?.length ?? 0), 0);
    this.length = Math.max(1, ...runs.map((run) => run.length ?? 0));
    this.texts = [];
    this.start = new Float64Array(this.count);
    this.end = new Float64Array(this.count);
    this.bytes = new Float64Array(this.count);
    this.activity = new Uint8Array(this.count);
    this.run = new Uint8Array(this.count);
    this.device = new Uint16Array(this.count);
    for (const column of ["label", "short_label", "name", "stream"]) this[column] = new Uint32Array(this.count);
    this.issued_by = new Int32Array(this.count).fill(no_item);
    this.is_on_path = new Uint8Array(this.count);
    this.is_call = new Uint8Array(this.count);
    this.colours = new Map();  // of items for which the program chose one
    this.facts = [];       // by item: numbers of texts, name and value in turn
    this.waited_for = [];  // by item: items, the deciding one first
    this.issued = new Map();  // call -> its operations
    this.freed = new Map();   // item -> the items that waited for it
    this.activities = runs.find((run) => run.activities)?.activities ?? [];
    this.is_instant = this.activities.map(([css_class]) => css_class === "record_event" || css_class === "wait_for_event" || css_class === "named_mark");
    let base = 0;
    for (const [number, run] of runs.entries()) base += this.append(run, number, base);
    this.link();
  }

  append(run, number, base) {
    const count = run.keys?.length ?? 0;
    const first_text = this.texts.length;
    const by_key = new Map();
    for (let i = 0; i < count; ++i) if (run.keys[i] !== 0) by_key.set(run.keys[i], base + i);
    for (const [item, argb] of run.colours ?? []) this.colours.set(base + item, `#${(argb & 0xffffff).toString(16).padStart(6, "0")}`);
    const item_of = (key) => by_key.get(key) ?? no_item;
    for (const text of run.texts ?? []) this.texts.push(text);
    for (let i = 0; i < count; ++i) {
      const item = base + i;
      this.run[item] = number;
      this.start[item] = run.start[i];
      this.end[item] = run.start[i] + run.duration[i];
      this.is_call[item] = run.keys[i] < 0 ? 1 : 0;
      for (const column of ["bytes", "activity", "device"]) this[column][item] = run[column][i];
      for (const column of ["label", "short_label", "name", "stream"]) this[column][item] = run[column][i] + first_text;
      this.issued_by[item] = item_of(run.issued_by[i]);
      this.facts.push(run.facts[i].map((text) => text + first_text));
      this.waited_for.push(run.waited_for[i].map(item_of).filter((other) => other !== no_item));
    }
    run.base = base;
    run.path = (run.critical_path ?? []).map((item) => item + base);
    for (const item of run.path) this.is_on_path[item] = 1;
    return count;
  }

  // Both ways: what a call issued, and what waited for an item.
  link() {
    const add = (map, key, value) => { if (map.has(key)) map.get(key).push(value); else map.set(key, [value]); };
    for (let item = 0; item < this.count; ++item) {
      if (this.issued_by[item] !== no_item) add(this.issued, this.issued_by[item], item);
      for (const other of this.waited_for[item]) add(this.freed, other, item);
    }
  }

  duration(item) { return this.end[item] - this.start[item]; }
  css_class(item) { return this.activities[this.activity[item]][0]; }
  meaning(item) { return this.activities[this.activity[item]][1]; }
  label_of(item) { return this.texts[this.label[item]]; }
  name_of(item) { return this.texts[this.name[item]]; }
  stream_of(item) { return this.texts[this.stream[item]]; }
  facts_of(item) {
    const pairs = [];
    for (let i = 0; i < this.facts[item].length; i += 2)
      pairs.push([this.texts[this.facts[item][i]], this.texts[this.facts[item][i + 1]]]);
    return pairs;
  }
  fact(item, name) { return this.facts_of(item).find(([fact]) => fact === name)?.[1] ?? ""; }
}
