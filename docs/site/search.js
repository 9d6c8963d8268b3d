// search.js: the search box of each page, in the place of Doxygen's script of that name, whose interface it keeps. It finds words of
// the pages, section by section, and names of the headers. A page opened with ?search=WORDS begins with their results.
"use strict";

/** Sections and names that hold every word of the query, the best first: {url, title, heading, text, words}. */
function found_in(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [];
  const found = [];
  for (const [title, file, sections] of index.pages) {
    const page_title = (/^\d\d /.test(title) ? `lesson ${title}` : title).toLowerCase();
    sections.forEach(([anchor, heading, text], place) => {
      const in_heading = heading.toLowerCase();
      const in_text = text.toLowerCase();
      let score = place === 0 ? 0.5 : 0;
      for (const word of words) {
        const times = in_text.split(word).length - 1;
        const of_title = page_title.includes(word) ? (place === 0 ? 40 : 1) : 0;
        const of_heading = in_heading.includes(word) ? 20 : 0;
        if (times + of_title + of_heading === 0) return;
        score += of_title + of_heading + Math.min(times, 8) * 0.5;
      }
      if (words.length > 1 && `${page_title} ${in_heading} ${in_text}`.includes(words.join(" "))) score += 15;
      found.push({ url: anchor ? `${file}#${anchor}` : file, title, heading, text, words, score });
    });
  }
  found.sort((one, two) => two.score - one.score);
  const names = index.names.filter(([name]) => words.every((word) => name.toLowerCase().includes(word)))
    .sort(([one], [two]) => one.length - two.length)
    .map(([name, url, scope]) => ({ url, title: name, heading: scope, text: "", words }));
  return [...found.slice(0, 24), ...names.slice(0, 12)];
}

class SearchBox {
  constructor(name, path) {
    this.path = path;
    this.list = null;
  }

  // ---- what the page calls

  OnSearchFieldFocus(is_focused) {
    const field = this.field();
    if (!field) return;
    field.placeholder = "Search";
    field.setAttribute("aria-label", "Search the pages");
    field.setAttribute("autocomplete", "off");
    if (field.value === "Search") field.value = "";
    document.getElementById("MSearchBox").className = is_focused ? "MSearchBoxActive" : "MSearchBoxInactive";
  }
  OnSearchFieldChange(event) {
    if (event.key === "Escape") return this.CloseResultsWindow();
    if (event.key === "ArrowDown") return this.list?.querySelector("a")?.focus();
    if (event.key === "Enter") return this.list?.querySelector("a")?.click();
    this.show(this.field().value);
  }
  OnSearchSelectShow() {}
  OnSearchSelectHide() {}
  OnSearchSelectKey() {}
  CloseResultsWindow() {
    this.list?.remove();
    this.list = null;
    const field = this.field();
    if (field) field.value = "";
  }

  // ---- results

  field() { return document.getElementById("MSearchField"); }

  show(query) {
    if (!globalThis.search_index) {
      this.wanted = query;
      if (this.is_loading) return;
      this.is_loading = true;
      const script = document.createElement("script");
      script.src = `${this.path}/words.js`;
      script.onload = () => this.show(this.wanted);
      document.head.append(script);
      return;
    }
    this.list?.remove();
    this.list = null;
    if (query.trim() === "") return;
    const root = this.path.replace(/search$/, "");
    const found = found_in(globalThis.search_index, query);
    this.list = document.createElement("nav");
    this.list.id = "search-results";
    this.list.setAttribute("aria-label", "Results of the search");
    const says = document.createElement("p");
    says.setAttribute("role", "status");
    says.textContent = found.length === 0 ? "Nothing has these words." : "";
    this.list.append(says, ...found.map((one) => this.entry(one, root)));
    this.list.addEventListener("keydown", (event) => this.walk(event));
    document.body.append(this.list);
  }

  entry({ url, title, heading, text, words }, root) {
    const link = document.createElement("a");
    link.href = root + url;
    const name = document.createElement("strong");
    name.append(...marked(title, words));
    link.append(name, ...(heading ? [" \u203a ", ...marked(heading, words)] : []));
    const at = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0));
    if (Number.isFinite(at)) {
      const from = Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 50)));
      const words_around = document.createElement("span");
      words_around.append(from > 0 ? "\u2026" : "", ...marked(text.slice(from, at + 110), words), "\u2026");
      link.append(words_around);
    }
    link.addEventListener("click", () => this.CloseResultsWindow());
    return link;
  }

  walk(event) {
    if (event.key === "Escape") {
      this.CloseResultsWindow();
      this.field()?.focus();
    }
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = document.activeElement[step];
    if (next?.tagName === "A") next.focus();
    else if (event.key === "ArrowUp") this.field()?.focus();
  }
}

/** The text in parts, those that are one of the words marked. */
function marked(text, words) {
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "i");
  return text.split(pattern).map((part, place) => {
    if (place % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}

function init_search() {
  // The box comes late, and again when the window changes between phone and desktop.
  const box = searchBox;  // a variable of each page
  window.addEventListener("load", () => {
    box.OnSearchFieldFocus(false);
    const wanted = new URLSearchParams(location.search).get("search");
    if (wanted) {
      box.field().value = wanted;
      box.show(wanted);
    }
  });
  document.addEventListener("pointerdown", (event) => {
    if (box.list && !event.target.closest("#search-results, #MSearchBox")) box.CloseResultsWindow();
  });
}
