#!/usr/bin/env bash
# layering_test.sh: a module includes only what it has an arrow to. The modules are the folders of checker/; the arrows are
# written down here, once. Includes inside raw strings (programs that tests write) are no includes.
set -euo pipefail

checker=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

declare -A arrows=(
  [parsing]=""
  [trace]=""
  [device]="trace"
  [virtual_gpu]="parsing trace device"
  [real_gpu]="parsing trace"
  [exercise]="trace"
  [analysis]="trace device"
  [report]="trace analysis"
  [matchers]="exercise analysis device report trace"
  [checking]="parsing exercise analysis device report trace matchers"
  [runner]="parsing exercise analysis report device trace"
  [lessons]="checking matchers exercise"
  [tests]="exercise trace device analysis report matchers virtual_gpu"
)

# includes_of FILE: prints "LINE NAME" for each included NAME.
includes_of() {
  awk '
    in_raw_string { if (index($0, closing)) in_raw_string = 0; next }
    match($0, /^[ \t]*#[ \t]*include[ \t]*["<][^">]*/) {
      name = substr($0, RSTART, RLENGTH)
      sub(/^[^"<]*["<]/, "", name)
      print FNR, name
    }
    match($0, /R"[A-Za-z_]*\(/) {
      closing = ")" substr($0, RSTART + 2, RLENGTH - 3) "\""
      if (!index(substr($0, RSTART + RLENGTH), closing)) in_raw_string = 1
    }' "$1"
}

# violations ROOT: prints a line for each include between modules of ROOT that has no arrow.
violations() {
  local root=$1 folder module file line name target
  for folder in "$root"/*/; do
    module=$(basename "$folder")
    if [[ ! -v arrows[$module] ]]; then
      printf '%s: this folder has no arrows: say in %s what it may include\n' "$module" "$(basename "$0")"
      continue
    fi
    while IFS= read -r -d '' file; do
      while read -r line name; do
        target=${name%%/*}
        if [[ $name == */* && $target != "$module" && -d $root/$target && " ${arrows[$module]} " != *" $target "* ]]; then
          printf '%s:%s: %s includes "%s", and there is no arrow from %s to %s\n' \
            "${file#"$root"/}" "$line" "$module" "$name" "$module" "$target"
        fi
      done < <(includes_of "$file")
    done < <(find "$folder" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0 | sort -z)
  done
}

failures=0

# expect_violations NAME ROOT PATTERN...: ROOT has exactly one violation for each pattern, in this order.
expect_violations() {
  local name=$1 root=$2 before=$failures seen i
  shift 2
  mapfile -t seen < <(violations "$root")
  if [[ ${#seen[@]} != "$#" ]]; then failures=$((failures + 1)); fi
  for ((i = 0; i < $#; ++i)); do
    if [[ ${seen[i]-} != *"${*:i+1:1}"* ]]; then failures=$((failures + 1)); fi
  done
  if [[ $failures == "$before" ]]; then
    printf 'ok      %s\n' "$name"
  else
    printf 'FAILED  %s\n' "$name"
    if [[ ${#seen[@]} != 0 ]]; then printf '  found: %s\n' "${seen[@]}"; fi
    if [[ $# != 0 ]]; then printf '  expected: %s\n' "$@"; fi
  fi
}

area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT

# plant FOLDER/FILE: makes a file of the standard input in a tree of its own, in which every module has a folder.
tree=0
new_tree() {
  tree=$((tree + 1))
  local module
  for module in "${!arrows[@]}"; do mkdir -p "$area/$tree/$module"; done
}
plant() {
  mkdir -p "$area/$tree/$(dirname "$1")"
  cat >"$area/$tree/$1"
}

if [[ $(find "$checker/trace" -name '*.h' | wc -l) == 0 ]]; then
  printf 'there is no header in %s/trace: wrong folder\n' "$checker"
  exit 1
fi
expect_violations every_include_has_an_arrow "$checker"

new_tree
plant device/a.h <<<'#include "trace/recording.h"'
plant device/b.cpp <<<'#include "device/a.h"'
plant device/c.cpp <<<'#include <nlohmann/json.hpp>'
expect_violations includes_along_arrows_are_allowed "$area/$tree"

new_tree
plant trace/a.h <<<'#include "device/profile.h"'
plant checking/b.cpp <<<$'#pragma once\n#  include <virtual_gpu/runtime.h>'
expect_violations includes_against_arrows_are_found "$area/$tree" \
  'checking/b.cpp:2: checking includes "virtual_gpu/runtime.h"' 'trace/a.h:1: trace includes "device/profile.h"'

new_tree
plant lessons/01_first/check.cpp <<<'#include "virtual_gpu/runtime.h"'
expect_violations folders_inside_a_module_belong_to_it "$area/$tree" 'lessons/01_first/check.cpp:1'

new_tree
plant cellar/a.h <<<'#include "trace/recording.h"'
expect_violations a_folder_without_arrows_is_found "$area/$tree" 'cellar: this folder has no arrows'

new_tree
plant trace/a_test.cpp <<<$'const char* program = R"x(\n#include "device/profile.h"\n)x";\n#include "report/result.h"'
expect_violations raw_strings_are_skipped_and_what_follows_is_not "$area/$tree" 'trace/a_test.cpp:4'

[[ $failures == 0 ]]
