package reconstruct_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// A process gets the full name that its own is the end of, if its own was cut.
func TestFullNames(t *testing.T) {
	text := "# tracer: nop\n"
	for i, comm := range []string{"example.gallery", "m.example.notes", "short.name", "xexample.gallery"[:15]} {
		text += fmt.Sprintf("%16s-%-5d (%5d) [000] ....   100.00000%d: tracing_mark_write: I|%d|x\n", comm, 10+i, 10+i, i, 10+i)
	}
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text), hitrace.Options{}, reconstruct.Options{
		FullNames: []string{"com.example.gallery", "a.short.name", "example.gallery"},
	}))(t)
	var names []string
	for _, p := range timeline.Processes {
		names = append(names, p.Name)
	}
	must.EqualSlices(t, names, []string{"com.example.gallery", "m.example.notes", "short.name", "xexample.galler"})
}
