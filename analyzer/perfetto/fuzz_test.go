package perfetto_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/perfetto"
	"ohframe/exporter"
)

// What reading may allocate, in all: windows onto the input and onto what is
// compressed in it, and so much for each of its bytes, which may be deflated.
const (
	fixedMemory   = 64 << 20
	memoryPerByte = 64 << 10
)

// Whatever the input, reading it ends, with a valid timeline or an error of ours,
// in bounded memory, however its bytes are handed out; and strict reading differs
// only in that damage is an error.
func FuzzRead(f *testing.F) {
	b := androidRecording().bytes
	f.Add(b)
	f.Add(b[:len(b)*2/3])
	f.Add(compressed(b))
	f.Add(zstdCompressed(b))
	f.Add(compressed(compressed(b)))
	f.Add(withCauses(f))
	f.Add([]byte("\n# tracer: nop\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		perfetto.Sniff(b)
		read := func(r io.Reader, strict bool) (string, *perfetto.Stats, error) {
			timeline, causes, stats, err := perfetto.ReadCauses(t.Context(), r, perfetto.Options{Strict: strict})
			if stats == nil {
				t.Fatal("no stats")
			}
			text := fmt.Sprintf("%+v\n", *stats)
			if err != nil {
				return text, stats, err
			}
			if err := timeline.Validate(); err != nil {
				t.Error(err)
			}
			return text + timeline.String() + describeCauses(timeline, causes), stats, nil
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		want, stats, err := read(bytes.NewReader(b), false)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > fixedMemory+memoryPerByte*uint64(len(b)) {
			t.Errorf("%d MiB for %d bytes", used>>20, len(b))
		}
		var over *limits.Error
		if err != nil && !errors.Is(err, perfetto.ErrNotATrace) && !errors.Is(err, perfetto.ErrNoFrames) && !errors.As(err, &over) {
			t.Error(err)
		}
		for name, r := range map[string]io.Reader{
			"bytes": iotest.OneByteReader(bytes.NewReader(b)), "halves": iotest.HalfReader(bytes.NewReader(b)), "end at once": iotest.DataErrReader(bytes.NewReader(b)),
		} {
			if got, _, gotErr := read(r, false); got != want || fmt.Sprint(gotErr) != fmt.Sprint(err) {
				t.Errorf("%s: %v\n%swant %v\n%s", name, gotErr, got, err, want)
			}
		}
		damaged := stats.Garbage >= 0 || stats.Cut || stats.Damaged > 0 || stats.Malformed > 0
		strict, _, strictErr := read(bytes.NewReader(b), true)
		if strictErr == nil && (damaged || strict != want) || strictErr != nil && err == nil && !damaged {
			t.Errorf("strict: %v\n%s\nwant\n%s", strictErr, strict, want)
		}
	})
}

// Frames that are written and read back are the same, in all that the packets
// carry, whatever the text that they come from.
func FuzzRoundTrip(f *testing.F) {
	paths, err := filepath.Glob("../../testdata/frames/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "trace" {
				f.Add(file.Data, byte(0))
			}
		}
	}
	text, err := os.ReadFile("../../cmd/ohframe/testdata/frames.ftrace")
	if err != nil {
		f.Fatal(err)
	}
	for how := range byte(8) {
		f.Add(text, how)
	}
	f.Fuzz(func(t *testing.T, text []byte, how byte) {
		timeline, _, err := analyzer.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{Workers: 1}, analyzer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if timeline.Counts().Frames == 0 || ambiguous(timeline) {
			return
		}
		options := exporter.Options{Compress: how&2 != 0}
		if how&1 != 0 {
			options.Events = exporter.NoEvents
		}
		if how&4 == 0 {
			roundTrip(t, text, options)
			return
		}
		options.NoTracks = true // then frames lose more than others can be told to
		var written bytes.Buffer
		if _, err := exporter.Convert(t.Context(), bytes.NewReader(text), &written, options); err != nil {
			t.Fatal(err)
		}
		again, _ := read(t, written.Bytes())
		if got, want := keys(again), keys(timeline); !slices.Equal(got, want) {
			t.Errorf("without tracks:\n%q\nwant\n%q", got, want)
		}
	})
}

// ambiguous reports whether frames cannot be told apart by thread and time.
func ambiguous(t *analyzer.Timeline) bool {
	list := keys(t)
	return len(slices.Compact(slices.Clone(list))) < len(list)
}

// keys returns the keys of the timeline's complete frames, in order.
func keys(t *analyzer.Timeline) (list []string) {
	for f := range t.Complete() {
		list = append(list, key(f))
	}
	slices.Sort(list)
	return list
}
