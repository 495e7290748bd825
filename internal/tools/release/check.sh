#!/usr/bin/env bash
# Checks that a release is reproducible: builds this tree, as it is now, twice, as
# differently as one machine can, and compares the checksums. Then it runs what it
# built for this machine.
#
#   check.sh linux/amd64 windows/arm64 …
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

# release FROM TO TARGET… copies a tree, commits it (always the same commit) and releases it.
release() (
  mkdir -p "$2"
  tar -C "$1" -cf - --exclude=./.git --exclude=./build --exclude=./bin . | tar -xf - -C "$2" --no-same-permissions
  cd "$2"
  shift 2
  find . -exec touch -d "$modified" {} +
  export GIT_{AUTHOR,COMMITTER}_{NAME,EMAIL}=check GIT_{AUTHOR,COMMITTER}_DATE='2026-01-02T03:04:05Z'
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git -c init.defaultBranch=main init -q
  git config core.fileMode false # umasks differ
  git add -A
  git commit -q -m check
  git tag v0.0.0-check
  go run ./internal/tools/release "$@"
)

modified=2026-01-02 release . "$work/a" "$@"
# Elsewhere, with another cache, umask, time zone and language, and settings that must not matter.
(
  umask 077
  export TZ=Pacific/Chatham LC_ALL=C GOCACHE="$work/cache" GOFLAGS=-buildvcs=false GOAMD64=v3 CGO_ENABLED=1
  modified=2001-02-03 release "$work/a" "$work/b/a folder/deeper" "$@"
)
first="$work/a/build/release" second="$work/b/a folder/deeper/build/release"
diff "$first/SHA256SUMS" "$second/SHA256SUMS" || { echo 'release-check: the two builds differ' >&2; exit 1; }
(cd "$second" && sha256sum --quiet -c SHA256SUMS)

archive=ohframe_0.0.0-check_$(go env GOHOSTOS)_$(go env GOHOSTARCH)
if [ -e "$first/$archive.tar.gz" ]; then
  tar -xzf "$first/$archive.tar.gz" -C "$work"
  cd "$work/$archive"
  version=$(./ohframe --version)
  [[ $version =~ ^'ohframe version v0.0.0-check (commit '[0-9a-f]{12}', 2026-01-02, ' ]] || { echo "release-check: $version" >&2; exit 1; }
  ./ohframe convert "$OLDPWD/testdata/demo.ftrace" -o demo.pftrace
  timeout --preserve-status -s INT 2 ./ohframe web --print-url --port 0 | grep '^http://127'
fi
