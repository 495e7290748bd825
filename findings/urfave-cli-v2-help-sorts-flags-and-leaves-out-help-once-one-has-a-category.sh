#!/usr/bin/env bash
# urfave/cli v2.27.7 (github.com/urfave/cli/v2; seen on 2026-11-29): the help of a command prints its flags in the
# order in which they are declared, and --help last. As soon as one flag has a Category, the others are sorted by
# their text, and --help is not printed, although it still works.
#
# A good engineer would guess that a category adds a heading for the flags that have it, and leaves the
# rest of the page as it is. The field's documentation says nothing else. A page whose order was chosen, the
# flags that matter first, is reordered by a category far below.
#
# What is run: a command with the flags --trace, --output and --force, in that order, and its help, once as it is
# and once with a category for --force. Output seen:
#
#   no category: --trace --output --force --help
#   a category: --output --trace --force
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder" && rm -rf "$folder"' EXIT
cd "$folder"

cat >go.mod <<'T'
module finding

go 1.25

require github.com/urfave/cli/v2 v2.27.7
T
cat >main.go <<'T'
package main

import (
	"bytes"
	"fmt"
	"log"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"
)

func show(what, category string) {
	var page bytes.Buffer
	app := &cli.App{Name: "finding", Writer: &page, Commands: []*cli.Command{{Name: "run", Flags: []cli.Flag{
		&cli.StringFlag{Name: "trace", Usage: "read `FILE`"},
		&cli.StringFlag{Name: "output", Usage: "write `FILE`"},
		&cli.BoolFlag{Name: "force", Usage: "replace it", Category: category},
	}}}}
	if err := app.Run([]string{"finding", "run", "--help"}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", what, strings.Join(regexp.MustCompile(`--[a-z]+`).FindAllString(page.String(), -1), " "))
}

func main() {
	show("no category", "")
	show("a category", "Safety")
}
T
export GOPATH="$folder/go" GOFLAGS=-mod=mod GOTOOLCHAIN=local
go run . >seen
cat seen

cat >stated <<'T'
no category: --trace --output --force --help
a category: --output --trace --force
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
