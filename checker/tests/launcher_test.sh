#!/usr/bin/env bash
# launcher_test.sh: the start script `streamlings`, run in a small tree with stand-ins for every tool that it starts.
# Each case is a function named as a sentence. The stand-ins keep their state in $state, and nothing is installed.
set -euo pipefail

launcher=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/streamlings
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
failures=0
unset CXX STREAMLINGS_NO_INSTALL STREAMLINGS_OS_RELEASE STREAMLINGS_DOCS_THEME

# stand_in NAME: makes a program of the standard input, found by the launcher under this name.
stand_in() {
  rm -f "$tools/$1" # it may be a link to the machine's own program
  { printf '#!%s\n' "$BASH" && cat; } >"$tools/$1"
  chmod +x "$tools/$1"
}

# A tree with the launcher, and a PATH that holds nothing but stand-ins and a few plain tools.
make_tree() {
  tree="$area/$1"
  tools="$area/$1.tools"
  state="$area/$1.state"
  mkdir "$tree" "$state"
  cp -a "$area/tools" "$tools"
  cp "$launcher" "$tree/"
  printf 'ID=debian\n' >"$state/os-release"
  export state tools
}

# The tools of every tree.
make_tools() {
  tools="$area/tools"
  mkdir "$tools"
  local tool
  for tool in bash cat chmod cp df env find flock getconf grep id kill mkdir readlink rm sed setsid tail tr uname; do
    ln -s "$(type -P "$tool")" "$tools/$tool"
  done
  make_stand_ins
}

make_stand_ins() {
  local tool
  for tool in ninja addr2line; do stand_in "$tool" <<<"exit 0"; done
  stand_in id <<<"printf '0\n'"
  stand_in uname <<'TOOL'
case $1 in
  -s) cat "$state/system" 2>/dev/null || printf 'Linux\n' ;;
  -r) cat "$state/release" 2>/dev/null || printf '6.1.0\n' ;;
  -m) printf 'x86_64\n' ;;
esac
TOOL
  # The compiler lacks the headers that are listed in $state/absent.
  stand_in c++ <<'TOOL'
while read -r _ header; do
  if grep -qxF "$header" "$state/absent" 2>/dev/null; then exit 1; fi
done
exit 0
TOOL
  stand_in cmake <<'TOOL'
if [[ $1 == --version ]]; then
  cat "$state/cmake-version" 2>/dev/null || printf 'cmake version 3.25.1\n'
  exit
fi
printf '%s\n' "$*" >>"$state/cmake-calls"
if [[ $1 == --build ]]; then
  if [[ -e $state/broken ]]; then
    cat "$state/broken"
    exit 1
  fi
  if [[ -e $state/interrupted ]]; then
    kill -INT 0
    exit 130
  fi
  mkdir -p "$2/bin"
  printf '#!%s\nprintf "program:"; printf " <%%s>" "$@"; printf "\\n"; exit 7\n' "$BASH" >"$2/bin/streamlings"
  chmod +x "$2/bin/streamlings"
  printf '[%d/20] Building\n' 1 2 3 20
  exit
fi
home="CMAKE_HOME_DIRECTORY:INTERNAL=$2"
mkdir -p "$2/build"
if [[ " $* " != *" --fresh "* && -e $2/build/CMakeCache.txt ]] && ! grep -qxF "$home" "$2/build/CMakeCache.txt"; then
  printf 'CMake Error: the cache is of another directory\n'
  exit 1
fi
printf '%s\n' "$home" >"$2/build/CMakeCache.txt"
if [[ -e $state/killed-while-configuring ]]; then
  rm "$state/killed-while-configuring"
  kill -KILL 0
fi
printf 'rules\n' >"$2/build/build.ninja"
TOOL
  stand_in ctest <<'TOOL'
printf 'ctest: %s\n' "$*"
exit 8
TOOL
  stand_in apt-get <<'TOOL'
printf '%s\n' "$*" >>"$state/apt-calls"
if [[ " $* " == *" install "* ]]; then
  if [[ -e $state/no-network ]]; then
    printf 'E: Failed to fetch: Could not resolve deb.example\n'
    exit 100
  fi
  rm -f "$state/absent"
fi
TOOL
}

# start ARGUMENT...: runs the launcher as a learner would, without a terminal; sets status, and output (both streams).
start() {
  status=0
  output=$(cd / && PATH=$tools STREAMLINGS_OS_RELEASE=$state/os-release STREAMLINGS_DOCS_THEME=$state/theme "$tree/streamlings" "$@" 2>&1 </dev/null) || status=$?
  wait_for_background
}

