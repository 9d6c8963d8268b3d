// Zoom, move, point, and the arrows of what an operation waited for. Everything it shows stands in the drawings:
// data-from and data-to are nanoseconds from the begin of the part, data-key names an operation ("o12") or a call
// ("c5"), data-waits the keys of what it waited for, the deciding one first. Without it the page is still whole.
"use strict";
(() => {
  const svg_namespace = "http://www.w3.org/2000/svg";
  const pad = 6;             // of the plot, as drawn
  const narrowest = 760;     // units of a drawing; a narrower window scales it down
  const pixels_a_tick = 90;  // at least
  const pixels_of = (text) => 7.4 * text.length + 3.6 * (text.match(/[mwMW]/g)?.length ?? 0);
  const max_event_arrows = 40;  // more would hide what they join
  const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];

  const drawings = [...document.querySelectorAll("svg.timeline")].filter((svg) => svg.querySelector(".plot"));
  const facts = document.querySelector(".facts");
  const idle_words = facts.innerHTML;
  const whole = Math.max(1, ...drawings.map((svg) => Number(svg.dataset.length)));
  const view = { from: 0, to: whole };
  let shown = null;  // the span whose facts are shown

  const numbers_of = (element) => ({ from: Number(element.dataset.from), to: Number(element.dataset.to) });

  class drawing {
    constructor(svg) {
      this.svg = svg;
      this.plot = svg.querySelector(".plot");
      this.lanes = [...svg.querySelectorAll(".lane")].map((lane) =>
        [...lane.querySelectorAll(".span")].sort((one, two) => numbers_of(one).from - numbers_of(two).from));
      this.spans = this.lanes.flat();
      this.by_key = new Map();
      for (const [lane, spans] of this.lanes.entries()) {
        for (const span of spans) {
          span.lane = lane;
          span.drawing = this;
          const same = this.by_key.get(span.dataset.key) ?? [];
          this.by_key.set(span.dataset.key, [...same, span]);
        }
      }
      svg.setAttribute("role", "group");
      svg.classList.add("interactive");
      for (const span of this.spans) this.name(span);
      if (this.spans.length > 0) this.spans[0].setAttribute("tabindex", "0");
    }

    // The tooltip's text becomes the name that a screen reader says; the facts appear below instead.
    name(span) {
      const title = span.querySelector("title");
      span.facts = title.textContent;
      title.remove();
      span.setAttribute("role", "img");
      span.setAttribute("aria-label", span.facts.replaceAll("\n", "; "));
      span.setAttribute("tabindex", "-1");
      if (!span.querySelector("rect") || span.querySelector("text")) return;
      const text = document.createElementNS(svg_namespace, "text");
      text.setAttribute("y", Number(span.dataset.y) + 4);
      span.append(text);
    }

    get plot_width() { return Number(this.plot.getAttribute("width")) - 2 * pad; }
    x_of(time) { return pad + ((time - view.from) / (view.to - view.from)) * this.plot_width; }

    layout() {
      const box = this.svg.viewBox.baseVal;
      const width = Math.max(narrowest, Math.round(this.svg.parentElement.clientWidth));
      this.svg.setAttribute("viewBox", `0 0 ${width} ${box.height}`);
      this.svg.setAttribute("width", width);
      this.plot.setAttribute("width", width - Number(this.plot.getAttribute("x")) - Number(this.svg.dataset.margin));
    }

    draw() {
      for (const element of this.plot.querySelectorAll("[data-from]")) this.place(element);
      this.draw_ticks();
      this.draw_arrows();
    }

    place(element) {
      const { from, to } = numbers_of(element);
      const x = this.x_of(from);
      const path = element.querySelector("path");
      if (path) {
        path.setAttribute("transform", `translate(${x.toFixed(2)} ${element.dataset.y})`);
        return;
      }
      // Far outside the plot coordinates would lose their precision.
      const left = Math.max(x, -20), right = Math.min(this.x_of(to), this.plot_width + 40);
      const rect = element.querySelector("rect");
      rect.setAttribute("x", left.toFixed(2));
      rect.setAttribute("width", Math.max(right - left - 0.7, x > this.plot_width + 20 || right < 0 ? 0 : 1).toFixed(2));
      const text = element.querySelector("text");
      if (!text) return;
      const visible_left = Math.max(left, pad), room = Math.min(right, this.plot_width + pad) - visible_left - 6;
      const labels = [element.dataset.label, element.dataset.short ?? ""];
      text.textContent = labels.find((label) => pixels_of(label) <= room) ?? "";
      text.setAttribute("x", (visible_left + 4).toFixed(2));
    }

    draw_ticks() {
      const ticks = this.plot.querySelector(".ticks");
      const height = this.plot.getAttribute("height");
      const min_step = ((view.to - view.from) * pixels_a_tick) / this.plot_width;
      const power = 10 ** Math.floor(Math.log10(min_step));
      const step = Math.max(1, [1, 2, 5, 10].map((digit) => digit * power).find((length) => length >= min_step));
      const [unit, length] = units.find(([, nanoseconds]) => whole >= 10 * nanoseconds) ?? units[3];
      const made = [];
      for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
        const tick = document.createElementNS(svg_namespace, "g");
        tick.setAttribute("class", "tick");
        const x = this.x_of(time).toFixed(2), label = `${Number((time / length).toPrecision(9))}`;
        const room = pixels_of(label) / 2;
        const line = document.createElementNS(svg_namespace, "line");
        for (const [name, value] of [["x1", x], ["x2", x], ["y1", 20], ["y2", height]]) line.setAttribute(name, value);
        const text = document.createElementNS(svg_namespace, "text");
        text.setAttribute("x", x);
        text.setAttribute("y", 13);
        if (x < room) text.setAttribute("style", "text-anchor: start");
        if (x > this.plot_width + 2 * pad - room) text.setAttribute("style", "text-anchor: end");
        text.textContent = label;
        tick.append(line, text);
        made.push(tick);
      }
      ticks.replaceChildren(...made);
      this.svg.querySelector(".axis").textContent = `time in ${unit}`;
    }

    // Of the two places of an operation the one in its stream, where order is made.
    place_of(key) { return this.by_key.get(key)?.at(-1); }

    draw_arrows() {
      const arrows = this.plot.querySelector(".arrows");
      for (const span of this.spans) span.classList.remove("source");
      const pairs = [];
      if (shown?.drawing === this) {
        const target = this.place_of(shown.dataset.key);
        for (const [place, key] of (shown.dataset.waits ?? "").split(" ").filter(Boolean).entries()) {
          const source = this.place_of(key);
          if (!source) continue;
          for (const span of this.by_key.get(key)) span.classList.add("source");
          if (source.lane !== target.lane) pairs.push([source, target, place === 0 ? "" : " minor"]);
        }
      } else {
        for (const span of this.plot.querySelectorAll(".wait_for_event")) {
          const source = this.place_of((span.dataset.waits ?? "").split(" ")[0]);
          if (source && source.lane !== span.lane) pairs.push([source, span, ""]);
        }
        if (pairs.length > max_event_arrows) pairs.length = 0;
      }
      arrows.replaceChildren(...pairs.flatMap((pair) => this.arrow(...pair)));
    }

    arrow(source, target, strength) {
      const start = numbers_of(target).from;
      const x1 = this.x_of(Math.min(numbers_of(source).to, start)), x2 = this.x_of(start);
      const y1 = Number(source.dataset.y), y2 = Number(target.dataset.y);
      const path = (name, d) => {
        const made = document.createElementNS(svg_namespace, "path");
        made.setAttribute("class", name + strength);
        made.setAttribute("d", d);
        return made;
      };
      if (x2 - x1 < 24) {  // too steep for a curve
        const side = y2 > y1 ? 1 : -1;
        return [
          path("arrow", `M${x1} ${y1} L${x2} ${y2 - 12 * side}`),
          path("head", `M${x2} ${y2 - 6 * side} l-3.5 ${-7 * side} h7 z`),
        ];
      }
      const bend = (x2 - x1) / 2;
      return [
        path("arrow", `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 11} ${y2}`),
        path("head", `M${x2 - 6} ${y2} l-7 -3.5 v7 z`),
      ];
    }
  }

  const all = drawings.map((svg) => new drawing(svg));
  const redraw = () => all.forEach((picture) => picture.draw());

  function look_at(from, to) {
    const length = Math.min(whole, Math.max(to - from, Math.min(whole, 100)));
    view.from = Math.min(Math.max(0, (from + to - length) / 2), whole - length);
    view.to = view.from + length;
    redraw();
  }
  function zoom(factor, middle) {
    look_at(middle - (middle - view.from) / factor, middle + (view.to - middle) / factor);
  }
  function move(share) {
    const by = Math.min(Math.max(share * (view.to - view.from), -view.from), whole - view.to);
    look_at(view.from + by, view.to + by);
  }
  const middle_of_interest = () => {
    if (!shown) return (view.from + view.to) / 2;
    const { from, to } = numbers_of(shown);
    const middle = (from + to) / 2;
    return middle >= view.from && middle <= view.to ? middle : (view.from + view.to) / 2;
  };

  function show(span) {
    if (shown === span) return;
    for (const picture of all) {
      for (const other of picture.spans) other.classList.toggle("shown", span !== null && picture === span.drawing && other.dataset.key === span.dataset.key);
    }
    shown = span;
    if (span === null) {
      facts.innerHTML = idle_words;
    } else {
      const [name, ...lines] = span.facts.split("\n");
      const heading = document.createElement("h3");
      heading.textContent = name;
      const list = document.createElement("dl");
      for (const line of lines) {
        const colon = line.indexOf(": ");
        const row = document.createElement("div"), term = document.createElement("dt"), value = document.createElement("dd");
        term.textContent = line.slice(0, colon);
        value.textContent = line.slice(colon + 2);
        if (value.textContent.length > 60) row.className = "long";
        row.append(term, value);
        list.append(row);
      }
      facts.replaceChildren(heading, list);
    }
    all.forEach((picture) => picture.draw_arrows());
  }

  function focus(span) {
    if (!span) return;
    for (const other of span.drawing.spans) other.setAttribute("tabindex", "-1");
    span.setAttribute("tabindex", "0");
    const { from, to } = numbers_of(span);
    if (to < view.from || from > view.to) {
      const half = (view.to - view.from) / 2;
      look_at(from - half, from + half);
    }
    span.focus({ preventScroll: false });
  }

  function neighbour(span, key) {
    const { lanes } = span.drawing;
    const own = lanes[span.lane], place = own.indexOf(span);
    if (key === "ArrowLeft") return own[place - 1];
    if (key === "ArrowRight") return own[place + 1];
    if (key === "Home") return own[0];
    if (key === "End") return own.at(-1);
    const step = key === "ArrowUp" ? -1 : 1;
    let lane = span.lane + step;
    while (lanes[lane]?.length === 0) lane += step;
    const middle = (element) => (numbers_of(element).from + numbers_of(element).to) / 2;
    return lanes[lane]?.reduce((best, other) =>
      Math.abs(middle(other) - middle(span)) < Math.abs(middle(best) - middle(span)) ? other : best);
  }

  const actions = {
    "+": () => zoom(1.6, middle_of_interest()),
    "=": () => zoom(1.6, middle_of_interest()),
    "-": () => zoom(1 / 1.6, middle_of_interest()),
    "0": () => look_at(0, whole),
    Escape: () => { document.activeElement.blur(); show(null); },
    Enter: () => {
      if (!shown) return;
      const { from, to } = numbers_of(shown), room = Math.max(to - from, whole / 200);
      look_at(from - room, to + room);
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button")) return;
    const span = event.target.closest(".span");
    if (event.shiftKey && /^Arrow(Left|Right)$/.test(event.key)) {
      move(event.key === "ArrowLeft" ? -0.2 : 0.2);
    } else if (span && /^(Arrow|Home$|End$)/.test(event.key)) {
      focus(neighbour(span, event.key));
    } else if (actions[event.key]) {
      actions[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });

  for (const picture of all) {
    const { svg, plot } = picture;
    const time_at = (event) => {
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const x = (event.clientX - svg.getBoundingClientRect().left) / scale - Number(plot.getAttribute("x")) - pad;
      return view.from + (x / picture.plot_width) * (view.to - view.from);
    };
    plot.addEventListener("wheel", (event) => {
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(sideways / 800);
      else zoom(Math.exp(-event.deltaY * 0.002), time_at(event));
    }, { passive: false });

    let grabbed = null;  // the time under the pointer
    plot.addEventListener("pointerdown", (event) => { if (event.button === 0) grabbed = { x: event.clientX, time: time_at(event) }; });
    window.addEventListener("pointermove", (event) => {
      if (!grabbed || (Math.abs(event.clientX - grabbed.x) < 4 && !plot.classList.contains("moving"))) return;
      plot.classList.add("moving");
      move((grabbed.time - time_at(event)) / (view.to - view.from));
    });
    window.addEventListener("pointerup", () => { grabbed = null; plot.classList.remove("moving"); });

    svg.addEventListener("pointerover", (event) => { if (!grabbed) show(event.target.closest(".span") ?? focused()); });
    svg.addEventListener("pointerleave", () => show(focused()));
    svg.addEventListener("click", (event) => focus(event.target.closest(".span")));
    svg.addEventListener("focusin", (event) => show(event.target.closest(".span")));
  }
  function focused() { return document.activeElement?.closest(".span") ?? null; }

  for (const button of document.querySelectorAll("[data-action]")) {
    button.addEventListener("click", () => actions[button.dataset.action]());
  }
  document.querySelector(".tools").hidden = false;

  const layout = () => { all.forEach((picture) => picture.layout()); redraw(); };
  window.addEventListener("resize", layout);
  window.addEventListener("beforeprint", () => show(null));
  layout();
})();
