# answer_files.sh: what gpu_sets.sh and repeat_sets.sh go through; they read it with `.`.

# answer_files CHECKOUT [NAME...]: for each solution, skeleton, right and wrong answer whose name begins with one of
# NAME (solution03, wrong04, right, ...; all without any) four words, each ended by NUL: the folder of the lesson, the name,
# the file, and an option of `expect`.
answer_files() {
  local checkout=$1
  shift
  [ $# != 0 ] || set -- ''
  local folder number set file
  for folder in "$checkout"/checker/lessons/[0-9][0-9]_*; do
    number=$(basename "$folder")
    number=${number%%_*}
    entry() {
      local wanted
      for wanted in "${names[@]}"; do
        [[ $1 == "$wanted"* ]] && { printf '%s\0' "${folder##*/}" "$1" "$2" "${3:-}"; return; }
      done
      return 0
    }
    local names=("$@")
    entry "solution$number" "$checkout/solutions/${folder##*/}/${folder##*/[0-9][0-9]_}.cu"
    entry "skeleton$number" "$folder/skeleton.cu" --skeleton
    for set in right wrong; do
      for file in "$folder/$set"/*.cu; do entry "$set$number.$(basename "$file" .cu)" "$file"; done
    done
  done
}
