package perfetto_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"ohframe/internal/source/perfetto"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
)

// What reading may allocate, in all: windows onto the input and onto what is
// compressed in it, and so much for each of its bytes, which may be deflated.
const (
	fixedMemory   = 64 << 20
	memoryPerByte = 64 << 10
)

// Whatever the input, reading it ends, with a valid timeline or an error of ours,
// in bounded memory, however its bytes are handed out.
func FuzzRead(f *testing.F) {
	b := androidRecording().bytes
	f.Add(b)
	f.Add(b[:len(b)*2/3])
	f.Add(compressed(b))
	f.Add(zstdCompressed(b))
	f.Add(compressed(compressed(b)))
	f.Add(withCauses(f))
	f.Add(newDrawn(kernelForm{}))
	f.Add(newDrawn(kernelForm{compact: true, clock: 2, ahead: 5, stated: true}))
	f.Add([]byte("\n# tracer: nop\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		perfetto.Sniff(b)
		read := func(r io.Reader) (string, error) {
			read, stats, err := readCauses(t.Context(), r, perfetto.Options{Kernel: true})
			if stats == nil {
				t.Fatal("no stats")
			}
			text := fmt.Sprintf("%+v\n", *stats)
			if err != nil {
				return text, err
			}
			must.NoError(t, read.Timeline.Validate())
			return text + describe(t, &read.Stored), nil
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		want, err := read(bytes.NewReader(b))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > fixedMemory+memoryPerByte*uint64(len(b)) {
			t.Errorf("%d MiB for %d bytes", used>>20, len(b))
		}
		var over *unpack.LimitError
		if err != nil && !errors.Is(err, perfetto.ErrNotATrace) && !errors.Is(err, perfetto.ErrNoFrames) && !errors.Is(err, perfetto.ErrNoResult) && !errors.Is(err, perfetto.ErrSeveralResults) && !errors.As(err, &over) {
			t.Error(err)
		}
		for name, r := range map[string]io.Reader{
			"bytes": iotest.OneByteReader(bytes.NewReader(b)), "halves": iotest.HalfReader(bytes.NewReader(b)), "end at once": iotest.DataErrReader(bytes.NewReader(b)),
		} {
			if got, gotErr := read(r); got != want || fmt.Sprint(gotErr) != fmt.Sprint(err) {
				t.Errorf("%s: %v\n%swant %v\n%s", name, gotErr, got, err, want)
			}
		}
	})
}
