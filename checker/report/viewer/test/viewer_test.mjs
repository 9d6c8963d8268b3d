// viewer_test.mjs: the viewer as a reader uses it, each key and each gesture. Run by run.sh.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

let browser, page;
const errors = [];

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
});
after(() => browser.close());

async function open(name, options = {}) {
  await page?.context().close();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(120000);  // for busy machines
  page = await context.newPage();
  errors.length = 0;
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => { if (!request.url().startsWith("file:")) errors.push(`asked for ${request.url()}`); });
  await page.goto(`file://${process.env.PAGES}/${name}.html`);
}

const in_viewer = (body, argument) => page.evaluate(({ body, argument }) => {
  const viewer = document.querySelector(".timeline-viewer").viewer;
  return new Function("viewer", "data", "argument", `return ${body}`)(viewer, viewer.data, argument);
}, { body, argument });
const label = () => in_viewer("viewer.selected === null ? null : data.label_of(viewer.selected)");
const view = () => in_viewer("[viewer.axis.from, viewer.axis.to]");
const range = () => in_viewer("viewer.range && [viewer.range.from, viewer.range.to]");
const panel_text = () => page.locator("[role=tabpanel]:visible").innerText();
// The place on the screen of an operation or call, a share of its length from its begin.
const place = async (key, share = 0.5) => {
  const [x, y] = await in_viewer(`(() => {
    const item = viewer.item_of_key(argument.key), box = viewer.canvas.getBoundingClientRect();
    viewer.draw();
    const at = viewer.painter.place_of(item);
    return [box.left + at.x1 + argument.share * (at.x2 - at.x1), box.top + at.y];
  })()`, { key, share });
  return { x, y };
};
const click = async (key) => { const { x, y } = await place(key); await page.mouse.click(x, y); };
const drag = async (from, to, options = {}) => {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down(options);
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up(options);
};
const press = (key) => page.keyboard.press(key);
const near = (one, two, distance) => assert.ok(Math.abs(one - two) <= distance, `${one} is not within ${distance} of ${two}`);

test("pointing at a copy tells its bytes and rate", async () => {
  await open("engine");
  const { x, y } = await place(1);
  await page.mouse.move(x, y);
  assert.match(await panel_text(), /H2D 1[^]*1\.0 MB[^]*10 GB\/s/);
  assert.equal(await page.locator(".tip").innerText(), "H2D 1 100 us");
  await page.mouse.move(5, 5);
  assert.match(await panel_text(), /Point at a span/);
});

test("a click keeps an operation, and a click beside it lets go", async () => {
  await click(2);
  assert.equal(await label(), "H2D 2");
  assert.match(await panel_text(), /copy engine was busy/);
  const { x, y } = await place(2);
  await page.mouse.click(x - 400, y);
  assert.equal(await label(), null);
});

test("an operation leads to its call, to its cause, and to what waited for it", async () => {
  await click(2);
  assert.deepEqual(await in_viewer("viewer.arrows().map((arrow) => [data.label_of(arrow.source), data.label_of(arrow.target), arrow.kind])"),
    [["H2D 1", "H2D 2", ""], ["cudaMemcpyAsync", "H2D 2", "issues"]]);
  await press("g");
  assert.equal(await label(), "cudaMemcpyAsync");
  assert.deepEqual(await in_viewer("[...viewer.related()].map((item) => data.label_of(item))"), ["H2D 2"]);
  await press("g");
  assert.equal(await label(), "H2D 2");
  await press("b");
  assert.equal(await label(), "H2D 1");
  await page.locator("dl button", { hasText: "H2D 2" }).click();
  assert.equal(await label(), "H2D 2");
});

