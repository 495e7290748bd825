#!/bin/sh
# Writes two files of Go's standard library as the program for browsers has them, and an overlay for "go build" that
# names them, into a folder; without .go, as the folder is no package. They do the same with less code:
#
#   slices          sorts with the functions of package sort, which both are generated from one template, instead of
#                   with a copy of them for each type: 4 % of the compressed size
#   text/template   calls the methods that templates name, so that the linker drops the others: 5 %
#
#   overlay.sh FOLDER
# It fails where these files are others than it knows.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
std=$(go env GOROOT)/src
cd "$(dirname "$0")/.."

# once PATTERN FILE fails unless one line of a file matches.
once() {
  [ "$(grep -c "$1" "$2")" = 1 ] || { echo "overlay.sh: $2: not one line matches $1 ($(go version))" >&2; exit 1; }
}

once '^package sort$' "$std/sort/zsortfunc.go"
for name in pdqsort stable; do
  once "^func ${name}_func(data lessSwap, " "$std/sort/zsortfunc.go"
  once "^func ${name}CmpFunc\\[E any\\](data \\[\\]E, " "$std/slices/zsortanyfunc.go"
done
once 'ptr\.MethodByName(fieldName)' "$std/text/template/exec.go"
once 'MethodByName(' "$std/text/template/exec.go"

{
  cat <<'END'
package slices

type lessSwap struct {
	Less func(i, j int) bool
	Swap func(i, j int)
}

func swapping[E any](data []E, cmp func(a, b E) int) lessSwap {
	return lessSwap{func(i, j int) bool { return cmp(data[i], data[j]) < 0 }, func(i, j int) { data[i], data[j] = data[j], data[i] }}
}

func pdqsortCmpFunc[E any](data []E, a, b, limit int, cmp func(a, b E) int) {
	pdqsort_func(swapping(data, cmp), a, b, limit)
}

func stableCmpFunc[E any](data []E, n int, cmp func(a, b E) int) { stable_func(swapping(data, cmp), n) }
END
  sed '1,/^package sort/d' "$std/sort/zsortfunc.go"
} >"$folder/zsortanyfunc"

named=$(grep -oh '\.[A-Z][A-Za-z]*' internal/view/assets/*.html cmd/ohframe/help.go)
{
  sed 's/ptr\.MethodByName(fieldName)/methodOf(ptr, fieldName)/' "$std/text/template/exec.go"
  printf 'func methodOf(v reflect.Value, name string) reflect.Value {\n\tswitch name {\n'
  echo "$named" | tr -d . | sort -u | while read -r name; do
    printf '\tcase "%s":\n\t\treturn v.MethodByName("%s")\n' "$name" "$name"
  done
  printf '\t}\n\treturn reflect.Value{}\n}\n'
} >"$folder/exec"

printf '{"Replace":{"%s":"%s","%s":"%s"}}\n' "$std/slices/zsortanyfunc.go" "$folder/zsortanyfunc" "$std/text/template/exec.go" "$folder/exec" >"$folder/overlay.json"
