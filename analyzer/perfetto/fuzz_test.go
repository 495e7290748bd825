package perfetto_test

import (
	"bytes"
	"errors"
	"testing"

	"ohframe/analyzer/perfetto"
)

// Whatever the input, reading it ends, with a valid timeline or an error of ours.
func FuzzRead(f *testing.F) {
	b := androidRecording().bytes
	f.Add(b)
	f.Add(b[:len(b)*2/3])
	f.Add(gzipped(b))
	f.Add(compressed(b))
	f.Add(zstdCompressed(b))
	f.Add([]byte("\n# tracer: nop\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		perfetto.Sniff(b)
		timeline, stats, err := perfetto.Read(t.Context(), bytes.NewReader(b), perfetto.Options{})
		switch {
		case stats == nil:
			t.Error("no stats")
		case err == nil:
			if err := timeline.Validate(); err != nil {
				t.Error(err)
			}
		case !errors.Is(err, perfetto.ErrNotATrace) && err != perfetto.ErrNoFrames:
			t.Error(err)
		}
	})
}