# The rest of a first start.
wait_for_background() { if [[ -e $tree/build/.lock ]]; then flock "$tree/build/.lock" true; fi; }

complain() {
  printf '    %s\n    exit status %s, output:\n%s\n' "$1" "$status" "$output" | sed '3,$s/^/      | /'
  failures=$((failures + 1))
}

expect_status() { if [[ $status != "$1" ]]; then complain "expected exit status $1"; fi; }
expect_says() { if [[ $output != *"$1"* ]]; then complain "expected to read: $1"; fi; }
expect_silent_on() { if [[ $output == *"$1"* ]]; then complain "expected not to read: $1"; fi; }
expect_called() { if ! grep -q -- "$2" "$state/$1-calls" 2>/dev/null; then complain "expected a call: $1 $2"; fi; }
expect_not_called() { if grep -q -- "$2" "$state/$1-calls" 2>/dev/null; then complain "expected no call: $1 $2"; fi; }

help_before_the_build_installs_and_builds_nothing() {
  printf '<gtest/gtest.h>\n' >"$state/absent"
  start --help
  expect_status 0
  expect_says "./streamlings setup --dev"
  expect_not_called apt .
  expect_not_called cmake .
  if [[ -e $tree/build ]]; then complain "expected no build folder"; fi
}

help_after_the_build_is_the_programs() {
  start list
  start help
  expect_says "program: <--help>"
}

help_of_the_scripts_own_verbs_installs_and_builds_nothing() {
  local request
  for request in "test --help" "test -h" "test -R analysis --help" "help test"; do
    # shellcheck disable=SC2086 # words
    start $request
    expect_status 0
    expect_says "./streamlings test -R analysis"
  done
  for request in "setup --help" "setup -h" "setup --dev --help" "help setup"; do
    # shellcheck disable=SC2086 # words
    start $request
    expect_status 0
    expect_says "./streamlings setup --download DIR"
  done
  expect_not_called apt .
  expect_not_called cmake .
  if [[ -e $tree/build ]]; then complain "expected no build folder"; fi
}

first_start_builds_the_first_lesson_and_becomes_the_program() {
  start
  expect_status 7
  expect_says "program:"
  expect_says "building 20/20"
  expect_called cmake "^--build $tree/build --target first_lesson$"
  expect_says "The other lessons and verbs are built in the background."
  expect_called cmake "^--build $tree/build --target learner$"
  expect_not_called apt .
}

first_start_with_a_verb_builds_all_verbs_first() {
  start check "a b"
  expect_status 7
  expect_says "program: <check> <a b>"
  expect_says "Building the course into $tree/build"
  expect_called cmake "^--build $tree/build --target learner$"
  expect_not_called cmake first_lesson
}

second_start_does_not_configure_again() {
  start list
  : >"$state/cmake-calls"
  start list
  expect_status 7
  expect_not_called cmake --preset
}

a_start_after_a_whole_build_starts_no_build() {
  start list
  : >"$state/cmake-calls"
  start list
  expect_status 7
  expect_not_called cmake .
}

# The next start builds after CHANGE, a command.
expect_a_build_after() {
  start list
  start list
  : >"$state/cmake-calls"
  "$@"
  start list
  expect_status 7
  expect_called cmake "^--build $tree/build --target learner$"
}

a_changed_source_is_built() {
  mkdir -p "$tree/checker/trace"
  touch "$tree/checker/trace/recording.h"
  expect_a_build_after touch "$tree/checker/trace/recording.h"
}

a_new_and_a_removed_source_are_noticed() {
  mkdir -p "$tree/checker/trace"
  expect_a_build_after touch "$tree/checker/trace/new.h"
  expect_a_build_after rm "$tree/checker/trace/new.h"
}

a_removed_program_is_built_again() {
  start list
  touch "$tree/build/bin/other"
  expect_a_build_after rm "$tree/build/bin/other"
}

an_edited_lesson_is_no_reason_to_build() {
  mkdir -p "$tree/lessons"
  start list
  : >"$state/cmake-calls"
  touch "$tree/lessons/a.cu"
  start list
  expect_status 7
  expect_not_called cmake .
}

starts_through_a_symbolic_link() {
  ln -s "$tree/streamlings" "$area/a link"
  status=0
  output=$(cd / && PATH=$tools "$area/a link" next 2>&1) || status=$?
  wait_for_background
  expect_status 7
  expect_says "program: <next>"
  expect_called cmake "^--build $tree/build --target learner$"
}

