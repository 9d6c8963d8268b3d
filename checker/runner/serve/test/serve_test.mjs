// serve_test.mjs: the page as a learner uses it, with real checks. Run by run.sh.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const root = process.env.STREAMLINGS_ROOT;
const file = `${root}/lessons/02_pinned_memory/pinned_memory.cu`;
const solution = `${root}/solutions/02_pinned_memory/pinned_memory.cu`;
const skeleton = `${root}/checker/lessons/02_pinned_memory/skeleton.cu`;
const errors = [];
let browser, context, page, server, address;

async function start_server(...options) {
  server = spawn(process.env.PROGRAM, ["serve", "02", "--port", "4390", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  address = await new Promise((resolve, reject) => {
    server.on("exit", () => reject(new Error(`serve ended: ${printed}`)));
    server.stdout.on("data", (text) => {
      printed += text;
      const found = /The page: (\S+)/.exec(printed);
      if (found) resolve(found[1]);
    });
  });
}
const stop_server = () => new Promise((resolve) => { server.removeAllListeners("exit"); server.on("exit", resolve); server.kill("SIGTERM"); });

async function new_page() {
  const opened = await context.newPage();
  const own_address = address;  // of this server; the next one may have another
  opened.on("pageerror", (error) => errors.push(error.message));
  opened.on("request", (request) => { if (!request.url().startsWith(own_address)) errors.push(`asked for ${request.url()}`); });
  await opened.goto(address);
  await opened.waitForSelector("body[data-lesson]");
  return opened;
}
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(120000);  // a check on a busy machine
  await start_server();
  page = await new_page();
});
after(async () => { await browser.close(); await stop_server(); });

const has_verdict = (words, on = page) => on.waitForFunction((words) => document.querySelector("#verdict").textContent.startsWith(words), words);
const picture = (on = page) => on.evaluate(() => document.querySelector("#timeline").dataset.name ?? "");
const new_picture = (last, on = page) => on.waitForFunction((last) => ![last, undefined].includes(document.querySelector("#timeline").dataset.name), last);
const in_viewer = (body) => page.evaluate((body) => { const { viewer } = document.querySelector("#timeline"); return new Function("viewer", "data", `return ${body}`)(viewer, viewer.data); }, body);
const is_shown_and_focused = (id) => page.evaluate((id) => {
  const { top } = document.getElementById(id).getBoundingClientRect();
  return document.activeElement.id === id && top >= 0 && top < innerHeight;
}, id);
const press = (name) => page.locator(`button[data-action="${name}"]`).click();

test("the lesson's text is there, with its tables and drawings", async () => {
  await page.waitForSelector("#text h1");
  assert.equal(await page.locator("#text h1").innerText(), "Pinned memory");
  assert.ok((await page.locator("#text table td").count()) > 10);
  assert.match(await page.locator("#text pre").first().innerText(), /H2D copies/);
});

test("predictions are asked before anything runs, and shown beside what was measured", async () => {
  assert.equal(await page.locator("#verdict").innerText(), "not checked yet");
  await page.locator("#questions input").nth(0).fill("about all");
  await page.locator("#questions button[type=submit]").click();
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await page.locator("#questions li").nth(0).locator(".answer + #notice").innerText(), /number/);
  assert.equal(await page.evaluate(() => document.activeElement.name), await page.locator("#questions input").nth(0).getAttribute("name"));
  await page.locator("#questions input").nth(0).fill("0.9");
  await page.locator("#questions button[type=submit]").click();
  await has_verdict("requirement missed");
  assert.match(await page.locator("#questions").innerText(), /predicted 0.9 of the task, measured 0 of the task/);
  assert.ok(await page.locator("#notice").isHidden());
  assert.match(readFileSync(`${root}/.streamlings/predictions/02_pinned_memory.json`, "utf8"), /"hidden_task": "0.9"/);
});

test("a failure leads to its line and to the bars of that line", async () => {
  const failure = page.locator(".failure", { hasText: "CopiesComeFromPinnedMemory" });
  const line = (await failure.locator("[data-place]").innerText()).split(":")[1];
  assert.equal(await failure.locator("pre").first().innerText(), readFileSync(file, "utf8").split("\n")[line - 1].trim());
  assert.equal(await failure.locator("a").getAttribute("href"), `vscode://file${file}:${line}`);
  await failure.locator("[data-place]").click();
  assert.match(await in_viewer("data.fact(viewer.selected, 'line')"), new RegExp(`:${line}$`));
  assert.match(await in_viewer("data.label_of(viewer.selected)"), /H2D 1|cudaMemcpyAsync/);
  assert.equal(await page.locator("#picked [data-place]").innerText(), `pinned_memory.cu:${line}`);
});