test("the wheel with Ctrl zooms around the pointer, with Shift it moves, and alone it is the page's", async () => {
  await open("engine");
  const { x, y } = await place(1);
  const time = await in_viewer("viewer.axis.time_at(argument)", x - (await in_viewer("viewer.canvas.getBoundingClientRect().left")));
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -100);
  assert.deepEqual(await view(), [0, 262000]);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  const [from, to] = await view();
  near(to - from, 262000 / Math.exp(0.6), 1);
  near((await place(1)).x, x, 1);
  assert.ok(time > from && time < to);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, 60);
  await page.keyboard.up("Shift");
  assert.ok((await view())[0] > from);
});

test("W and S zoom, A and D move, 0 shows the whole run", async () => {
  await open("engine");
  for (const [key, other] of [["w", "s"], ["+", "-"]]) {
    await press(key);
    near((await view())[1] - (await view())[0], 262000 / 1.6, 1);
    await press(other);
    near((await view())[1] - (await view())[0], 262000, 1);
  }
  await press("w");
  const [from] = await view();
  await press("d");
  assert.ok((await view())[0] > from);
  await press("a");
  near((await view())[0], from, 1);
  await press("Shift+ArrowRight");
  assert.ok((await view())[0] > from);
  await press("Shift+ArrowLeft");
  near((await view())[0], from, 1);
  await press("0");
  assert.deepEqual(await view(), [0, 262000]);
});

test("arrow keys, Home and End walk from span to span", async () => {
  await open("engine");
  await click(2);
  await press("ArrowRight");
  assert.equal(await label(), "scale 2");
  await press("ArrowLeft");
  assert.equal(await label(), "H2D 2");
  await press("ArrowUp");
  assert.equal(await label(), "scale 1");
  await press("ArrowDown");
  assert.equal(await label(), "H2D 2");
  await press("End");
  assert.equal(await label(), "scale 2");
  await press("Home");
  assert.equal(await label(), "H2D 2");
});

test("every row is reached by walking up and down", async () => {
  await open("engine");
  await in_viewer("viewer.act('next span')");
  const rows = new Set();
  for (let i = 0; i < 8; ++i) {
    rows.add(await in_viewer("viewer.current_row()[0].name"));
    await press("ArrowDown");
  }
  for (let i = 0; i < 8; ++i) {
    rows.add(await in_viewer("viewer.current_row()[0].name"));
    await press("ArrowUp");
  }
  assert.deepEqual([...rows].sort(), ["H2D copies", "host", "kernels", "stream 2", "stream 3"]);
});

test("dragging measures between two cursors that catch the edges of spans", async () => {
  await open("engine");
  const from = await place(1, 0), to = await place(3, 1);
  await drag({ x: from.x + 3, y: from.y }, { x: to.x - 3, y: to.y });
  assert.deepEqual(await range(), [10000, 160000]);
  await page.locator("[data-tab=Totals]").click();
  assert.match(await panel_text(), /In the 150 us that are measured[^]*H2D\s+2\s+150 us/);
  await press("f");
  near((await view())[1] - (await view())[0], 159000, 10);
  await press("Escape");
  assert.equal(await range(), null);
});

test("M, [ and ] measure from and to spans", async () => {
  await open("engine");
  await click(2);
  await press("m");
  assert.deepEqual(await range(), [110000, 210000]);
  await press("Escape");
  await press("[");
  assert.deepEqual(await range(), [110000, 262000]);
  await click(3);
  await press("]");
  assert.deepEqual(await range(), [110000, 160000]);
});

test("dragging with Shift or the middle button moves the run with the pointer", async () => {
  await open("engine");
  await press("w");
  for (const button of ["left", "middle"]) {
    const from = await place(2), [left] = await view();
    if (button === "left") await page.keyboard.down("Shift");
    await drag(from, { x: from.x - 60, y: from.y }, { button });
    if (button === "left") await page.keyboard.up("Shift");
    near((await place(2)).x, from.x - 60, 1);
    assert.ok((await view())[0] > left);
    await page.mouse.move(from.x + 100, from.y);
    near((await place(2)).x, from.x - 60, 1);
  }
});

