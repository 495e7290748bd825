package ohframe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// How many frames of each process were late.
func ExampleRead() {
	f, err := os.Open("testdata/demo.ftrace")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	trace, err := ohframe.Read(context.Background(), f, ohframe.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range stats.Compute(trace.Timeline, stats.Options{}).Processes {
		fmt.Printf("%s: %d of %d frames late\n", p.Name, p.Frames.Late, p.Frames.WithDeadline)
	}
	// Output:
	// example.gallery: 4 of 37 frames late
	// m.example.notes: 2 of 16 frames late
	// render_service: 3 of 46 frames late
}

// Why the worst frames were late. The causes come from the scheduling events of a text trace.
func ExampleRead_causes() {
	f, err := os.Open("testdata/demo.ftrace")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	t, err := ohframe.Read(context.Background(), f, ohframe.Options{Causes: true})
	if err != nil {
		log.Fatal(err)
	}
	for frame := range t.Timeline.Complete() {
		if cause := t.Causes.Of(frame); cause != nil && cause.Overrun > 20*trace.Millisecond {
			fmt.Printf("%s, vsync %d: %s\n", frame.Process.Name, frame.VsyncID, t.Why(frame))
		}
	}
	// Output:
	// example.gallery, vsync 10030: waited 23.0 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
	// example.gallery, vsync 10046: waited 38.6 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
}

// Junk is an error, which says what it is and what to do.
func ExampleRead_error() {
	_, err := ohframe.Read(context.Background(), strings.NewReader("PERFILE2"), ohframe.Options{})
	if e := (*ohframe.Error)(nil); errors.As(err, &e) {
		fmt.Println(e.What)
		fmt.Println(errors.Is(err, ohframe.ErrNotATrace))
	}
	// Output:
	// not a trace (hiperf data)
	// true
}

// Convert a text trace to a Perfetto trace, for ui.perfetto.dev.
func ExampleConvert() {
	in, err := os.Open("testdata/demo.ftrace")
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	summary, err := ohframe.Convert(context.Background(), in, io.Discard, ohframe.ConvertOptions{Compress: true})
	if err != nil {
		log.Fatal(err)
	}
	counts := summary.Timeline.Counts()
	fmt.Println(counts.Frames, "frames,", counts.Late, "of them late")
	// Output:
	// 100 frames, 9 of them late
}
