#!/usr/bin/env bash
# Starts a project that trains a network with minima. Installed as minima-new; the files come from
# tools/new_project/template, installed in share/minima/new_project.
set -euo pipefail

self=$(basename "$0")
usage="usage: $self DIR

Starts a project in DIR, which is new or empty: CMakeLists.txt, a network and its data, a program that trains and
validates it and saves its weights, a test, README and .gitignore. DIR's last part becomes the project's name."

stop() {
  echo "$self: $*" >&2
  exit 1
}

case "${1-}" in
  -h | --help)
    echo "$usage"
    exit
    ;;
  "" | -*)
    echo "$usage" >&2
    exit 2
    ;;
esac
[ $# -eq 1 ] || stop "takes one folder, got $#: $*"

folder=$(realpath -m -- "$1")
name=$(basename -- "$folder")
[[ $name =~ ^[A-Za-z][A-Za-z0-9_-]*$ ]] ||
  stop "'$name' cannot be a project's name: use a letter, then letters, digits, - and _"
case "$name" in
  minima | all | clean | help | install | package | package_source | preinstall | test | edit_cache | rebuild_cache | Testing | CMakeFiles)
    stop "'$name' is a name that CMake or minima uses itself; choose another"
    ;;
esac
[ ! -e "$folder" ] || [ -d "$folder" ] || stop "$folder is a file"
[ ! -d "$folder" ] || [ -z "$(ls -A -- "$folder")" ] || stop "$folder is not empty; name a new or an empty folder"

prefix=$(dirname -- "$(dirname -- "$(realpath -- "$0")")")
configure="cmake -B build"
if [ -d "$prefix/share/minima/new_project" ]; then
  template=$prefix/share/minima/new_project
  case "$prefix" in
    /usr | /usr/local) ;;
    *) configure+=" -D CMAKE_PREFIX_PATH=$(printf %q "$prefix")" ;;
  esac
elif [ -d "$prefix/tools/new_project/template" ]; then
  template=$prefix/tools/new_project/template
  configure+=" -D CMAKE_PREFIX_PATH=FOLDER"  # of cmake --install BUILD --prefix FOLDER
else
  stop "there is no $prefix/share/minima/new_project; install minima again"
fi

mkdir -p -- "$folder"
cp -R -- "$template/." "$folder"
sed -i "s/@NAME@/$name/g" "$folder/CMakeLists.txt" "$folder/README.md"

echo "$folder is ready:

  cd $(printf %q "$1")
  $configure && cmake --build build
  build/$name"