test("a double click and Enter zoom to a span", async () => {
  await open("engine");
  const { x, y } = await place(2);
  await page.mouse.dblclick(x, y);
  near((await view())[1] - (await view())[0], 120000, 500);
  await press("0");
  await press("Enter");
  near((await view())[1] - (await view())[0], 120000, 500);
});

test("two fingers zoom and one finger moves", async () => {
  await open("engine");
  const touch = (type, id, x, y) => in_viewer(`viewer.canvas.dispatchEvent(new PointerEvent(argument.type,
    { pointerId: argument.id, pointerType: "touch", clientX: argument.x, clientY: argument.y, bubbles: true, button: 0, isPrimary: argument.id === 11 }))`, { type, id, x, y });
  const { y } = await place(1);
  await touch("pointerdown", 11, 500, y);
  await touch("pointerdown", 12, 700, y);
  await touch("pointermove", 11, 400, y);
  await touch("pointermove", 12, 800, y);
  near((await view())[1] - (await view())[0], 131000, 10);
  await touch("pointerup", 12, 800, y);
  const [from] = await view();
  await touch("pointermove", 11, 300, y);
  await touch("pointerup", 11, 300, y);
  assert.ok((await view())[0] > from);
  assert.equal(await range(), null);
  await touch("pointermove", 11, 600, y);
  const held = await view();
  await touch("pointermove", 11, 700, y);
  assert.deepEqual(await view(), held);
});

test("search finds names, streams, lines and durations, and walks from match to match", async () => {
  await open("engine");
  const found = () => in_viewer("Array.from(viewer.matching, (item) => data.label_of(item))");
  await press("/");
  await page.keyboard.type("SCALE");
  assert.deepEqual(await found(), ["scale 1", "scale 2"]);
  assert.equal(await page.locator(".matches").innerText(), "2 found");
  await press("Enter");
  assert.equal(await label(), "scale 1");
  await press("Enter");
  assert.equal(await label(), "scale 2");
  assert.equal(await page.locator(".matches").innerText(), "2 of 2");
  await press("Shift+Enter");
  assert.equal(await label(), "scale 1");
  await in_viewer("viewer.canvas.focus()");
  await press("n");
  assert.equal(await label(), "scale 2");
  await press("N");
  assert.equal(await label(), "scale 1");
  for (const [text, expected] of [["kind:kernel >40us", ["scale 1", "scale 2"]], [">60us <200us name:h2d", ["H2D 1", "H2D 2"]], ["stream:3 kind:copy", ["H2D 2"]], ["nothing", []]]) {
    await in_viewer("viewer.search(argument)", text);
    assert.deepEqual(await found(), expected, text);
  }
  await press("Escape");
  await press("Escape");
  assert.equal(await in_viewer("viewer.matches"), null);
});

test("rows without a match can be hidden, and kinds of spans", async () => {
  await open("engine");
  await in_viewer("viewer.search('stream:2')");
  await page.getByText("Filter rows").click();
  assert.deepEqual(await in_viewer("viewer.tracks.filter((one) => one.is_drawn && one.kind === 'spans').map((one) => one.name)"), ["host", "H2D copies", "kernels", "stream 2"]);
  await in_viewer("viewer.search('')");
  assert.ok(await in_viewer("viewer.tracks.every((one) => one.is_drawn || one.is_folded)"));
  await page.locator("[data-kind=kernel]").click();
  assert.deepEqual(await in_viewer("[viewer.matching.length, data.count]"), [7, 9]);
  assert.equal(await page.locator("[data-kind=kernel]").getAttribute("aria-pressed"), "false");
  await page.locator("[data-kind=kernel]").click();
  assert.equal(await in_viewer("viewer.matches"), null);
});

