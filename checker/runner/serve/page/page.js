// page.js: the page of `streamlings serve`. What it shows is the state, which the server sends whenever it changes; what it
// does is send actions. Texts of programs and reports become text nodes, never markup; lessons and hints are HTML that the
// server made from the course's own Markdown.
"use strict";
{
  // As in the viewer's dom.js, which keeps its names to itself.
  const make = (tag, attributes = {}, ...content) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...content.filter((part) => part !== null && part !== undefined && part !== ""));
    return element;
  };
  const with_code = (text) => text.split("`").map((part, i) => (i % 2 === 1 ? make("code", {}, part) : part));
  const html = (text) => { const box = make("div"); box.innerHTML = text; return box; };
  const at = (id) => document.getElementById(id);
  // "The surprise", in quotes: leads to that section of the text.
  const with_sections = (text) => text.split(/"([^"]+)"/).flatMap((part, i) => {
    const heading = i % 2 === 1 && at(section_id(part));
    return heading ? ["\"", make("button", { type: "button", class: "link", onclick: () => reveal(heading, "start") }, part), "\""] : with_code(i % 2 === 1 ? `"${part}"` : part);
  });
  const section_id = (title) => title.toLowerCase().replaceAll(" ", "-");
  const words = (name) => name.replaceAll("_", " ");
  const duration = (ns) => (ns >= 1e6 ? `${(ns / 1e6).toPrecision(3)} ms` : ns >= 1e3 ? `${(ns / 1e3).toPrecision(3)} us` : `${ns} ns`);

  let state = null;
  let shown_lesson = null;
  let shown_timeline = null;
  let viewer = null;

  let asked_view = null;  // until the server has it
  let awaited = null;  // {id, block} of the section that an action fills

  async function act(action, details = {}) {
    say("");
    let problem = "";
    try {
      const answer = await fetch("act", { method: "POST", body: JSON.stringify({ action, ...details }) });
      if (!answer.ok) problem = "The server did not take it. Try again.";
    } catch {
      problem = "The server cannot be reached.";
    }
    if (problem === "") return;
    asked_view = null;
    say(problem);
  }
  // For an action whose result is in a section of the page, which is shown when it comes.
  function act_for(id, block, action, details) {
    awaited = { id, block };
    if (!at(id).hidden) reveal(at(id), block);
    act(action, details);
  }
  function reveal(place, block) {
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block });
  }
  function reveal_awaited(place) {
    if (awaited?.id !== place.id || place.hidden) return;
    reveal(place, awaited.block);
    awaited = null;
  }

  const notice = at("notice");
  // Beside the field that it is about, or the buttons that were used.
  function say(text, question = "") {
    if (notice.isConnected && notice.textContent === text) return;
    const field = [...at("questions").querySelectorAll("input")].find((one) => one.name === question);
    const used = document.activeElement?.closest("section")?.id;
    const neighbour = field ? field.closest(".answer") : used === "run" ? at("run").querySelector(".bar") : used === "questions" ? at("questions") : at("file");
    neighbour.after(notice);
    notice.textContent = text;
    notice.hidden = text === "";
    field?.focus();
    if (text !== "") notice.scrollIntoView({ block: "nearest" });
  }

  // ---- places in files

  // "async_copy.cu:41": a link that VS Code opens, and the place itself to copy. Pressing the place shows its bars.
  function place_link(place) {
    const [, file, line] = /^(.*):(\d+)$/.exec(place) ?? [];
    if (!file) return make("span", {}, place);
    const path = file.includes("/") ? `${state.root}/${file}` : `${state.root}/${state.source.replace(/[^/]*$/, "")}${file}`;
    return make("span", { class: "place" },
      make("button", { type: "button", class: "link", "data-place": place, title: "Show the bars of this line", onclick: () => show_line(line) }, place), " ",
      make("a", { href: `vscode://file${encodeURI(path)}:${line}`, title: "Open in VS Code" }, "open"), " ",
      make("button", { type: "button", class: "link", title: "Copy the place", onclick: () => navigator.clipboard?.writeText(`${path}:${line}`) }, "copy"));
  }
  function place_with_callers(place, why) {
    const called = why.called_from?.find((one) => one.place === place);
    return called ? [place_link(place), ` (${called.in_words})`] : [place_link(place)];
  }
  function show_line(line) {
    if (!viewer) return;
    viewer.search(`line:${line}`);
    if (viewer.matching.length > 0) viewer.select(viewer.matching[0], { shows: true });
    at("run").scrollIntoView({ block: "nearest" });
  }

  // ---- the parts of the page

  function show_head() {
    const select = at("lesson");
    const marks = { done: "\u2713 ", edited: "\u2713 ", outdated: "\u2713 " };
    const options = (state.lessons ?? []).map((one) => make("option", { value: one.number, selected: one.number === state.lesson }, `${marks[one.state] ?? ""}${one.number} ${one.title}`));
    if (document.activeElement !== select || select.value !== state.lesson) select.replaceChildren(...options);
    select.value = state.lesson;
    const check = state.running.find((one) => one.kind === "check");
    const { result } = state;
    const head = at("verdict");
    head.className = "";
    if (check) head.textContent = `checking: ${check.phase}, ${check.seconds.toFixed(1)} s`;
    else if (state.problem) head.textContent = "not decided";
    else if (!result) head.textContent = "not checked yet";
    else {
      const points = result.criteria.length > 0 ? `, ${result.points} of ${result.criteria.reduce((sum, one) => sum + one.points, 0)} points` : "";
      head.textContent = `${result.verdict === "pass" ? "passed" : words(result.verdict)}${points}${state.is_fresh ? "" : " (the file has changed since)"}`;
      head.className = result.verdict === "pass" ? "pass" : "fail";
    }
    document.title = `${head.textContent} \u2013 ${state.lesson} \u2013 streamlings`;
  }

  // Asks until the server answers, as the stream of states does. Nothing where it has no such thing.
  async function read(address) {
    for (;;) {
      try {
        const answer = await fetch(address);
        return answer.ok ? await answer.json() : null;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 2000));
      }
    }
  }

  async function show_text() {
    const { lesson } = state;
    if (shown_lesson === lesson) return;
    shown_lesson = lesson;
    const page = await read(`lesson?number=${lesson}`);
    if (!page || shown_lesson !== lesson) return;  // another one has been opened
    const box = html(page.html);
    for (const link of box.querySelectorAll("a[href]")) settle_link(link, page.folder);
    for (const heading of box.querySelectorAll("h2")) heading.id = section_id(heading.textContent);
    // Long names may break where a word of them begins.
    for (const name of box.querySelectorAll("td code")) name.replaceChildren(...name.textContent.split(/(?=[A-Z][a-z])/).flatMap((word) => [word, make("wbr")]));
    at("text").replaceChildren(...box.childNodes);
    at("text").scrollTop = 0;
    // Their links to sections of the text.
    for (const place of [at("questions"), at("result")]) delete place.dataset.drawn;
    show(state);
  }
  // Other lessons open here, files in the editor, the rest in a tab of its own.
  function settle_link(link, folder) {
    const target = link.getAttribute("href");
    if (target.startsWith("#")) return;
    if (/^https?:/.test(target)) {
      link.target = "_blank";
      link.rel = "noreferrer";
      return;
    }
    const path = new URL(target, `file:///lessons/${folder}/README.md`).pathname;
    const other = /^\/lessons\/(\d\d)_[^/]*\/README\.md$/.exec(path);
    link.href = other ? "#" : `vscode://file${encodeURI(state.root + path)}`;
    if (other) link.addEventListener("click", (event) => { event.preventDefault(); act("open", { lesson: other[1] }); });
  }

  function show_questions() {
    const { asks, list } = state.questions ?? { asks: false, list: [] };
    const place = at("questions");
    place.hidden = list.length === 0;
    const drawn = JSON.stringify([state.lesson, asks, list]);
    if (drawn === place.dataset.drawn) return;  // keeps what is being typed
    place.dataset.drawn = drawn;
    if (!asks) {
      place.replaceChildren(make("h2", {}, "What you expected"), make("ol", {}, ...list.map((one) => {
        const item = make("li", {}, ...html(one.html).childNodes);
        item.append(make("p", { class: one.is_right ? "pass words" : "words" }, ...with_sections(one.words)));
        return item;
      })));
      return;
    }
    const form = make("form", { onsubmit: (event) => { event.preventDefault(); send(true); } },
      make("h2", {}, "What do you expect?"),
      make("p", { class: "muted" }, "Say it before anything runs. What is measured is shown beside it later."),
      make("ol", {}, ...list.map((one) => {
        const item = make("li", {}, ...html(one.html).childNodes);
        item.append(make("div", { class: "answer" }, make("input", { type: "text", maxlength: 200, name: one.id, value: one.answer, "aria-label": "Your answer", "aria-describedby": "notice", autocomplete: "off" }), one.unit));
        return item;
      })),
      make("div", { class: "bar" }, make("button", { type: "submit" }, "Keep my answers, and check"), make("button", { type: "button", onclick: () => send(false) }, "Skip")));
    const send = (keeps) => {
      const answers = {};
      if (keeps) for (const one of form.querySelectorAll("input")) answers[one.name] = one.value.trim();
      act("predict", { answers });
    };
    place.replaceChildren(form);
  }

  function show_file() {
    const is_checking = state.running.some((one) => one.kind === "check");
    const button = (label, action, onclick = () => act(action)) => make("button", { type: "button", "data-action": action, onclick }, label);
    const ask_reset = () => { if (confirm("Put the file back as it was? A copy of yours is kept.")) act("reset"); };
    const file = make("a", { href: `vscode://file${encodeURI(`${state.root}/${state.source}`)}`, title: "Open in VS Code" }, state.source);
    const { source, checks_itself, has_solution, has_sweep } = state;
    settle(at("file"), [source, checks_itself, has_solution, has_sweep, is_checking], [
      make("p", {}, "Edit ", file, checks_itself ? ". Every save is checked." : ". Check it when you like; saves do not start a check here."),
      make("div", { class: "bar" }, button(is_checking ? "Check again" : "Check", "check"), button("Hint", "hint", () => act_for("hint", "nearest", "hint")),
        has_solution ? button("Compare", "compare", () => act_for("run", "start", "compare")) : "", button("Explain", "explain", () => act_for("explanation", "start", "explain")),
        has_sweep ? button("Sweep", "sweep", () => act_for("sweep", "start", "sweep")) : "", button("Reset", "reset", ask_reset), button("Undo reset", "undo reset")),
      make("p", { class: "muted", id: "running" })]);
    at("running").textContent = state.running.filter((one) => one.kind !== "check").map((one) => `${one.kind}: ${one.seconds.toFixed(1)} s`).join(", ");
  }

  // Replaces the content when what it was made from has changed; the control that has the focus keeps it.
  function settle(place, data, parts) {
    const drawn = JSON.stringify(data);
    if (place.dataset.drawn === drawn) return;
    place.dataset.drawn = drawn;
    const used = place.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
    place.replaceChildren(...parts);
    if (used) place.querySelector(`[data-action="${used}"]`)?.focus({ preventScroll: true });
    reveal_awaited(place);
  }

  function failure(title, why) {
    const terms = [["required", with_code(why.required)], ["seen", with_code(why.seen)], ["where", why.where ? why.where.split(", ").flatMap((place) => place_with_callers(place, why)) : []],
      ["values", why.values?.length > 0 ? [make("pre", {}, make("code", {}, why.values.map((one) => `${one.line}: ${one.text}`).join("\n")))] : []],
      ["read next", with_sections(why.read_next)]].filter(([, content]) => content.length > 0 && content[0] !== "");  // with_code("") is [""]
    return make("div", { class: "failure" }, make("h3", {}, title), why.quoted ? make("pre", {}, make("code", {}, why.quoted)) : "",
      make("dl", {}, ...terms.flatMap(([name, content]) => [make("dt", {}, name), make("dd", {}, ...content)])));
  }

  function show_result() {
    const { result } = state;
    const parts = [];
    if (state.problem) parts.push(make("div", { class: "failure" }, make("h3", {}, "The check has no verdict"), make("pre", { class: "printed" }, state.problem)));
    if (result) {
      const marks = { pass: ["\u2713", "pass", "passed"], fail: ["\u2717", "fail", "failed"], not_observable: ["\u2013", "muted", "not observable"] };
      if (result.changes.length > 0) parts.push(make("p", { class: "changes" }, `Since the check before: ${result.changes.join(", ")}.`));
      if (result.criteria.length > 0) {
        parts.push(make("ul", { class: "criteria" }, ...result.criteria.map((one) => {
          const [mark, css_class, spoken] = marks[one.verdict];
          return make("li", { "data-criterion": one.name }, make("span", { class: css_class, "aria-label": spoken, role: "img" }, mark), make("span", { class: "muted" }, String(one.points)),
            make("span", { class: "name" }, make("strong", {}, one.name), ` ${one.title}`, one.note ? make("span", { class: "note" }, ` (${one.note})`) : ""));
        })));
      }
      const failed = result.criteria.filter((one) => one.verdict === 'fail')
                         .sort((one, other) => Boolean(one.comes_of) - Boolean(other.comes_of));
      const tells = failed.some((one) => JSON.stringify(one.why) === JSON.stringify(result.why));
      if (!tells && result.verdict !== "pass" && result.why.required + result.why.seen !== "") parts.push(failure(words(result.verdict), result.why));
      for (const one of failed) parts.push(failure(`Why ${one.name} failed`, one.why));
      for (const one of result.remarks) parts.push(make("p", {}, make("strong", {}, one.title), " (", place_link(one.where), "): ", ...with_code(one.message)));
      if (result.compiler_output) parts.push(make("h3", {}, "The compiler said"), make("pre", { class: "printed" }, result.compiler_output));
      if (result.program_output) parts.push(make("h3", {}, "Your program printed"), make("pre", { class: "printed" }, result.program_output));
      if (result.verdict === "pass") {
        const next = (state.lessons ?? []).findIndex((one) => one.number === state.lesson) + 1;
        if (state.lessons?.[next]) parts.push(make("div", { class: "bar" }, make("button", { type: "button", onclick: () => act("open", { lesson: state.lessons[next].number }) }, `Next: ${state.lessons[next].title}`)));
      }
    }
    settle(at("result"), [state.lesson, state.problem, result], parts);
  }

  function show_hint() {
    at("hint").hidden = !state.hint;
    if (state.hint) settle(at("hint"), state.hint, [make("h2", {}, state.hint.title), html(state.hint.html)]);
  }

  async function show_run() {
    at("run").hidden = !state.timeline;
    if (!state.timeline) return;
    const { profiles, schedules, has_solution } = state;
    if (state.notice !== "" || (asked_view?.profile === state.view.profile && asked_view?.schedule === state.view.schedule)) asked_view = null;
    const view = asked_view ?? state.view;
    const look = (profile, schedule) => {
      asked_view = { profile, schedule };
      act("view", asked_view);
      show_run();
    };
    const names = { "as-is": "as it is", "slow-copies": "copies ten times slower", "slow-kernels": "kernels ten times slower" };
    const schedule_name = names[view.schedule] ?? view.schedule;
    const slider = make("input", { type: "range", "data-action": "schedule", min: 0, max: schedules.length - 1, value: schedules.indexOf(view.schedule), "aria-label": "Schedule", "aria-valuetext": schedule_name, onchange: () => look(view.profile, schedules[Number(slider.value)]) });
    const choice = make("select", { "data-action": "gpu", "aria-label": "GPU", onchange: () => look(choice.value, view.schedule) }, ...profiles.map((one) => make("option", { value: one, selected: one === view.profile }, one)));
    const picture = (label, kind, onclick) => make("button", { type: "button", "data-action": `show ${kind}`, "aria-pressed": String(state.timeline.kind === kind), onclick }, label);
    settle(at("run").querySelector(".bar"), [view, profiles, schedules, has_solution, state.timeline.kind], [
      make("h2", {}, "Timeline"),
      picture("Your run", "run", () => look(profiles.includes("teaching") ? "teaching" : view.profile, schedules[0])),
      has_solution ? picture("With the solution's", "compare", () => act("compare")) : "",
      make("label", {}, "GPU", choice), make("label", {}, "Schedule", slider, make("span", { class: "muted", id: "schedule-name" }, schedule_name))]);
    at("run-words").textContent = state.timeline.words;
    const { name } = state.timeline;
    if (shown_timeline === name) return;
    shown_timeline = name;
    const runs = await read(`timeline?name=${name}`);
    if (!runs || shown_timeline !== name) return;  // a later one may have come first
    const before = viewer && { from: viewer.axis.from, to: viewer.axis.to, whole: viewer.axis.whole };
    viewer?.dispose();
    const place = make("div", { id: "timeline", class: "timeline-viewer" });
    at("timeline").replaceWith(place);
    viewer = new timeline_viewer(place, runs);
    if (before && before.whole === viewer.axis.whole) viewer.axis.show(before.from, before.to);
    at("picked").hidden = true;
    place.addEventListener("timeline-select", ({ detail }) => {
      at("picked").hidden = !detail?.line;
      if (detail?.line) at("picked").replaceChildren("Line: ", place_link(detail.line));
    });
    place.dataset.name = name;
    reveal_awaited(at("run"));
  }

  function show_explanation() {
    const why = state.explanation;
    at("explanation").hidden = !why;
    if (!why) return;
    const row = (one) => make("tr", {},
      make("td", {}, make("span", { class: "share", style: `width:${Math.round(120 * Math.max(0, one.share ?? 0))}px` }), why.is_replayed ? duration(one.cost) : ""),
      make("td", {}, one.where ? place_link(one.where) : ""), make("td", {}, ...with_code(one.sentence)), make("td", {}, ...with_code(one.cure)));
    settle(at("explanation"), why, [
      make("h2", {}, "Why it was not faster"),
      make("p", {}, `It took ${duration(why.took)}. ${why.is_replayed ? `Without these causes it would take ${duration(why.attainable)}; ` : ""}the busiest engine or the longest chain needs ${duration(why.floor)}, without latencies and with nothing beside it.`),
      why.causes.length === 0 ? make("p", {}, "No cause was found: what is left is filling and draining.") :
        make("table", {}, make("thead", {}, make("tr", {}, ...["costs", "where", "cause", "cure"].map((title) => make("th", { scope: "col" }, title)))), make("tbody", {}, ...why.causes.map(row)))]);
  }

  // Time against both parameters; the darker, the longer.
  function show_sweep() {
    at("sweep").hidden = !state.sweep;
    if (!state.sweep) return;
    const { sweep, sentences, is_running } = state.sweep;
    const parts = [make("h2", {}, "Sweep"), make("p", { class: "muted" }, is_running ? "It fills while it runs." : "")];
    if (sweep) {
      const [first, second] = sweep.parameters;
      const values = (name) => [...new Set(sweep.points.map((one) => one[name]))].sort((one, two) => one - two);
      const times = sweep.points.filter((one) => one.is_right).map((one) => one.time_ns);
      const [low, high] = [Math.log(Math.min(...times)), Math.log(Math.max(...times))];
      const cell = (one) => {
        if (!one) return make("td", { class: "cell empty" });
        if (!one.is_right) return make("td", { class: "cell fail", title: "The result is wrong" }, "wrong");
        const share = high > low ? (Math.log(one.time_ns) - low) / (high - low) : 0;
        const is_best = sweep.fastest && one[first] === sweep.fastest[first] && one[second] === sweep.fastest[second];
        return make("td", { class: `cell${is_best ? " best" : ""}`, style: `background:color-mix(in srgb, var(--to-host) ${Math.round(8 + 60 * share)}%, var(--paper))`, title: `${one[first]} ${first}, ${one[second]} ${second}` }, duration(one.time_ns));
      };
      parts.push(make("table", { class: "grid" }, make("caption", { class: "muted" }, `${sweep.of}, on ${sweep.profile}: rows are ${first}, columns ${second}`),
        make("thead", {}, make("tr", {}, make("td", {}), ...values(second).map((value) => make("th", { scope: "col" }, String(value))))),
        make("tbody", {}, ...values(first).map((value) => make("tr", {}, make("th", { scope: "row" }, String(value)), ...values(second).map((other) => cell(sweep.points.find((one) => one[first] === value && one[second] === other))))))));
      if (!is_running) parts.push(...(sentences ?? []).map((text) => make("p", {}, ...with_code(text))));
    }
    settle(at("sweep"), state.sweep, parts);
  }

  function show(new_state) {
    note_address(new_state);
    state = new_state;
    show_head();
    show_text();
    show_questions();
    show_file();
    show_result();
    show_hint();
    show_run();
    show_explanation();
    show_sweep();
    say(state.notice, state.notice_question);
    document.body.dataset.lesson = state.lesson;
  }

  // ---- the address names the lesson, so that Back leads to the one before

  const lesson_of_address = () => new URLSearchParams(location.search).get("lesson");
  function note_address({ lesson }) {
    if (lesson === state?.lesson || lesson === lesson_of_address()) return;
    if (state) history.pushState(null, "", `?lesson=${lesson}`);
    else history.replaceState(null, "", `?lesson=${lesson}`);
  }
  addEventListener("popstate", () => {
    const lesson = lesson_of_address();
    if (lesson && lesson !== state?.lesson) act("open", { lesson });
  });

  // ---- the stream of states. One tab of the browser reads it and passes it on, since a browser opens few connections to one
  // address; which one is settled by a lock, and when that tab is closed another gets it.

  const channel = new BroadcastChannel(`streamlings ${location.pathname}`);
  const take = (text) => { at("connection").hidden = true; show(JSON.parse(text)); };
  let latest = null;
  let is_reader = false;
  channel.onmessage = ({ data }) => {
    if (data.kind === "state") take(data.text);
    else if (data.kind === "lost") at("connection").hidden = false;
    else if (data.kind === "ask" && is_reader && latest) channel.postMessage({ kind: "state", text: latest });
  };
  function read_events() {
    is_reader = true;
    const events = new EventSource("events");
    events.onmessage = ({ data }) => { latest = data; take(data); channel.postMessage({ kind: "state", text: data }); };
    events.onerror = () => {
      at("connection").hidden = false;
      channel.postMessage({ kind: "lost" });
      if (events.readyState === EventSource.CLOSED) setTimeout(read_events, 2000);
    };
  }
  if (navigator.locks) navigator.locks.request(`streamlings ${location.pathname}`, () => { read_events(); return new Promise(() => {}); });
  else read_events();
  channel.postMessage({ kind: "ask" });

  at("lesson").addEventListener("change", () => act("open", { lesson: at("lesson").value }));
}
