#!/usr/bin/env bash
# Shows that the two commands of the README work on a machine that had nothing installed: makes a bare Debian or Ubuntu
# in a folder, copies this checkout into it and runs scripts/quickstart.sh and scripts/test.sh there.
#
#   scripts/fresh_root.sh DIR [ARGUMENTS OF THE EXAMPLE…]
#
# DIR is outside the checkout and new or empty. Needs root and debootstrap. SUITE=trixie takes Debian 13, SUITE=noble
# Ubuntu 24.04. Debian's packages come from where this machine's apt gets them; MIRROR= names another archive, KEYRING= a
# file with the keys that sign it, where this machine lacks them. STEPS="install" stops after scripts/setup.sh; the
# default is STEPS="quickstart test". STEPS="package" DEB=FILE takes the package instead of the checkout: it installs FILE
# with apt, starts a project with minima-new, and builds, trains and tests that.
set -euo pipefail

suite=${SUITE:-bookworm}
steps=${STEPS:-quickstart test}
checkout=$(cd "$(dirname "$0")/.." && pwd)

stop() {
  echo "fresh_root: $*" >&2
  exit 1
}

[ $# -ge 1 ] || stop "usage: scripts/fresh_root.sh DIR [ARGUMENTS OF THE EXAMPLE…]"
root=$(realpath -m "$1")
shift
[ "$(id -u)" -eq 0 ] || stop "needs root, for chroot and mount"
command -v debootstrap >/dev/null || stop "needs debootstrap: apt-get install debootstrap"
if [ "$steps" = package ]; then
  [ -f "${DEB-}" ] || stop "name the package: STEPS=package DEB=build/release/minima_….deb scripts/fresh_root.sh DIR"
fi
case "$root/" in "$checkout"/*) stop "$root is inside the checkout; name a folder elsewhere" ;; esac
[ ! -e "$root" ] || [ -z "$(ls -A "$root")" ] || stop "$root is not empty; remove it or name another folder"

# Mounts are made in a namespace of this script's own, so that they go with it, however it ends.
if [ -z "${FRESH_ROOT_UNSHARED-}" ]; then
  FRESH_ROOT_UNSHARED=1 exec unshare --mount --propagation private -- "$checkout/scripts/fresh_root.sh" "$root" "$@"
fi

options=(--variant=minbase)
script=/usr/share/debootstrap/scripts/$suite
case $suite in
  jammy | noble)
    distribution=Ubuntu
    mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu}
    keyring=${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
    options+=(--components=main,universe)
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy  # that of all releases of Ubuntu
    ;;
  *)
    distribution=Debian
    # shellcheck disable=SC2016  # the words in $( ) are for apt
    mirror=${MIRROR:-$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(COMPONENT) $(REPO_URI)' |
      awk '$1 == "Debian" && $2 == "Debian" && $3 == "main" { print $4; exit }')}
    keyring=${KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
    ;;
esac
[ -n "$mirror" ] || stop "this machine's apt knows no Debian mirror; name one: MIRROR=http://… scripts/fresh_root.sh …"
[ -r "$keyring" ] || stop "the keys of $distribution's archive are not in $keyring; name their file with KEYRING="

mkdir -p "$root"
echo "fresh_root: $distribution $suite in $root"
SECONDS=0
log=$(mktemp)
debootstrap "${options[@]}" --keyring="$keyring" "$suite" "$root" "$mirror" "$script" >"$log" 2>&1 || stop "debootstrap failed; see $log"
rm "$log"
echo "fresh_root: bare system made in $SECONDS s"

# The way to the mirror, and nothing else of this machine: name resolution and apt's proxy settings.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
apt-config dump | grep -E '^Acquire::(https?::(Proxy|Verify)|Check-(Date|Valid-Until)|Retries)' \
  >"$root/etc/apt/apt.conf.d/90host" || true

mkdir -p "$root/minima"
if [ "$steps" = package ]; then
  cp "$DEB" "$root/minima/minima.deb"
else
  git -C "$checkout" ls-files -z --cached --others --exclude-standard |
    (cd "$checkout" && tar --create --null --files-from=-) | tar --extract --directory "$root/minima"
fi

mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"

inside() {
  chroot "$root" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM="${TERM:-dumb}" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    bash -c 'cd /minima && exec "$@"' - "$@"
}

run() {
  echo "fresh_root: == $*"
  local start=$SECONDS
  inside "$@" || stop "$1 failed"
  times+="  $1 $((SECONDS - start)) s"
}

times=""
for step in $steps; do
  case "$step" in
    install) run scripts/setup.sh ;;
    quickstart) run scripts/quickstart.sh "$@" ;;
    test) run scripts/test.sh ;;
    package)
      run apt-get update -qq
      run apt-get install -qq -y -o Dpkg::Use-Pty=0 ./minima.deb
      run minima-new demo
      run cmake -S demo -B demo/build
      run cmake --build demo/build
      run demo/build/demo
      run ctest --test-dir demo/build --no-tests=error
      ;;
    *) stop "unknown step $step; there are install, quickstart, test, and alone package" ;;
  esac
done
echo "fresh_root:$times"