test("totals are by name or by stream, and sort", async () => {
  await open("engine");
  await page.locator("[data-tab=Totals]").click();
  const rows = () => page.locator("[data-panel=Totals] tbody tr").allInnerTexts();
  const of = async (name) => (await rows()).find((row) => row.startsWith(name))?.split("\t").slice(1);
  assert.deepEqual(await of("scale"), ["2", "100 us", "38.2 %", "50 us", "50 us", "50 us", ""]);
  assert.deepEqual(await of("H2D"), ["2", "200 us", "76.3 %", "100 us", "100 us", "100 us", "1.00 MB"]);
  await page.locator("[data-panel=Totals] thead").getByText("count").click();
  assert.equal(await page.locator("[data-panel=Totals] th[aria-sort=descending]").innerText(), "count");
  const counts = (await rows()).map((row) => Number(row.split("\t")[1]));
  assert.deepEqual(counts, [...counts].sort((one, two) => two - one));
  await page.getByText("by stream").click();
  assert.deepEqual(await of("stream 3"), ["2", "150 us", "57.3 %", "75 us", "50 us", "100 us", ""]);
});

test("the list has every call and operation as a table", async () => {
  await open("large");
  await page.locator("[data-tab=List]").click();
  assert.match(await panel_text(), /1 to 200 of 6,000/);
  assert.equal(await page.locator("[data-panel=List] tbody tr").count(), 200);
  await page.getByText("Next", { exact: true }).click();
  assert.match(await panel_text(), /201 to 400/);
  await page.getByText("Previous", { exact: true }).click();
  await page.locator("[data-panel=List] tbody button").first().focus();
  await press("Enter");
  assert.equal(await label(), "cudaMemcpyAsync");
  assert.match(await page.locator("[aria-live=polite].unseen").innerText(), /cudaMemcpyAsync; host in a call; 0 ns to/);
});

test("rows are pinned to the top, hidden and shown again", async () => {
  await open("engine");
  await click(3);
  await press("p");
  assert.deepEqual(await in_viewer("viewer.tracks.filter((one) => one.is_pinned).map((one) => one.name)"), ["stream 2"]);
  assert.equal(await page.locator(".heads").nth(1).innerText(), "stream 2");
  await click(3);
  assert.equal(await label(), "scale 1");
  await press("p");
  assert.equal(await in_viewer("viewer.pinned"), 0);
  await press("h");
  assert.ok(!(await in_viewer("viewer.tracks.find((one) => one.name === 'stream 2').is_drawn")));
  await page.getByText("Show 1 hidden").click();
  await page.locator("[data-tab=Rows]").click();
  await page.locator("li", { hasText: "kernels" }).getByLabel("hidden").check();
  assert.ok(!(await in_viewer("viewer.tracks.find((one) => one.name === 'kernels').is_drawn")));
  await in_viewer("viewer.canvas.focus()");
  await press("H");
  assert.ok(await in_viewer("viewer.tracks.every((one) => one.is_drawn || one.is_folded)"));
});

test("the critical path leads back from the last operation", async () => {
  await open("engine");
  assert.deepEqual(await in_viewer("data.runs[0].path.map((item) => data.label_of(item))"), ["H2D 1", "H2D 2", "scale 2"]);
  await press("c");
  assert.equal(await page.locator("[data-action='critical path']").getAttribute("aria-pressed"), "true");
  assert.deepEqual(await in_viewer("viewer.arrows().map((arrow) => arrow.kind)"), ["path", "path"]);
  await press("c");
  assert.deepEqual(await in_viewer("viewer.arrows()"), []);
});

const rates = () => in_viewer("viewer.tracks.filter((one) => one.kind === 'rate' && one.is_drawn).map((one) => [one.name, Math.max(0, ...one.steps.levels[0].values), [...one.steps.levels[0].times]])");

test("rows of rates show the links and the resident blocks", async () => {
  await open("engine");
  assert.deepEqual(await rates(), [["H2D link", 10, [10000, 110000]], ["resident blocks", 8, [210000, 260000]]]);
});

