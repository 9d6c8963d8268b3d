#!/bin/sh
# save_to_picture.sh STREAMLINGS [SAVES [LESSON]]: how long it takes from a save until the picture is there, on the page of `serve`
# and on the watch screen, in turns, in a checkout of its own. The median of 20 saves of lesson 03, unless told otherwise. Each save
# has new code, so that each is compiled. Exit status 77: a tool is missing.
program=$(realpath "$1")
source=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "There is no Chromium."; exit 77; }
cp "$source"/checker/report/viewer/test/package*.json "$source/checker/report/viewer/test/.npmrc" "$source/checker/tools/save_to_picture.mjs" "$folder"
cd "$folder" || exit 1
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci > npm.log 2>&1 || { echo "npm could not install the driver: $(tail -1 npm.log)"; exit 77; }
mkdir -p checkout/build checkout/lessons
ln -s "$source/checker" "$source/solutions" checkout
ln -s "$(dirname "$program")" checkout/build/bin
cp -r "$source"/lessons/* checkout/lessons
STREAMLINGS_ROOT=$folder/checkout PROGRAM=$program BROWSER=$browser node save_to_picture.mjs "${2:-20}" "${3:-03}"
