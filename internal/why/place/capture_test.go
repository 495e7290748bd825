package place

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"testing"

	"ohframe/internal/source/hitrace"
)

// captures returns the text traces to test with: the repository's own, and private
// ones where they exist.
func captures(t *testing.T) []string {
	files := []string{"../../../testdata/demo.ftrace"}
	for _, pattern := range []string{"../../../../shared/traces/*.ftrace", "../../../../shared/oracle/*.ftrace"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return files
}

// labels returns the labels of the slices that begin in a text trace, with their
// numbers.
func labels(t *testing.T, file string) map[string]int {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for line := range bytes.Lines(data) {
		for _, event := range []string{": tracing_mark_write: ", ": print: "} {
			_, args, ok := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(event))
			var m hitrace.Marker
			if ok && hitrace.ParseMarker(args, &m) == hitrace.NoProblem && m.Phase == hitrace.Begin && len(m.Label()) > 0 {
				all[string(m.Label())]++
			}
		}
	}
	return all
}

// idLike is what no key may contain: a number of five digits, or one after a
// separator.
var idLike = regexp.MustCompile(`[0-9]{5}|[ _:#=\[][0-9]|0x[0-9a-f]`)

func TestCaptures(t *testing.T) {
	before, after := map[string]bool{}, map[string][]string{}
	begins, known := 0, 0
	for _, file := range captures(t) {
		for label, n := range labels(t, file) {
			k := key(label)
			if !before[label] {
				before[label] = true
				after[k] = append(after[k], label)
			}
			begins += n
			if (Lookup([]byte(k)) != Place{}) {
				known += n
			}
			if idLike.MatchString(k) {
				t.Errorf("%s: %q has the key %q, which has a number in it", filepath.Base(file), label, k)
			}
			if Lookup([]byte(k)) != Lookup(AppendKey(nil, []byte(k))) {
				t.Errorf("%q: the key of the key has another place", label)
			}
		}
	}
	keys := make([]string, 0, len(after))
	for k := range after {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		t.Logf("%-60s %d %q", k, len(after[k]), after[k][0])
	}
	t.Logf("%d labels, %d keys; %d of %d slices have a place", len(before), len(after), known, begins)
	if len(after) >= len(before) {
		t.Errorf("%d labels have %d keys", len(before), len(after))
	}
}
