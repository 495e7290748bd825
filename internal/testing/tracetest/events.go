package tracetest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// ReadEvents returns copies of the events inside the window, which can be kept, and what
// hitrace.Run returns.
func ReadEvents(r io.Reader, options hitrace.Options) ([]hitrace.Event, *hitrace.Totals, error) {
	var list []hitrace.Event
	totals, err := hitrace.Run(context.Background(), r, options, hitrace.Sink{
		Track: func(_ int, b *hitrace.Batch) {
			for _, e := range b.Events {
				if e.Outside {
					continue
				}
				e.Comm, e.Name, e.Args = bytes.Clone(e.Comm), bytes.Clone(e.Name), bytes.Clone(e.Args)
				e.Marker.Name, e.Marker.Track = bytes.Clone(e.Marker.Name), bytes.Clone(e.Marker.Track)
				e.Fields = hitrace.ParseFields(e.Name, e.Args)
				list = append(list, e)
			}
		},
	})
	return list, totals, err
}

// Events returns all events of a text.
func Events(t testing.TB, text string) []hitrace.Event {
	t.Helper()
	list, _ := must.Get2(ReadEvents(strings.NewReader(text), hitrace.Options{}))(t)
	return list
}
