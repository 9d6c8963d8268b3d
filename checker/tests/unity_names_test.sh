#!/usr/bin/env bash
# unity_names_test.sh CHECKER: names the entities that two source files of a module both define in an unnamed namespace. They
# compile as long as the unity build puts the files into different batches, and break when a file is added.
set -euo pipefail
cd "$1"

# "SCOPE NAME(PARAMETERS)<TAB>FILE" for functions, "SCOPE NAME<TAB>FILE" for types and constants.
definitions() {
  awk '
    FNR == 1 { scope = ""; inside = 0; text = 0 }
    text { if (/\)[a-z_]*"/) text = 0; next }
    /R"[a-z_]*\(/ && !/\)[a-z_]*"/ { text = 1 }
    /^namespace [a-z_:]+ \{/ { scope = $2 }
    /^namespace \{/ { inside = 1 }
    /^\}  \/\/ namespace/ { if (!inside) scope = ""; inside = 0 }
    !inside || /^(template|namespace|using|extern|return|static_assert|\/|#|\}| |$)/ { next }
    {
      line = $0
      while (line !~ /[{;=]|\)$/ && (getline following) > 0) line = line following
      name = ""
      if (match(line, /^(struct|class|enum class|enum|union) [A-Za-z_0-9]+/)) {
        count = split(substr(line, RSTART, RLENGTH), words, " ")
        name = words[count]
      } else if (line !~ /^[^(]*=/ && match(line, /[A-Za-z_0-9]+\([^)]*\)/)) {
        name = substr(line, RSTART, RLENGTH)
        gsub(/ +/, " ", name)
      } else if (match(line, /[A-Za-z_0-9]+(\[[^]]*\])?( =|\{|;)/)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/[^A-Za-z_0-9].*/, "", name)
      }
      if (name != "") print scope " " name "\t" FILENAME
    }' "$@" | sort -u
}

status=0
read_files=0
for module in */; do
  [[ $module == lessons/ || $module == tests/ || $module == tools/ ]] && continue
  # The files of the module and those of its tests are two programs.
  for tests in '!' ''; do
    # shellcheck disable=SC2086 # no word where `tests` is empty
    mapfile -t files < <(find "$module" -name '*.cpp' $tests -name '*_test.cpp' ! -name '*main.cpp')
    [[ ${#files[@]} -gt 0 ]] || continue
    read_files=$((read_files + ${#files[@]}))
    found=$(definitions "${files[@]}")
    while IFS= read -r name; do
      echo "$name is defined in more than one file of $module"
      grep -F "$name"$'\t' <<<"$found" | cut -f2
      status=1
    done < <(cut -f1 <<<"$found" | sort | uniq -d)
  done
done
if ((read_files == 0)); then echo "no source files below $1"; exit 1; fi
exit $status
