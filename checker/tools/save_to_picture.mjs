// save_to_picture.mjs SAVES LESSON: run by save_to_picture.sh.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { chromium } from "playwright-core";

const root = process.env.STREAMLINGS_ROOT, program = process.env.PROGRAM;
const saves = Number(process.argv[2]), lesson = process.argv[3];
const folder = readdirSync(`${root}/lessons`).find((name) => name.startsWith(`${lesson}_`)), name = folder.slice(3);
const file = `${root}/lessons/${folder}/${name}.cu`;
const answers = [readFileSync(`${root}/checker/lessons/${folder}/skeleton.cu`, "utf8"), readFileSync(`${root}/solutions/${folder}/${name}.cu`, "utf8")];
// A verdict and the solution's, in turns.
const save = (number) => writeFileSync(file, `${answers[number % 2]}\nint save_number() { return ${number}; }\n`);
const median = (times) => times.sort((one, two) => one - two)[times.length >> 1];
const in_words = (times) => `${(median(times) / 1000).toFixed(2)} s (${(times[0] / 1000).toFixed(2)} to ${(times.at(-1) / 1000).toFixed(2)})`;

async function on_the_page() {
  const server = spawn(program, ["serve", lesson], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve) => server.stdout.on("data", (text) => { const found = /The page: (\S+)/.exec(text); if (found) resolve(found[1]); }));
  const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(address);
  await page.waitForSelector("body[data-lesson]");
  const times = [];
  for (let number = 0; number <= saves; ++number) {
    const last = await page.evaluate(() => document.querySelector("#timeline").dataset.name);
    const begin = performance.now();
    save(number);
    await page.waitForFunction((last) => document.querySelector("#timeline").dataset.name !== last, last, { polling: "raf", timeout: 120000 });
    await page.evaluate(() => new Promise(requestAnimationFrame));  // drawn
    if (number > 0) times.push(performance.now() - begin);  // the first one compiles what all share
  }
  await browser.close();
  server.kill("SIGTERM");
  return times;
}

// Of the lesson that was last on the page.
async function on_the_watch_screen() {
  const screen = spawn("script", ["-qfec", `stty rows 50 cols 120; exec ${program}`, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, TERM: "xterm" } });
  let printed = "", wanted = () => false, resolve;
  screen.stdout.on("data", (text) => {
    printed += String(text).replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, "");
    if (wanted()) resolve();
  });
  const until = (condition) => new Promise((done) => { wanted = condition; resolve = done; if (wanted()) done(); });
  await until(() => /Esc:skip the questions|of 100 points[^]*q:quit/.test(printed));
  if (printed.includes("Esc:skip")) screen.stdin.write("\x1b");
  await until(() => /of 100 points[^]*q:quit/.test(printed));
  const times = [];
  for (let number = saves + 1; number <= 2 * saves + 1; ++number) {
    printed = "";
    const begin = performance.now();
    save(number);
    const verdict = number % 2 === 1 ? /PASSED, 100 of 100 points[^]*q:quit/ : /(?<!PASSED, )\b\d+ of 100 points[^]*q:quit/;
    await until(() => verdict.test(printed));
    if (number > saves + 1) times.push(performance.now() - begin);
  }
  screen.stdin.write("q");
  return times;
}

console.log(`from a save of lesson ${lesson} to the picture, median of ${saves} (fastest to slowest)`);
console.log(`on the page:         ${in_words(await on_the_page())}`);
console.log(`on the watch screen: ${in_words(await on_the_watch_screen())}`);
process.exit(0);
