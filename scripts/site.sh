#!/usr/bin/env bash
# Builds one site of the pages in docs/ and the API of the public headers: FOLDER/html/index.html.
#
#   scripts/site.sh [FOLDER]      default: build/site
#
# Needs doxygen and python3 (Debian: doxygen, python3) and a compiler that lists what headers include. Ends with 1 if
# Doxygen warns or an internal link leads nowhere; the last line counts both.
set -euo pipefail
site=$(realpath -m "${1-$(dirname "$0")/../build/site}")
cd "$(dirname "$0")/.."
checkout=$PWD

for tool in doxygen python3 g++; do
  command -v "$tool" >/dev/null || {
    echo "site: needs $tool: apt-get install $tool" >&2
    exit 1
  }
done

# Public is what minima.h includes, what a page tells its readers to include, and what such headers include in turn.
rm -rf "$site"/{include,input,html,warnings.txt}
mkdir -p "$site/include"
ln -s "$checkout" "$site/include/minima"
mapfile -t headers < <(
  grep -ho '^#include <minima/[^>]*>' README.md docs/*.md | sort -u |
    g++ -std=c++20 -x c++ -MM -I "$site/include" - | tr -s ' ' '\n' |
    sed -n "s|^$site/include/minima/||p" | grep -vE '_impl[.]h$|^ops/(loops|math)/' | sort
)
rm -r "$site/include"
[ ${#headers[@]} -gt 0 ] || exit 1  # g++ has said why

python3 tools/site/prepare.py "$checkout" "$site/input" "${headers[@]}"
cp tools/site/Doxyfile "$site"
cd "$site"
MINIMA_VERSION=$(sed -n 's/^project(minima VERSION \([0-9.]*\).*/\1/p' "$checkout/CMakeLists.txt")
MINIMA_FILES=$(printf '%s ' input/files/*)
export MINIMA_VERSION MINIMA_FILES
doxygen Doxyfile
status=0
links=$(python3 "$checkout/tools/site/check_links.py" html) || status=1
cat warnings.txt
warnings=$(wc -l <warnings.txt)
sed 1d <<<"$links"
echo "site: ${#headers[@]} headers, $(head -1 <<<"$links"), $warnings warnings; $site/html/index.html"
[ "$status" -eq 0 ] && [ "$warnings" -eq 0 ]
