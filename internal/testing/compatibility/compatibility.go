// Package compatibility compares what users depend on with the lists in
// testdata/api: the exported names of promised packages, the fields of the schema,
// and the columns of the SQL modules. docs/trouble.md says what may change in
// which version.
package compatibility

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

var update = flag.Bool("update-api", false, "rewrite the lists in testdata/api")

// Check compares a list with the one in the file. With -update-api it writes the
// file.
func Check(t *testing.T, path, list string) {
	t.Helper()
	if *update {
		must.Do(t, os.WriteFile(path, []byte(list), 0o666))
		return
	}
	kept, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	// A checkout on Windows may have other line ends.
	if lost, added := compare(string(bytes.ReplaceAll(kept, []byte("\r\n"), []byte("\n"))), list); lost+added != "" {
		t.Errorf("users depend on what %s lists, and the source differs:\n%s%s"+
			"A lost line breaks them; docs/trouble.md says which versions may do that. If the change is intended,\n"+
			"run make api and describe it in CHANGELOG.md.", path, lost, added)
	}
}

// compare returns the lines that are only in before and those that are only in after.
// Another order is a change, too.
func compare(before, after string) (lost, added string) {
	diff := func(of, without, mark string) string {
		count := map[string]int{}
		for line := range strings.Lines(without) {
			count[line]++
		}
		var b strings.Builder
		for line := range strings.Lines(of) {
			if count[line]--; count[line] < 0 {
				fmt.Fprintf(&b, "%s %s\n", mark, strings.TrimSuffix(line, "\n"))
			}
		}
		return b.String()
	}
	lost, added = diff(before, after, "lost: "), diff(after, before, "added:")
	if lost+added == "" && before != after {
		added = "the order has changed\n"
	}
	return lost, added
}
