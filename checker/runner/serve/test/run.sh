#!/bin/sh
# run.sh STREAMLINGS FOLDER: the page of `serve` in headless Chromium, with real checks. Exit status 77: a tool is missing.
#
# The driver is the one of the viewer's tests: checker/report/viewer/test/package.json names its version.
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
source=$(realpath "$here/../../../..")
driver=$source/checker/report/viewer/test
skip() { echo "Skipped: $1"; exit 77; }
"$program" serve --help | grep -q "not built" && skip "serve is not built: libcpp-httplib-dev is missing."
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no Chromium. On Debian ./streamlings setup --dev installs it."
command -v node >/dev/null || skip "there is no Node.js."
mkdir -p "$2" && cd "$2" || exit 1
if ! cmp -s "$driver/package-lock.json" package-lock.json || [ ! -d node_modules/playwright-core ]; then
  command -v npm >/dev/null || skip "there is no npm."
  cp "$driver/package.json" "$driver/package-lock.json" "$driver/.npmrc" .
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci >npm.log 2>&1 || { rm -f package-lock.json; skip "npm could not install the driver: $(tail -1 npm.log)"; }
fi
# A checkout of its own, so that nobody's files and progress are touched; the programs are those of the build.
rm -rf checkout
mkdir -p checkout/build checkout/lessons
ln -s "$source/checker" "$source/solutions" checkout
ln -s "$(dirname "$program")" checkout/build/bin
for lesson in "$source"/lessons/*/; do
  name=$(basename "$lesson")
  cp -r "$lesson" checkout/lessons
  cp "$source/checker/lessons/$name/skeleton.cu" "checkout/lessons/$name/${name#*_}.cu"
done
cp "$here"/*.mjs .
PROGRAM=$program STREAMLINGS_ROOT=$PWD/checkout BROWSER=$browser exec node --test --test-reporter=spec serve_test.mjs
