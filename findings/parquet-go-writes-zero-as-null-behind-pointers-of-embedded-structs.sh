#!/usr/bin/env bash
# parquet-go v0.32.0 (github.com/parquet-go/parquet-go; seen on 2026-11-28): Schema.Deconstruct and
# Schema.Reconstruct lose the difference between a nil pointer and a pointer to zero if the field is in
# an embedded struct.
#
# A field *int64 or *bool with the tag optional is NULL if it is nil. A good engineer would guess that a
# pointer to 0 or false is 0 or false, and that it makes no difference whether the field is in the struct
# itself or in one that it embeds, since the columns are the same.
#
# What happens: of an embedded struct, Deconstruct makes NULL of a pointer to zero, and Reconstruct a
# pointer to zero of NULL. There is no error. Output seen:
#
#   plain:    Deconstruct of 0: null false, of nil: null true; Reconstruct of null: nil true
#   embedded: Deconstruct of 0: null true, of nil: null true; Reconstruct of null: nil false
#
# So keep the fields of a row in one struct.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder" && rm -rf "$folder"' EXIT
cd "$folder"

cat >go.mod <<'EOF'
module finding

go 1.25

require github.com/parquet-go/parquet-go v0.32.0
EOF
cat >main.go <<'EOF'
package main

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
)

type plain struct {
	N *int64 `parquet:"n,optional"`
}

type embedded struct{ Inner }

type Inner struct {
	N *int64 `parquet:"n,optional"`
}

func main() {
	zero := new(int64)
	isNull := func(row any) bool { return parquet.SchemaOf(row).Deconstruct(nil, row)[0].IsNull() }
	null := parquet.Row{parquet.NullValue().Level(0, 0, 0)}

	p, e := plain{N: zero}, embedded{Inner{N: zero}}
	if err := parquet.SchemaOf(p).Reconstruct(&p, null); err != nil {
		panic(err)
	}
	fmt.Printf("plain:    Deconstruct of 0: null %t, of nil: null %t; Reconstruct of null: nil %t\n", isNull(&plain{N: zero}), isNull(&plain{}), p.N == nil)
	if err := parquet.SchemaOf(e).Reconstruct(&e, null); err != nil {
		panic(err)
	}
	fmt.Printf("embedded: Deconstruct of 0: null %t, of nil: null %t; Reconstruct of null: nil %t\n", isNull(&embedded{Inner{N: zero}}), isNull(&embedded{}), e.N == nil)
}
EOF
go mod tidy >install.log 2>&1 || { cat install.log; exit 1; }

go run . >seen
cat seen
diff seen - <<'EOF'
plain:    Deconstruct of 0: null false, of nil: null true; Reconstruct of null: nil true
embedded: Deconstruct of 0: null true, of nil: null true; Reconstruct of null: nil false
EOF
echo "as stated"