test("u unfolds the multiprocessors, a few to a row where there are many, on one scale", async () => {
  await press("u");
  const unfolded = (await rates()).slice(2);
  assert.deepEqual(unfolded.map(([name]) => name), Array.from({ length: 12 }, (_, i) => `SM ${2 * i}\u2013${2 * i + 1}`));
  assert.deepEqual(unfolded.filter(([, blocks]) => blocks > 0).map(([name, blocks, times]) => [name, blocks, times]),
    [["SM 0\u20131", 3, [210000, 260000]], ["SM 2\u20133", 3, [210000, 260000]], ["SM 20\u201321", 2, [210000, 260000]]]);
  assert.deepEqual(await in_viewer("[...new Set(viewer.tracks.filter((one) => one.group === 'multiprocessor').map((one) => one.steps.max))]"), [3]);
  await press("u");
  assert.equal((await rates()).length, 2);
});

test("arrows lead from a recorded event to the streams that waited for it", async () => {
  await open("events");
  const arrows = await in_viewer("viewer.arrows().map(({ source, target }) => [data.css_class(source), data.css_class(target)])");
  assert.deepEqual(arrows, [["record_event", "wait_for_event"]]);
});

test("a range that the program named has its colour, domain and payload", async () => {
  await in_viewer("viewer.search('load')");
  await page.locator("[data-tab=Selection]").click();
  await in_viewer("viewer.act('next match')");
  assert.equal(await label(), "load");
  assert.match(await panel_text(), /0 ns to 40 us[^]*library[^]*payload\s*3/);
  assert.deepEqual(await in_viewer("[viewer.painter.bar_colour(viewer.selected), viewer.painter.label_colour(viewer.selected)]"), ["#ffc107", "#000000"]);
  await in_viewer("viewer.search('')");
});

test("a span that begins where an instant is drawn is drawn too", async () => {
  const drawn = await in_viewer(`(() => {
    const drawn = [], { painter } = viewer, draw_bar = painter.draw_bar;
    painter.draw_bar = (item) => drawn.push(data.label_of(item));
    painter.rows_key = null;
    viewer.draw();
    painter.draw_bar = draw_bar;
    return drawn;
  })()`);
  assert.equal(drawn.filter((name) => name === "scale 1").length, 2);  // on the engine and in its stream
});

test("runs that are compared share one scale", async () => {
  await open("compared");
  assert.deepEqual(await in_viewer("[viewer.axis.whole, data.runs.map((run) => run.length)]"), [1160000, [1160000, 902000]]);
  assert.match(await page.locator(".heads").first().innerText(), /Yours\s+1.16 ms in all/);
});

test("dragging in the overview moves the view", async () => {
  await open("engine");
  await press("w");
  const box = await page.locator(".overview").boundingBox();
  await drag({ x: box.x + 5, y: box.y + 10 }, { x: box.x + box.width - 2, y: box.y + 10 });
  near((await view())[1], 262000, 1);
});

test("names from programs are text, and nothing is asked of the network", async () => {
  await open("hostile");
  await in_viewer("viewer.act('next span')");
  for (const tab of ["Totals", "List", "Rows", "Selection"]) {
    await page.locator(`[data-tab=${tab}]`).click();
    assert.equal(await page.locator(".timeline-viewer img, .timeline-viewer svg, .timeline-viewer script, .timeline-viewer b:not(.tip b)").count(), 0);
  }
  assert.equal(await page.title(), "<b>Title");
  assert.deepEqual(errors, []);
  assert.ok((await in_viewer("data.texts")).some((text) => text.includes("</script>")));
});

test("a run without anything to draw says why", async () => {
  await open("nothing");
  assert.match(await page.locator(".run-head").innerText(), /No timeline: /);
  for (const key of ["w", "ArrowRight", "c", "m", "f", "n", "p", "h", "g", "b", "[", "Escape"]) await press(key);
  assert.deepEqual(errors, []);
});

test("the help lists all keys", async () => {
  await open("engine");
  await press("?");
  assert.ok(await page.locator("dialog").isVisible());
  for (const key of ["w", "Escape", "critical path", "two fingers"]) assert.match(await page.locator("dialog").innerText(), new RegExp(key));
  await press("w");
  assert.deepEqual(await view(), [0, 262000]);
  await press("Escape");
  assert.ok(!(await page.locator("dialog").isVisible()));
});

