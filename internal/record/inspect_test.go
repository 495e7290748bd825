package record

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ohframe/internal/testing/must"
)

// A trace whose header counts no event in the buffer has events if some were recorded.
func TestInspect(t *testing.T) {
	for _, x := range []struct {
		numbers          string
		entries, written int64
		empty            bool
	}{
		{"2000/5000", 2000, 5000, false},
		{"    2000/    5000    ", 2000, 5000, false},
		{"0/0", 0, 0, true},
		{"        0/1936         ", 0, 0, false},
		{"%lu/%lu", 0, 0, false},
	} {
		file := filepath.Join(t.TempDir(), "a.ftrace")
		text := "# tracer: nop\n#\n# entries-in-buffer/entries-written: " + x.numbers + "   #P:8\n"
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
		got, err := inspect(file, int64(len(text)))
		switch {
		case errors.Is(err, errEmpty) != x.empty:
			t.Errorf("%q: %v", x.numbers, err)
		case err == nil && (got.entries != x.entries || got.written != x.written):
			t.Errorf("%q: %d events of %d, want %d of %d", x.numbers, got.entries, got.written, x.entries, x.written)
		}
	}
}
