#!/usr/bin/env bash
# parquet-go v0.32.0 (github.com/parquet-go/parquet-go): Writer.WriteRows does not use the column that
# a value carries. It gives the n-th run of values of a row to the n-th column.
#
# A Row is a slice of Values, and each has a Column(). A good engineer would guess that WriteRows
# sorts values into columns by it, or that a row that lacks a column is an error, or that the column
# is null there. None of these: no error is returned, neither by WriteRows nor by Close, and the file
# that is written
#   - has a column without any value, which DuckDB 1.5.6 cannot read, and
#   - has the values behind the gap in the column before their own, where readers find them as if they
#     belonged there.
#
# What is run: a schema of three columns of text, a, b and c, all required. Rows are written whole, and
# without their b: values of columns 0 and 2. Output seen, of the writer, and of DuckDB (npm
# @duckdb/node-api 1.5.6-r.1, node 20; seen on 2026-11-28):
#
#   whole: write error <nil>, close error <nil>, values by column: a 2, b 2, c 2
#   gap:   write error <nil>, close error <nil>, values by column: a 2, b 2, c 0
#   whole, *: [{"a":"A","b":"B","c":"C"},{"a":"A","b":"B","c":"C"}]
#   gap, a, b: [{"a":"A","b":"C"},{"a":"A","b":"C"}]
#   gap, c: cannot be read
#
# So build rows with Schema.Deconstruct, or check that Column() of the values counts from 0 to the last.
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
	"os"

	"github.com/parquet-go/parquet-go"
)

type row struct {
	A string `parquet:"a"`
	B string `parquet:"b"`
	C string `parquet:"c"`
}

func write(name string, values ...parquet.Value) {
	f, err := os.Create(name + ".parquet")
	if err != nil {
		panic(err)
	}
	w := parquet.NewWriter(f, parquet.SchemaOf(row{}))
	_, written := w.WriteRows([]parquet.Row{values, values})
	closed := w.Close()
	size, _ := f.Seek(0, 2)
	file, err := parquet.OpenFile(f, size)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: write error %v, close error %v, values by column:", name, written, closed)
	for i, c := range file.Metadata().RowGroups[0].Columns {
		fmt.Printf("%s %s %d", []string{"", ",", ","}[i], c.MetaData.PathInSchema[0], c.MetaData.NumValues)
	}
	fmt.Println()
	f.Close()
}

func main() {
	value := func(s string, column int) parquet.Value { return parquet.ValueOf(s).Level(0, 0, column) }
	write("whole", value("A", 0), value("B", 1), value("C", 2))
	write("gap", value("A", 0), value("C", 2))
}
EOF
cat >read.mjs <<'EOF'
import { DuckDBInstance } from '@duckdb/node-api';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
for (const [name, columns] of [['whole', '*'], ['gap', 'a, b'], ['gap', 'c']]) {
  const rows = await connection.runAndReadAll(`SELECT ${columns} FROM '${name}.parquet'`).then((r) => JSON.stringify(r.getRowObjectsJson()), () => 'cannot be read');
  console.log(`${name}, ${columns}: ${rows}`);
}
EOF
{
	go mod tidy
	npm install --ignore-scripts --no-audit --no-fund --save-exact @duckdb/node-api@1.5.6-r.1
} >install.log 2>&1 || { cat install.log; exit 1; }

{
	go run .
	node read.mjs
} >seen
cat seen
diff seen - <<'EOF'
whole: write error <nil>, close error <nil>, values by column: a 2, b 2, c 2
gap: write error <nil>, close error <nil>, values by column: a 2, b 2, c 0
whole, *: [{"a":"A","b":"B","c":"C"},{"a":"A","b":"B","c":"C"}]
gap, a, b: [{"a":"A","b":"C"},{"a":"A","b":"C"}]
gap, c: cannot be read
EOF
echo "as stated"
