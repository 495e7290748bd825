// Package compatibility holds what others build on against the lists of
// testdata/api: the exported names of the library, the fields of the schema, and
// the columns of the SQL modules. docs/compatibility.md says what may change when.
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
)

var update = flag.Bool("update-api", false, "write the lists of testdata/api anew")

// Check fails if the list at the path is not the one wanted, and says what that
// means. With -update-api it writes the list.
func Check(t *testing.T, path, list string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(list), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	// A checkout on Windows may have other line ends.
	if lost, added := compare(string(bytes.ReplaceAll(kept, []byte("\r\n"), []byte("\n"))), list); lost+added != "" {
		t.Errorf("%s is what others build on, and the source differs from it:\n%s%s"+
			"What is lost breaks them: docs/compatibility.md says which versions may do that. If the change is meant,\n"+
			"write the lists anew with make api, and tell it in CHANGELOG.md.", path, lost, added)
	}
}

// compare returns the lines that a list has lost and those that it has gained;
// lines in another order are a change too.
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