test("a place is copied, and the keyboard does what the mouse does", async () => {
  const failure = page.locator(".failure", { hasText: "CopiesComeFromPinnedMemory" });
  const line = (await failure.locator("[data-place]").innerText()).split(":")[1];
  await failure.locator("button", { hasText: "copy" }).click();
  await page.waitForFunction(async (place) => (await navigator.clipboard.readText()) === place, `${file}:${line}`);
  await in_viewer("viewer.select(null)");
  await failure.locator("[data-place]").focus();
  await page.keyboard.press("Enter");
  assert.match(await in_viewer("data.fact(viewer.selected, 'line')"), new RegExp(`:${line}$`));
  await page.locator("#timeline").focus();
  await page.keyboard.press("g");  // keys of the viewer: its own test has them all
  assert.match(await in_viewer("data.label_of(viewer.selected)"), /cudaMemcpyAsync|H2D|D2H/);
});

test("a save is checked, and what changed is said", async () => {
  const last = await picture();
  copyFileSync(solution, file);
  await has_verdict("passed");
  await new_picture(last);
  assert.match(await page.locator(".changes").innerText(), /CopiesComeFromPinnedMemory 0 of 6 -> 6 of 6/);
  assert.match(await page.locator("#questions").innerText(), /measured 2 pinned/);
});

test("a reload in the middle of a check catches up", async () => {
  copyFileSync(skeleton, file);
  await has_verdict("checking");
  await page.reload();
  await has_verdict("requirement missed");
  await page.waitForSelector("#timeline[data-name]");
});

test("reset puts the file back when it is confirmed, and is undone", async () => {
  await page.waitForFunction(() => document.querySelector('button[data-action="check"]').textContent === "Check");
  copyFileSync(solution, file);
  await has_verdict("passed");
  page.once("dialog", (dialog) => dialog.dismiss());
  await press("reset");
  assert.equal(readFileSync(file, "utf8"), readFileSync(solution, "utf8"));
  page.once("dialog", (dialog) => dialog.accept());
  await press("reset");
  await has_verdict("requirement missed");
  assert.equal(readFileSync(file, "utf8"), readFileSync(skeleton, "utf8"));
  await press("undo reset");
  await has_verdict("passed");
  assert.equal(readFileSync(file, "utf8"), readFileSync(solution, "utf8"));
  copyFileSync(skeleton, file);
  await has_verdict("requirement missed");
});

test("two tabs show the same", async () => {
  const other = await new_page();
  await has_verdict("requirement missed", other);
  copyFileSync(solution, file);
  await Promise.all([has_verdict("passed"), has_verdict("passed", other)]);
  await page.close();  // the one that reads the events; the other takes over
  page = other;
  copyFileSync(skeleton, file);
  await has_verdict("requirement missed");
});

test("a hint is chosen for what failed", async () => {
  await page.locator('button[data-action="hint"]').focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("#hint:not([hidden])");
  assert.match(await page.locator("#hint h2").innerText(), /^Hint 1 of \d+/);
  assert.ok(await is_shown_and_focused("hint"));
});

test("a hint goes with the next verdict, and after a pass none is open", async () => {
  let last = await picture();
  copyFileSync(solution, file);
  await has_verdict("passed");
  await new_picture(last);
  assert.ok(await page.locator("#hint").isHidden());
  await press("hint");
  await page.waitForSelector("#file + #notice:not([hidden])");
  assert.match(await page.locator("#notice").innerText(), /no hint is needed/);
  last = await picture();
  copyFileSync(skeleton, file);
  await has_verdict("requirement missed");
  await new_picture(last);
});

