// playground.js: recorded runs to choose from: lesson, answer, GPU. playground.py writes them, one script file a run.
"use strict";
{
  const loaded = new Map();  // by name: the run and its source
  const waiting = new Map();
  globalThis.playground_run = (name, data) => {
    loaded.set(name, data);
    waiting.get(name)?.(data);
  };
  function load(name) {
    if (loaded.has(name)) return Promise.resolve(loaded.get(name));
    return new Promise((resolve) => {
      waiting.set(name, resolve);
      const script = document.createElement("script");
      script.src = `runs/${name}.js`;
      document.head.append(script);
    });
  }

  function choice(label, options, chosen, on_change) {
    const outer = document.createElement("label"), select = document.createElement("select");
    outer.append(`${label} `, select);
    for (const [value, words] of options) select.append(new Option(words, value, false, value === chosen));
    select.addEventListener("change", () => on_change(select.value));
    return outer;
  }

  class playground {
    constructor(element) {
      this.element = element;
      const { lessons, profiles } = globalThis.playground_index;
      this.lesson = lessons.find(({ number }) => number === element.dataset.lesson) ?? lessons[0];
      this.answer = "as_it_comes";
      this.profile = profiles[0][0];
      this.bar = document.createElement("div");
      this.bar.className = "playground-choices";
      this.place = document.createElement("div");
      this.code = document.createElement("details");
      element.replaceChildren(this.bar, this.place, this.code);
      this.choose();
    }

    choose() {
      const { lessons, profiles } = globalThis.playground_index;
      const change = (property) => (value) => { this[property] = value; this.choose(); };
      this.bar.replaceChildren(
        choice("Lesson", lessons.map(({ number, title }) => [number, `${number} ${title}`]), this.lesson.number,
          (number) => { this.lesson = lessons.find((one) => one.number === number); this.answer = "as_it_comes"; this.choose(); }),
        choice("Answer", this.lesson.answers, this.answer, change("answer")),
        choice("GPU", profiles, this.profile, change("profile")));
      this.show(`${this.lesson.number}_${this.answer}_${this.profile}`);
    }

    async show(name) {
      const { run, source } = await load(name);
      if (name !== `${this.lesson.number}_${this.answer}_${this.profile}`) return;  // another one was chosen meanwhile
      const viewer = document.createElement("div");
      viewer.className = "timeline timeline-viewer";
      this.place.firstElementChild?.viewer.dispose();
      this.place.replaceChildren(viewer);
      new globalThis.timeline_viewer(viewer, [run]);
      this.show_code(source);
      viewer.addEventListener("timeline-select", ({ detail }) => this.point_at(detail?.line ?? ""));
    }

    show_code(source) {
      const summary = document.createElement("summary"), text = document.createElement("pre");
      summary.textContent = "The program; a click on a span shows its line";
      text.append(...source.split("\n").map((line) => {
        const row = document.createElement("span");
        row.textContent = `${line}\n`;
        return row;
      }));
      this.code.replaceChildren(summary, text);
    }

    point_at(line) {
      const rows = this.code.querySelectorAll("pre span"), row = rows[Number(line.match(/:(\d+)$/)?.[1]) - 1];
      for (const other of rows) other.classList.toggle("pointed-at", other === row);
      if (row && this.code.open) row.scrollIntoView({ block: "nearest" });
    }
  }

  for (const element of document.querySelectorAll(".playground")) new playground(element);
}