missing_packages_are_named_with_reasons_and_installed() {
  printf '<gtest/gtest.h>\n<CLI/CLI.hpp>\n' >"$state/absent"
  start list
  expect_status 7
  expect_says "libgtest-dev         GoogleTest: runs the checks"
  expect_says "libcli11-dev         reads the command line"
  expect_silent_on "libfmt-dev           "
  expect_called apt "update$"
  expect_called apt "install --no-install-recommends libgtest-dev libcli11-dev$"
}

an_installation_that_does_not_help_ends_the_start() {
  rm "$tools/addr2line"
  start list
  expect_status 2
  expect_says "Installed, but still not usable"
  expect_says "binutils             finds the line of your file"
  expect_not_called cmake --preset
}

refusing_the_installation_shows_the_one_command() {
  printf '<fmt/core.h>\n' >"$state/absent"
  STREAMLINGS_NO_INSTALL=1 start list
  expect_status 2
  expect_says "  apt-get update && apt-get install -y --no-install-recommends libfmt-dev"
  expect_not_called apt .
  expect_not_called cmake --preset
}

old_cmake_counts_as_missing() {
  printf 'cmake version 3.22.1\n' >"$state/cmake-version"
  STREAMLINGS_NO_INSTALL=1 start list
  expect_status 2
  expect_says "cmake                describes the build (3.25 or newer)"
}

another_distribution_gets_the_list_and_a_command() {
  printf 'ID=fedora\n' >"$state/os-release"
  printf '<fmt/core.h>\n' >"$state/absent"
  start list
  expect_status 2
  expect_says "libfmt-dev           prints reports"
  expect_says "docker run"
  expect_not_called apt .
}

a_distribution_like_debian_is_one() {
  printf 'ID=linuxmint\nID_LIKE="ubuntu debian"\n' >"$state/os-release"
  printf '<fmt/core.h>\n' >"$state/absent"
  start list
  expect_status 7
  expect_called apt "libfmt-dev"
}

another_distribution_with_everything_needs_no_packages() {
  printf 'ID=fedora\n' >"$state/os-release"
  start list
  expect_status 7
}

without_root_and_sudo_the_command_is_shown() {
  stand_in id <<<"printf '1000\n'"
  printf '<fmt/core.h>\n' >"$state/absent"
  start list
  expect_status 2
  expect_says "Installing needs root"
  expect_not_called apt .
}

without_root_sudo_installs() {
  stand_in id <<<"printf '1000\n'"
  # shellcheck disable=SC2016 # expanded by the stand-in
  stand_in sudo <<<'if [[ $1 == -n ]]; then exit 0; fi; printf "%s\n" "$*" >>"$state/sudo-calls"; exec "$@"'
  printf '<fmt/core.h>\n' >"$state/absent"
  start list
  expect_status 7
  expect_called sudo "apt-get .* install"
}

without_a_network_it_says_so() {
  printf '<fmt/core.h>\n' >"$state/absent"
  touch "$state/no-network"
  start list
  expect_status 2
  expect_says "The package servers could not be reached"
}

macos_and_old_wsl_are_refused() {
  printf 'Darwin\n' >"$state/system"
  start list
  expect_status 2
  expect_says "does not run on macOS itself"
  printf 'Linux\n' >"$state/system"
  printf '4.4.0-19041-Microsoft\n' >"$state/release"
  start list
  expect_status 2
  expect_says "use WSL 2"
  expect_not_called cmake .
}

wsl_2_is_linux() {
  printf '5.15.90.1-microsoft-standard-WSL2\n' >"$state/release"
  start list
  expect_status 7
}

developer_setup_adds_what_only_tests_use() {
  STREAMLINGS_NO_INSTALL=1 start setup --dev
  expect_status 2
  expect_says "bubblewrap git ccache clang clangd doxygen graphviz doxygen-awesome-css python3 python3-jsonschema chromium"
}

setup_on_ubuntu_leaves_the_browser_out() {
  printf 'ID=ubuntu\nID_LIKE=debian\n' >"$state/os-release"
  STREAMLINGS_NO_INSTALL=1 start setup --dev
  expect_says "bubblewrap git ccache clang clangd doxygen graphviz doxygen-awesome-css python3 python3-jsonschema"
  expect_silent_on "chromium"
}

setup_for_a_class_adds_what_grading_uses() {
  STREAMLINGS_NO_INSTALL=1 start setup --class
  expect_says "bubblewrap git"
  expect_silent_on "clang"
}

setup_downloads_into_a_folder_for_a_machine_that_has_nothing() {
  start setup --download "$state/packages"
  expect_status 0
  expect_called apt "Dir::Cache::archives=$state/packages/packages .*Dir::State::status=$state/packages/empty install --download-only .*g++ cmake"
  expect_not_called cmake .
}