test("the solution's run stands beside the own one, on one scale", async () => {
  const last = await picture();
  await press("compare");
  await new_picture(last);
  assert.deepEqual(await in_viewer("data.runs.map((run) => run.heading)"), ["Your run", "The solution's run"]);
  assert.match(await page.locator("#run-words").innerText(), /times as long as the solution's/);
});

test("another GPU and another schedule draw their runs", async () => {
  let last = await picture();
  await page.locator("select[aria-label=GPU]").selectOption("h200");
  await new_picture(last);
  assert.match(await page.locator(".run-head").innerText(), /on h200/);
  last = await picture();
  await page.locator("select[aria-label=GPU]").selectOption("teaching");
  await new_picture(last);
  const took = await in_viewer("data.length");
  last = await picture();
  await page.locator("input[type=range]").fill("1");
  await new_picture(last);
  assert.match(await page.locator(".run-head").innerText(), /slow-copies/);
  assert.ok((await in_viewer("data.length")) > 5 * took);
});

test("two quick keys on the schedule: the last one is drawn and named, and the slider keeps the focus", async () => {
  const slider = page.locator("input[type=range]");
  let last = await picture();
  await slider.fill("0");
  await new_picture(last);
  let deliver, is_first = true;
  const later = new Promise((resolve) => { deliver = resolve; });
  await page.route("**/timeline?*", async (route) => {
    if (is_first) {
      is_first = false;
      await later;
    }
    await route.continue();
  });
  last = await picture();
  await slider.focus();
  const first = page.waitForRequest("**/timeline?*");
  await page.keyboard.press("ArrowRight");
  const late = (await first).url();
  await page.keyboard.press("ArrowRight");
  await new_picture(last);
  const answered = page.waitForResponse(late);
  deliver();
  await (await answered).finished();
  await page.unroute("**/timeline?*");
  await page.evaluate(() => new Promise(requestAnimationFrame));
  assert.match(await page.locator(".run-head").innerText(), /slow-kernels/);
  assert.equal(await page.locator("#schedule-name").innerText(), "kernels ten times slower");
  assert.ok(await slider.evaluate((one) => one === document.activeElement));
});

test("what could not be read is read again", async () => {
  const last = await picture();
  await page.route("**/timeline?*", (route) => route.abort(), { times: 1 });
  await page.locator("input[type=range]").fill("0");
  await new_picture(last);
});

test("only what the lesson has is offered", async () => {
  assert.equal(await page.locator('button[data-action="compare"]').count(), 1);
  assert.equal(await page.locator('button[data-action="sweep"]').count(), 0);
  const solutions = readlinkSync(`${root}/solutions`);
  rmSync(`${root}/solutions`);  // as in a copy for students
  await press("hint");  // brings a new state
  await page.waitForFunction(() => !document.querySelector('button[data-action="compare"], button[data-action="show compare"]'));
  symlinkSync(solutions, `${root}/solutions`);
});

test("explain names the causes with their lines and cures", async () => {
  await press("explain");
  await page.waitForSelector("#explanation tbody tr");
  assert.ok(await is_shown_and_focused("explanation"));
  assert.match(await page.locator("#explanation").innerText(), /pinned_memory\.cu:\d+/);
});

test("a file that does not compile shows the compiler's words, and the page goes on", async () => {
  writeFileSync(file, readFileSync(skeleton, "utf8").replace(/;\n/, "\n"));
  await has_verdict("compile error");
  assert.match(await page.locator("#result").innerText(), /The compiler said[^]*pinned_memory\.cu:\d+/);
  copyFileSync(skeleton, file);
  await has_verdict("requirement missed");
});

test("a lesson that hangs: the terminal says the same, and the page goes on", async () => {
  writeFileSync(file, readFileSync(skeleton, "utf8").replace(/^(.*cudaMemcpyAsync)/m, "  while (true) cudaStreamQuery(nullptr);\n$1"));
  await has_verdict("timeout");  // in virtual time, so that both find the same on a busy machine
  const seen = await page.locator(".failure dd").nth(1).innerText();
  const terminal = spawnSync(process.env.PROGRAM, ["check", "02", "--json"], { encoding: "utf8" });
  assert.equal(terminal.status, 3);
  const told = JSON.parse(terminal.stdout);
  assert.equal(told.verdict, "timeout");
  assert.equal(told.why.seen.replaceAll("`", ""), seen);
  await has_verdict("timeout");  // the page shows what the terminal found
  copyFileSync(skeleton, file);
  await has_verdict("requirement missed");
});

test("another lesson opens, and its sweep fills a grid", async () => {
  const title = (words) => page.waitForFunction((words) => document.querySelector("#text h1")?.textContent === words, words);
  await page.route("**/lesson?*", (route) => route.abort(), { times: 1 });
  await page.locator("#lesson").selectOption("04");
  await title("Many streams");
  await page.goBack();
  await title("Pinned memory");
  await page.goForward();
  await title("Many streams");
  await has_verdict("not checked yet");
  await page.locator("#questions button", { hasText: "Skip" }).click();
  await has_verdict("wrong answer");
  await page.locator("#questions .words button", { hasText: "The surprise" }).first().click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "the-surprise");
  await page.evaluate(() => {
    window.filled = new Set();
    new MutationObserver(() => window.filled.add(document.querySelectorAll("#sweep td.cell:not(.empty)").length)).observe(document.querySelector("#sweep"), { childList: true, subtree: true });
  });
  await press("sweep");
  await page.waitForFunction(() => document.querySelectorAll("#sweep p").length > 1);
  assert.ok((await page.locator("#sweep td.cell").count()) >= 16);
  assert.equal(await page.locator("#sweep td.cell.empty").count(), 0);
  const filled = await page.evaluate(() => [...window.filled]);
  assert.ok(filled.some((count) => count > 0 && count < filled.at(-1)), `it filled by itself: ${filled}`);
});

