#!/usr/bin/env bash
# layering_test.sh COMPILER BUILD -I FOLDER...: with the include directories of module trace, an include of another module does
# not compile; and no target can include from all of checker/.
set -euo pipefail
compiler=$1 build=$2
shift 2

compiles() { "$compiler" -std=c++20 -fsyntax-only "${@:2}" -x c++ - <<<"#include \"$1\"" 2>&1; }

if ! compiles trace/recording.h "$@"; then
  echo "trace cannot include its own headers: the include directories are wrong"
  exit 1
fi
if messages=$(compiles device/profile.h "$@") || [[ $messages != *device/profile.h:\ No\ such\ file* && $messages != *"'device/profile.h' file not found"* ]]; then
  printf 'device/profile.h can be included from trace, which does not use device:\n%s\n' "$messages"
  exit 1
fi
checker=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if grep -nE -- "-I *$checker[ \"]" "$build/compile_commands.json"; then
  echo "These can include every module."
  exit 1
fi
