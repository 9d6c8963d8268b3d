#!/usr/bin/env bash
# compile_check.sh COMPILER...: compiles a check.cpp. When that fails, the object holds the compiler's messages instead, and the
# build goes on: only that lesson cannot be checked, and the check program says why.
set -u
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
if "$@" 2>"$messages"; then
  cat "$messages" >&2
  exit 0
fi
cat "$messages" >&2

substitute=() preprocessing=() source=
while [[ $# -gt 0 ]]; do
  case $1 in
    -c)
      source=$2
      substitute+=(-c -x c++ -) preprocessing+=(-E "$2")
      shift
      ;;
    -o)
      substitute+=(-o "$2") preprocessing+=(-o /dev/null)
      shift
      ;;
    -Winvalid-pch | -include | *.pch | *.gch) ;;
    *) substitute+=("$1") preprocessing+=("$1") ;;
  esac
  shift
done
[[ -n $source ]] || exit 1
{
  printf 'extern "C" const char streamlings_compile_errors[];\nconst char streamlings_compile_errors[] = R"~~~~('
  head -c 8000 "$messages"
  printf ')~~~~";\n'
} | "${substitute[@]}" || exit 1
# The object depends on what the source includes, so that a change there compiles it again.
"${preprocessing[@]}" 2>/dev/null || true
printf 'The build goes on without the check of this lesson.\n' >&2