setup_offline_asks_no_server() {
  start setup --offline "$state/nowhere"
  expect_status 2
  expect_says "holds no packages"
  printf '<CLI/CLI.hpp>\n' >"$state/absent"
  mkdir -p "$state/packages/packages"
  start setup --offline "$state/packages"
  expect_not_called apt update
  expect_called apt "Dir::State::lists=$state/packages/lists .*--no-download install"
}

setup_check_only_names_what_is_missing() {
  printf '<CLI/CLI.hpp>\n' >"$state/absent"
  start setup --check
  expect_status 1
  expect_says "libcli11-dev"
  expect_not_called cmake .
}

unknown_setup_argument_is_an_error_of_use() {
  start setup --everything
  expect_status 2
  expect_says "usage: ./streamlings setup [--class | --dev] [--check | --download DIR | --offline DIR]"
}

tests_leave_the_lessons_out_and_end_with_ctests_status() {
  start test -R analysis
  expect_status 8
  expect_says "ctest: --test-dir $tree/build -LE ^lesson$ --output-on-failure -j$(($(getconf _NPROCESSORS_ONLN) + 1)) -R analysis"
  expect_called cmake "--target all$"
}

moved_checkout_is_configured_afresh() {
  start list
  mv "$tree" "$tree moved"
  tree="$tree moved"
  start list
  expect_status 7
  expect_called cmake "-S $tree --preset default --fresh$"
}

start_after_a_kill_while_configuring_configures_again() {
  touch "$state/killed-while-configuring"
  status=0
  output=$(PATH=$tools setsid --wait "$tree/streamlings" list 2>&1) || status=$?
  expect_status 137
  if [[ -e $tree/build/build.ninja ]]; then complain "expected half a configuration"; fi
  start list
  expect_status 7
}

failed_build_shows_the_end_of_its_log() {
  printf 'FAILED: the compiler says no\n' >"$state/broken"
  start list
  expect_status 2
  expect_says "FAILED: the compiler says no"
  expect_says "$tree/build/streamlings-build.log"
}

a_full_disk_is_told_and_nothing_is_tried_again() {
  printf 'a.cpp:1: fatal error: error writing to a.s: No space left on device\n' >"$state/broken"
  start list
  expect_status 2
  expect_says "The disk is full: building takes"
  if [[ $(grep -c -- --build "$state/cmake-calls") != 1 ]]; then complain "expected one attempt"; fi
}

a_disk_too_full_for_the_log_is_told_as_well() {
  printf 'ninja: error\n' >"$state/broken"
  stand_in df <<<'printf "Filesystem 1024-blocks Used Available Capacity Mounted on\nsmall disk 24576 24300 276 99%% /a tree\n"'
  start list
  expect_status 2
  expect_says "The disk is full: building takes"
}

a_compiler_that_was_killed_is_told() {
  printf 'g++: fatal error: Killed signal terminated program cc1plus\n' >"$state/broken"
  start list
  expect_status 2
  expect_says "most likely because the memory was full"
  expect_says "CMAKE_BUILD_PARALLEL_LEVEL=1 ./streamlings"
}

an_interrupted_first_start_says_that_the_next_goes_on() {
  touch "$state/interrupted"
  status=0
  output=$(PATH=$tools setsid --wait "$tree/streamlings" list 2>&1) || status=$?
  expect_status 130
  expect_says "Building the course into $tree/build, once"
  expect_says "Interrupted. The next start goes on from here."
  rm "$state/interrupted"
  start list
  expect_status 7
}

second_of_two_starts_says_that_it_waits() {
  local first_line
  mkdir "$tree/build"
  mkfifo "$area/output"
  exec 7>"$tree/build/.lock"
  flock 7
  PATH=$tools "$tree/streamlings" list >"$area/output" 2>&1 7>&- &
  local started=$!
  exec 6<"$area/output"
  read -r first_line <&6
  exec 7>&-
  output=$first_line$(cat <&6)
  exec 6<&-
  status=0
  wait "$started" || status=$?
  expect_status 7
  expect_says "waiting for it"
  expect_says "program: <list>"
}

make_tools
number=0
while read -r _ _ name; do
  if [[ $(type -t "$name") != function || $name == expect_* || $name =~ ^(make_tree|make_tools|make_stand_ins|stand_in|start|wait_for_background|complain)$ ]]; then
    continue
  fi
  number=$((number + 1))
  before=$failures
  make_tree "a tree $number"
  "$name"
  if [[ $failures == "$before" ]]; then printf 'ok      %s\n' "$name"; else printf 'FAILED  %s\n' "$name"; fi
done < <(declare -F)

printf '%d cases, %d failed expectations\n' "$number" "$failures"
[[ $failures == 0 && $number -gt 0 ]]
