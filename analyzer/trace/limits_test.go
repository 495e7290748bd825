package trace

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

func TestSet(t *testing.T) {
	for text, want := range map[string]Limits{
		"frames=3":             {Frames: 3},
		"line=64KiB":           {Line: 65536},
		"line=2kB,threads=5Mi": {Line: 2000, Threads: 5 << 20},
		"inflated=3GB":         {Inflated: 3e9},
		"ratio=1,ratio=2":      {Ratio: 2},
	} {
		var got Limits
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "frames", "frames=", "frames=0", "frames=-1", "frame=1", "frames=1x", "frames=9223372036854775807k", "frames=1,", "frames=1.5M", "nesting=513"} {
		if err := new(Limits).Set(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// Every bound has a default, a name and a line in the document, and each field
// is set by its own.
func TestAll(t *testing.T) {
	document := must.Get(os.ReadFile("../../testdata/api/limits.md"))(t)
	defaults := Limits{}.WithDefaults()
	fields := reflect.ValueOf(defaults)
	if fields.NumField() != len(AllLimits) {
		t.Fatalf("%d fields, %d limits", fields.NumField(), len(AllLimits))
	}
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		limit := find(strings.ToLower(name))
		if limit == nil {
			t.Errorf("%s is no limit", name)
			continue
		}
		if got := fields.Field(i).Int(); got != int64(limit.Default) || got < 1 {
			t.Errorf("%s: default %d, want %d", name, got, limit.Default)
		}
		var set Limits
		*limit.field(&set) = 7
		if reflect.ValueOf(set).Field(i).Int() != 7 {
			t.Errorf("%s sets another field", name)
		}
		if row := "| `" + limit.Name + "` | " + limit.Unit + " | " + FormatLimit(limit.Default) + " | " + limit.Over; !strings.Contains(string(document), row) {
			t.Errorf("testdata/api/limits.md lacks %q", row)
		}
	}
}