test("a restart of the server is noticed, and the page goes on", async () => {
  const { token } = /\/(?<token>[0-9a-f]{32})\//.exec(address).groups;
  await stop_server();
  await page.waitForSelector("#connection:not([hidden])");
  await start_server();
  assert.ok(address.includes(token));
  await page.waitForSelector("#connection[hidden]", { state: "attached" });
  await page.waitForFunction(() => document.body.dataset.lesson === "02");
});

test("the key o of the watch screen opens the page, which shows what the watch screen found", async (it) => {
  await stop_server();
  const opener = `${process.cwd()}/opener.sh`;
  writeFileSync(opener, '#!/bin/sh\necho "$1" >"$0.address"\n', { mode: 0o755 });
  rmSync(`${opener}.address`, { force: true });
  spawnSync("mkfifo", [`${opener}.address`]);  // so that reading waits for the browser
  const watching = spawn("script", ["--quiet", "--command", process.env.PROGRAM, "/dev/null"], {
    env: { ...process.env, TERM: "xterm-256color", BROWSER: opener }, stdio: ["pipe", "pipe", "inherit"] });
  it.after(() => watching.kill());
  let screen = "";
  const shows = (words) => new Promise((resolve) => {
    const look = () => { if (!words.test(screen)) return; watching.stdout.off("data", look); resolve(); };
    watching.stdout.on("data", look);
    look();
  });
  watching.stdout.on("data", (text) => { screen += text; });
  await shows(/Pinned memory/);
  watching.stdin.write("o");
  await shows(/The page: http\S+\//);
  [, address] = /The page: (http:\S+\/)/.exec(screen);
  assert.equal((await readFile(`${opener}.address`, "utf8")).trim(), address);
  const other = await new_page();
  assert.equal(await other.locator("#text h1").innerText(), "Pinned memory");
  assert.match(await other.locator("#file").innerText(), /saves do not start a check here/);
  copyFileSync(solution, file);  // the watch screen checks it
  await has_verdict("passed", other);
  const ended = new Promise((resolve) => watching.on("exit", resolve));
  watching.stdin.write("q");
  await ended;
  await other.waitForSelector("#connection:not([hidden])");  // its server ends with the screen
  await other.close();
  copyFileSync(skeleton, file);
  await start_server();
  await page.waitForSelector("#connection[hidden]", { state: "attached" });  // until then it misses what is told
});

test("nothing is answered without the token, the right host and the right origin", async () => {
  const { origin } = new URL(address);
  const status = async (url, options) => (await fetch(url, options)).status;
  for (const path of ["/", "/page.js", "/state", "/events", "/act", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"]) assert.equal(await status(origin + path), 404, path);
  for (const path of ["..%2f..%2fetc%2fpasswd", "../../../etc/passwd", "timeline?name=../../x", "lesson?number=../01", "nothing"]) assert.equal(await status(address + path), 404, path);
  assert.equal(await status(`${address}act`, { method: "POST", body: "{}" }), 404);
  assert.equal(await status(`${address}act`, { method: "POST", body: "{}", headers: { Origin: "http://evil.example" } }), 404);
  assert.equal(await status(`${address}act`, { method: "POST", body: "not json", headers: { Origin: origin } }), 202);
  await page.waitForFunction(() => document.querySelector("#notice").textContent.includes("no action"));
  assert.equal(await status(`${address}act`, { method: "POST", body: "x".repeat(100000), headers: { Origin: origin } }), 413);
});

test("no error was thrown, and the page asked for nothing but its own server", () => assert.deepEqual(errors, []));
