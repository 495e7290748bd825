package threads

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// label returns what is kept of a label.
func label(r *Recorder, text string) string {
	t := newThread(1)
	m := hitrace.Marker{Name: []byte("H:" + text)}
	key := r.keyOf(0, &m)
	from := r.keepLabel(t, &hitrace.Event{Marker: m}, key)
	return string(t.labels[from:])
}

// Of a long label, the beginning and the end are kept, without characters that are cut; of one
// without arguments, nothing.
func TestKeepLabel(t *testing.T) {
	r := NewRecorder(trace.Limits{})
	if got := label(r, "FlushLayoutTask"); got != "" {
		t.Errorf("%q of a name", got)
	}
	const short = "CreateImagePixelMap a://b.png, sourceSize: [1, 2]"
	if got := label(r, short); !strings.HasSuffix(got, short) {
		t.Errorf("%q of %q", got, short)
	}
	for _, script := range []string{"x", "长", "é", "<b>\x1b[31m"} {
		got := label(r, "CreateImagePixelMap "+strings.Repeat(script, 1<<20/len(script))+", targetSize: [200, 150]")
		if len(got) > maxLabel || len(got) < maxLabel-2*utf8.UTFMax || !utf8.ValidString(got) || !strings.HasSuffix(got, ", targetSize: [200, 150]") {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
}

// Labels beyond the limit are counted.
func TestArgumentsOver(t *testing.T) {
	a := newArguments(2)
	for i, want := range []uint32{1, 2, 0, 1, 0} {
		must.Equal(t, a.add([]byte{"abcad"[i]}), want, "label %d has the number", i)
	}
	must.Equal(t, a.left, 2, "left out")
}
