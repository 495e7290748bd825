#!/usr/bin/env bash
# urfave/cli v2.27.7 (github.com/urfave/cli/v2; seen on 2026-11-28): the field Base of IntFlag and Int64Flag holds for
# environment variables only. Arguments are read by package flag, whose base is that of Go's source: 010
# is 8, 0x10 is 16, 1_0 is 10, and 08 is an error.
#
# The documentation of the field gives no such limit, and with Base: 10 a variable of 010 is 10. A good
# engineer would guess that the same flag with the argument 010 is 10, too, since a flag has one meaning
# wherever its value comes from. seq -w, job arrays and file names give such numbers: --shard 011 is
# shard 9, and nothing says so.
#
# What is run: an app with an IntFlag and an Int64Flag of Base: 10, both also from variables, given 010,
# 08 and 0x10. Output seen:
#
#   argument 010: int 8, int64 8
#   argument 08: error
#   argument 0x10: int 16, int64 16
#   variable 010: int 10, int64 10
#   variable 08: int 8, int64 8
#   variable 0x10: error
#
# So use a flag.Value with strconv.ParseInt(s, 10, 64), as a GenericFlag does.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder" && rm -rf "$folder"' EXIT
cd "$folder"

cat >go.mod <<'EOF'
module finding

go 1.25

require github.com/urfave/cli/v2 v2.27.7
EOF
cat >main.go <<'EOF'
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
)

func run(what, text string, args ...string) {
	app := &cli.App{
		Name: "finding", Writer: io.Discard, ErrWriter: io.Discard,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "int", Base: 10, EnvVars: []string{"FINDING_INT"}},
			&cli.Int64Flag{Name: "int64", Base: 10, EnvVars: []string{"FINDING_INT"}},
		},
		Action: func(c *cli.Context) error {
			fmt.Printf("%s %s: int %d, int64 %d\n", what, text, c.Int("int"), c.Int64("int64"))
			return nil
		},
	}
	if err := app.Run(append([]string{"finding"}, args...)); err != nil {
		fmt.Printf("%s %s: error\n", what, text)
	}
}

func main() {
	texts := []string{"010", "08", "0x10"}
	for _, text := range texts {
		run("argument", text, "--int", text, "--int64", text)
	}
	for _, text := range texts {
		os.Setenv("FINDING_INT", text)
		run("variable", text)
	}
}
EOF
go mod tidy >install.log 2>&1 || { cat install.log; exit 1; }

go run . >seen
cat seen
diff seen - <<'EOF'
argument 010: int 8, int64 8
argument 08: error
argument 0x10: int 16, int64 16
variable 010: int 10, int64 10
variable 08: int 8, int64 8
variable 0x10: error
EOF
echo "as stated"
