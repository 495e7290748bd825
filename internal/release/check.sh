#!/usr/bin/env bash
# Proves that a release is reproducible: builds this tree, as it is now, twice, as
# differently as one machine can, and compares the checksums. Then it uses what
# was built.
#
#   check.sh linux/amd64 windows/arm64 …
set -euo pipefail
cd "$(dirname "$0")/../.."
targets=("$@")
version=v0.0.0-check

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

# The same commit in both: its time and its author are part of it.
commit() (
  mkdir -p "$1"
  tar -cf - --exclude=./.git --exclude=./build --exclude=./bin . | tar -xf - -C "$1" --no-same-permissions
  cd "$1"
  export GIT_AUTHOR_NAME=check GIT_AUTHOR_EMAIL=check GIT_AUTHOR_DATE='2026-01-02T03:04:05Z'
  export GIT_COMMITTER_NAME=check GIT_COMMITTER_EMAIL=check GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git -c init.defaultBranch=main init -q
  git config core.fileMode false # umasks differ
  git add -A
  git commit -q -m check
  git tag "$version"
)

release() (
  cd "$1"
  go run ./internal/release -version "$version" -o build/release "${targets[@]}"
)

echo "first build"
commit "$work/a"
release "$work/a"

# Elsewhere, later, with a cache of its own, another umask, time zone and
# language, and settings that must not matter.
echo "second build"
(
  umask 077
  export TZ=Pacific/Chatham LC_ALL=C GOCACHE="$work/cache" GOFLAGS=-buildvcs=false GOAMD64=v3 CGO_ENABLED=1
  other="$work/b/a folder/deeper"
  commit "$other"
  find "$other" -exec touch -d '2001-02-03 04:05:06' {} +
  git -C "$other" update-index -q --refresh
  release "$other"
)

first="$work/a/build/release" second="$work/b/a folder/deeper/build/release"
diff "$first/SHA256SUMS" "$second/SHA256SUMS" || { echo 'release-check: the two builds differ' >&2; exit 1; }
(cd "$second" && sha256sum --quiet -c SHA256SUMS)
cat "$first/SHA256SUMS"

# What was built for this machine works.
host=$(go env GOHOSTOS)_$(go env GOHOSTARCH)
folder=ohframe_${version#v}_$host
if [ -e "$first/$folder.tar.gz" ]; then
  tar -xzf "$first/$folder.tar.gz" -C "$work"
  cd "$work/$folder"
  ls -l . completions man
  ./ohframe --version
  ./ohframe --version | grep -q "^ohframe version $version (commit [0-9a-f]\{12\}, 2026-01-02, "
  ./ohframe convert --quiet "$OLDPWD/testdata/demo.ftrace" -o demo.pftrace
  test -s demo.pftrace
fi
