#!/usr/bin/env bash
# parquet-go v0.32.0 (github.com/parquet-go/parquet-go; seen on 2026-11-29): the smallest and the largest value of a
# column of byte arrays are written whole and uncompressed, into the header of each page, and for each row group
# into the footer.
#
# ColumnIndexSizeLimit limits the bounds of pages, to 16 bytes by default, and readers use bounds only to skip
# data. A good engineer would guess that all bounds are shortened, or left out where values are long, and that
# compression makes a file of long texts small.
#
# What happens: the limit is that of the column index alone. Three row groups, each with one text of 1 MB that
# is one letter repeated, are 18 MB with zstd, 6 MB of them the footer, which readers need before all else. Without
# bounds, they are less than 1 kB. SkipPageBounds leaves out those of the footer, and not those of the headers of
# pages, which need SkipPageStatistics. Output seen:
#
#   zstd: minimum in the column index 16 bytes, in the footer 1000000 bytes; file 18.0 MB, footer 6.0 MB
#   zstd, SkipPageBounds: minimum in the column index 0 bytes, in the footer 0 bytes; file 12.0 MB, footer 0.0 MB
#   zstd, both: minimum in the column index 0 bytes, in the footer 0 bytes; file 0.0 MB, footer 0.0 MB
#
# So use both options for columns of documents.
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
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
)

type row struct {
	Text string `parquet:"text"`
}

func write(what string, options ...parquet.WriterOption) {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, options...)
	for _, group := range []string{"a", "b", "c"} {
		if _, err := w.Write([]row{{strings.Repeat(group, 1_000_000)}}); err != nil {
			panic(err)
		}
		if err := w.Flush(); err != nil { // the next row is in another row group
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	b := out.Bytes()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		panic(err)
	}
	s := f.Metadata().RowGroups[0].Columns[0].MetaData.Statistics
	index := len(f.ColumnIndexes()[0].MinValues[0])
	megabytes := func(n int) float64 { return float64(n) / 1e6 }
	footer := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	fmt.Printf("%s: minimum in the column index %d bytes, in the footer %d bytes; file %.1f MB, footer %.1f MB\n", what, index, len(s.MinValue), megabytes(len(b)), megabytes(footer))
}

func main() {
	zstd, noBounds, noStatistics := parquet.Compression(&parquet.Zstd), parquet.SkipPageBounds("text"), parquet.SkipPageStatistics("text")
	write("zstd", zstd)
	write("zstd, SkipPageBounds", zstd, noBounds)
	write("zstd, both", zstd, noBounds, noStatistics)
}
EOF
go mod tidy >install.log 2>&1 || { cat install.log; exit 1; }

go run . >seen
cat seen
diff seen - <<'EOF'
zstd: minimum in the column index 16 bytes, in the footer 1000000 bytes; file 18.0 MB, footer 6.0 MB
zstd, SkipPageBounds: minimum in the column index 0 bytes, in the footer 0 bytes; file 12.0 MB, footer 0.0 MB
zstd, both: minimum in the column index 0 bytes, in the footer 0 bytes; file 0.0 MB, footer 0.0 MB
EOF
echo "as stated"