test("the keyboard reaches all controls, and tabs are walked with arrows", async () => {
  await open("engine");
  const names = new Set();
  for (let i = 0; i < 40; ++i) {
    await press("Tab");
    names.add(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText));
  }
  for (const name of ["Zoom in (w)", "Show the whole run (0)", "Critical path", "Selection", "kernel"]) assert.ok(names.has(name), `${name} among ${[...names]}`);
  assert.ok([...names].some((name) => name.startsWith("Timeline: Run.")));
  await page.locator("[data-tab=Selection]").focus();
  await press("ArrowRight");
  assert.equal(await page.locator("[role=tab][aria-selected=true]").innerText(), "Totals");
});

test("dark and light follow the system", async () => {
  await open("engine", { colorScheme: "dark" });
  assert.equal(await in_viewer("viewer.painter.colours.paper"), "#0d1117");
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForFunction(() => document.querySelector(".timeline-viewer").viewer.painter.colours.paper === "#ffffff");
});

test("on paper there are all rows in light colours, and no tools", async () => {
  await open("large", { colorScheme: "dark", viewport: { width: 1280, height: 300 } });
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.querySelector(".timeline-viewer").viewer.painter.colours.paper === "#ffffff");
  assert.ok(!(await page.locator(".tools").isVisible()));
  assert.ok(await in_viewer("viewer.plot.clientHeight >= viewer.extent.clientHeight - 1"));
});

test("a viewer that is disposed of hears no keys any more", async () => {
  await open("engine");
  await in_viewer("viewer.dispose()");
  await press("w");
  assert.deepEqual(await view(), [0, 262000]);
});

test("pointing draws no row again", async () => {
  await open("large");
  const rows = await in_viewer(`(() => {
    const { painter } = viewer, draw_row = painter.draw_row;
    let count = 0;
    viewer.draw();
    painter.draw_row = function (...values) { ++count; return draw_row.apply(this, values); };
    viewer.hover(5, { x: 50, y: 50 });
    viewer.draw();
    const pointing = count;
    viewer.act("zoom in");
    viewer.draw();
    painter.draw_row = draw_row;
    return [pointing, count > 0];
  })()`);
  assert.deepEqual(rows, [0, true]);
});

test("nothing is wider than a phone", async () => {
  await open("engine", { viewport: { width: 390, height: 844 } });
  await click(2);
  for (const tab of ["Totals", "List", "Rows", "Selection"]) {
    await page.locator(`[data-tab=${tab}]`).click();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, tab);
  }
});

test("a pixel with many spans is drawn once, and a long span that begins in it is drawn too", async () => {
  await open("large");
  const bars = await in_viewer(`(() => {
    const drawn = [], { painter } = viewer, draw_bar = painter.draw_bar;
    painter.draw_bar = (...values) => drawn.push(values[0]);
    painter.rows_key = null;
    viewer.draw();
    painter.draw_bar = draw_bar;
    return drawn.length;
  })()`);
  assert.ok(bars < 1280 * 12, `${bars} bars`);
  const count = await in_viewer(`(() => {
    const row_of = viewer.all_rows.find(([one]) => one.group === "stream"), { spans } = row_of[0].rows[0];
    const drawn = [], { painter } = viewer, draw_bar = painter.draw_bar;
    viewer.axis.show(data.start[spans[0]] - 1e5, data.start[spans[0]] + 1e5);
    painter.draw_bar = (item) => drawn.push(item);
    painter.rows_key = null;
    viewer.draw();
    painter.draw_bar = draw_bar;
    return spans.filter((item) => data.end[item] > viewer.axis.from && data.start[item] < viewer.axis.to && !drawn.includes(item)).length;
  })()`);
  assert.equal(count, 0);
});
