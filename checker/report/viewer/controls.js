// controls.js: keys, pointer and fingers. The actions themselves are in viewer.js.

// Keys with the action and the words of the help. WASD, F, M and / are those of Perfetto.
const key_table = [
  [["w", "+", "="], "zoom in", "zoom in"],
  [["s", "-"], "zoom out", "zoom out"],
  [["a", "Shift+ArrowLeft"], "move left", "move left"],
  [["d", "Shift+ArrowRight"], "move right", "move right"],
  [["0"], "show all", "whole run"],
  [["f", "Enter"], "zoom to selection", "zoom to the measured time, or to the selected span"],
  [["ArrowLeft"], "previous span", "previous span of the row"],
  [["ArrowRight"], "next span", "next span of the row"],
  [["ArrowUp"], "row above", "span in the row above"],
  [["ArrowDown"], "row below", "span in the row below"],
  [["Home"], "first span", "first span of the row"],
  [["End"], "last span", "last span of the row"],
  [["g"], "other end", "from a call to its operation, and back"],
  [["b"], "cause", "to what it waited for"],
  [["m"], "measure", "measure the selected span"],
  [["["], "measure from", "measure from the begin of the selected span"],
  [["]"], "measure to", "measure to the end of the selected span"],
  [["c"], "critical path", "critical path"],
  [["u"], "multiprocessors", "blocks on each multiprocessor"],
  [["/"], "search", "search"],
  [["n"], "next match", "next match"],
  [["N"], "previous match", "previous match"],
  [["p"], "pin row", "pin the row to the top, or release it"],
  [["h"], "hide row", "hide the row"],
  [["H"], "show all rows", "show all rows"],
  [["?"], "help", "these keys"],
  [["Escape"], "clear", "clear measure, selection and search, one after the other"],
];
const action_of_key = new Map(key_table.flatMap(([keys, action]) => keys.map((key) => [key, action])));

function connect_keys(viewer, target) {
  target.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || viewer.help.open) return;
    const control = event.target.closest?.("input, select, textarea, button, [role=tab], a");
    if (control && !(event.key === "Escape" && viewer.element.contains(control))) {
      if (control.matches("input[type=text], input[type=search], select, textarea") || /^(Enter| |Arrow.*|Home|End)$/.test(event.key)) return;
    }
    const action = action_of_key.get(event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key);
    if (!action) return;
    event.preventDefault();
    viewer.act(action);
  }, { signal: viewer.listeners.signal });
}

const drag_distance = 4;  // pixels before a press is a drag

// Mouse: drag measures, with Shift or the middle button it moves; the wheel with Ctrl zooms, with Shift moves.
// Fingers: one moves, two pinch. Without modifiers the wheel and vertical fingers scroll.
class pointer_control {
  constructor(viewer, canvas) {
    this.viewer = viewer;
    this.canvas = canvas;
    this.pointers = new Map();
    this.drag = null;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => { this.pointers.delete(event.pointerId); this.drag = null; });
    canvas.addEventListener("pointerleave", () => { if (!this.drag) viewer.hover(null, null); });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => viewer.act("zoom to selection"));
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event) {
    if (event.button > 1) return;
    const place = this.place(event);
    this.pointers.set(event.pointerId, place);
    try { this.canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that a test made up */ }
    const { axis } = this.viewer;
    if (this.pointers.size === 2) {
      const [one, two] = [...this.pointers.values()];
      this.drag = { kind: "pinch", times: [axis.time_at(one.x), axis.time_at(two.x)] };
      return;
    }
    const moves = event.pointerType === "touch" || event.button === 1 || event.shiftKey;
    this.drag = { kind: moves ? "move" : "measure", from: place, time: axis.time_at(place.x), is_moving: false };
    if (event.button === 1) event.preventDefault();
  }

  move(event) {
    const { viewer, drag } = this, { axis } = viewer, place = this.place(event);
    if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, place);
    if (!drag) return viewer.hover(viewer.item_at(place.x, place.y), place);
    if (drag.kind === "pinch") return this.pinch();
    if (!drag.is_moving && Math.abs(place.x - drag.from.x) < drag_distance) return;
    drag.is_moving = true;
    if (drag.kind === "move") {
      axis.move(drag.time - axis.time_at(place.x));
      this.canvas.classList.add("moving");
      viewer.changed();
    } else {
      viewer.measure(viewer.snapped(drag.from), viewer.snapped(place));
    }
  }

  pinch() {
    const [one, two] = [...this.pointers.values()].map(({ x }) => x);
    const [first, second] = this.drag.times, { axis } = this.viewer;
    if (Math.abs(two - one) < 8) return;
    const pace = (second - first) / (two - one);  // nanoseconds a pixel
    if (pace <= 0) return;
    axis.show(first - one * pace, first + (axis.width - one) * pace);
    this.viewer.changed();
  }

  up(event) {
    const { drag, viewer } = this, place = this.place(event);
    this.pointers.delete(event.pointerId);
    this.canvas.classList.remove("moving");
    if (drag?.kind === "pinch") {
      this.drag = this.pointers.size === 0 ? null : { kind: "move", from: [...this.pointers.values()][0], time: viewer.axis.time_at([...this.pointers.values()][0].x), is_moving: true };
      return;
    }
    this.drag = null;
    if (!drag || drag.is_moving) return;
    this.canvas.focus({ preventScroll: true });
    const item = viewer.item_at(place.x, place.y);
    if (item === null) viewer.measure(null, null);
    viewer.walked_row = viewer.row_at(place.y);
    viewer.select(item);
  }

  wheel(event) {
    const { viewer } = this, { axis } = viewer;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) axis.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.1 : 0.003)), axis.time_at(this.place(event).x));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) axis.move((sideways / axis.width) * axis.length);
    else return;
    event.preventDefault();
    viewer.changed();
  }
}

// Dragging in the overview puts the middle of the view there.
function connect_overview(viewer, canvas) {
  const go = (event) => {
    const box = canvas.getBoundingClientRect(), { axis } = viewer;
    const middle = ((event.clientX - box.left) / box.width) * axis.whole;
    axis.show(middle - axis.length / 2, middle + axis.length / 2);
    viewer.changed();
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that a test made up */ }
    go(event);
  });
  canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
}
