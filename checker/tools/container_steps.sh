#!/usr/bin/env bash
# container_steps.sh [FOLDER]: runs the steps of Containerfile without a container engine, in a Debian 12 that debootstrap puts
# into FOLDER (a new one unless told otherwise), and then checks lesson 01 there and grades a submission. Needs root, debootstrap
# and the network. Not here: the image itself, its entry points, and streamlings.def. Exit status: 0 when every step succeeded.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-$(mktemp -d)}
system=$folder/system
mkdir -p "$folder"
inside() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root bash -euc "cd '$directory'; $1"; }
leave() { umount -R "$system/proc" "$system/dev" 2> /dev/null || true; }
trap leave EXIT

directory=/
while read -r instruction words; do
  case $instruction in
    FROM)
      echo "== $instruction $words"
      if [[ $words == *debian:12* ]]; then
        debootstrap --variant=minbase bookworm "$system" > "$folder/debootstrap.log"
        mount -t proc proc "$system/proc"
        mount --rbind --make-rslave /dev "$system/dev"
      fi
      ;;
    WORKDIR)
      directory=$words
      mkdir -p "$system$directory"
      ;;
    COPY) git -C "$checkout" ls-files -z --cached | (cd "$checkout" && tar --null -cT -) | tar -xC "$system$directory" ;;
    RUN)
      echo "== $words"
      inside "$words"
      ;;
    "" | "#"* | ENTRYPOINT) ;;
    *)
      echo "Containerfile: '$instruction' is not known here"
      exit 1
      ;;
  esac
done < "$checkout/Containerfile"

echo "== a check and a class of one"
inside "cp -r /streamlings/solutions handed_in && mkdir class && mv handed_in class/ada"
inside "/streamlings/streamlings grade class -o results --lessons 01 --isolation none && cat results/gradebook.csv"
grep -q '^ada,100,' "$system$directory/results/gradebook.csv"
inside "/streamlings/streamlings check 01 --solution > /dev/null"
echo "Every step succeeded."
