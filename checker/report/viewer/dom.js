// dom.js: elements. Text from programs goes through make() and is text, never markup.

// make("button", { class: "x", onclick: f }, "words", element): attributes, and listeners for names that begin with "on".
function make(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...content.filter((part) => part !== null && part !== ""));
  return element;
}

// The sentences of the program have code between backticks.
const with_code = (text) => text.split("`").map((part, i) => (i % 2 === 1 ? make("code", {}, part) : part));
const without_ticks = (text) => text.replaceAll("`", "");

const chip = (css_class) => make("span", { class: `chip ${css_class}`, "aria-hidden": "true" });

// A table that sorts when a title is pressed. Columns: [title, key, cell of a row, css class].
class sorted_table {
  constructor(caption, columns, sort_key, is_descending = true) {
    this.columns = columns;
    this.sort_key = sort_key;
    this.is_descending = is_descending;
    this.body = make("tbody");
    this.titles = columns.map(([title, key, , css_class]) =>
      make("th", { scope: "col", class: css_class ?? "" }, make("button", { type: "button", onclick: () => this.sort_by(key) }, title)));
    this.element = make("table", {}, make("caption", { class: "unseen" }, caption), make("thead", {}, make("tr", {}, ...this.titles)), this.body);
  }
  sort_by(key) {
    this.is_descending = key === this.sort_key ? !this.is_descending : typeof this.rows[0]?.[key] !== "string";
    this.sort_key = key;
    this.fill(this.rows);
  }
  fill(rows) {
    this.rows = rows;
    const order = (one, two) => (typeof one === "string" ? one.localeCompare(two) : one - two) * (this.is_descending ? -1 : 1);
    rows.sort((one, two) => order(one[this.sort_key], two[this.sort_key]));
    for (const [i, [, key]] of this.columns.entries())
      this.titles[i].setAttribute("aria-sort", key !== this.sort_key ? "none" : this.is_descending ? "descending" : "ascending");
    this.body.replaceChildren(...rows.map((one) => make("tr", {}, ...this.columns.map(([, , cell, css_class]) => make("td", { class: css_class ?? "" }, cell(one))))));
  }
}

// Tabs with their panels; the arrow keys go from tab to tab.
class tab_set {
  constructor(names, on_change) {
    this.on_change = on_change;
    this.tabs = names.map((name) => make("button", { type: "button", role: "tab", "data-tab": name, onclick: () => this.show(name) }, name));
    this.panels = names.map((name) => make("div", { role: "tabpanel", "data-panel": name, "aria-label": name, tabindex: "0" }));
    this.bar = make("div", { role: "tablist", class: "tabs", onkeydown: (event) => this.walk(event) }, ...this.tabs);
    this.element = make("div", { class: "panel" }, this.bar, ...this.panels);
    this.names = names;
  }
  panel(name) { return this.panels[this.names.indexOf(name)]; }
  show(name) {
    this.current = name;
    for (const [i, tab] of this.tabs.entries()) {
      const is_shown = this.names[i] === name;
      tab.setAttribute("aria-selected", is_shown);
      tab.tabIndex = is_shown ? 0 : -1;
      this.panels[i].hidden = !is_shown;
    }
    this.on_change(name);
  }
  walk(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const next = (this.names.indexOf(this.current) + step + this.names.length) % this.names.length;
    this.show(this.names[next]);
    this.tabs[next].focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
