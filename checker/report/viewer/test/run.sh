#!/bin/sh
# run.sh WRITE_PAGES FOLDER [OPERATIONS]: the viewer in headless Chromium. Exit status 77: a tool is missing.
#
# The driver (playwright-core, in the version of package.json) is installed into the folder with `npm ci`; it brings no browser.
write_pages=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "Skipped: $1"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no Chromium. On Debian ./streamlings setup --dev installs it."
command -v node >/dev/null || skip "there is no Node.js."
mkdir -p "$2/pages" && cd "$2" || exit 1
if ! cmp -s "$here/package-lock.json" package-lock.json || [ ! -d node_modules/playwright-core ]; then
  command -v npm >/dev/null || skip "there is no npm."
  cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" .
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci >npm.log 2>&1 || { rm -f package-lock.json; skip "npm could not install the driver: $(tail -1 npm.log)"; }
fi
"$write_pages" pages "${3:-3000}" || exit 1
cp "$here"/*.mjs .
BROWSER=$browser PAGES=$PWD/pages exec node --test --test-reporter=spec viewer_test.mjs
