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
	"ohframe/exporter"
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
		fmt.Printf("%s: %d of %d frames late\n", p.Name, p.Frames.Late, p.Frames.Judged)
	}
	// Output:
	// example.gallery: 4 of 37 frames late
	// m.example.notes: 2 of 16 frames late
	// render_service: 3 of 46 frames late
}

// Late frames with their causes, which come from the scheduling events of a text trace.
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
	for f := range t.Timeline.Complete() {
		if f.Late() && f.Process.Name == "example.gallery" {
			fmt.Printf("frame %d, %.1f ms late: %s\n", f.VsyncID, f.Overrun().Milliseconds(), ohframe.Why(t.Causes, f))
		}
	}
	// Output:
	// frame 10019, 1.3 ms late: waited 6.8 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
	// frame 10030, 22.9 ms late: waited 23.0 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
	// frame 10033, 0.9 ms late: began 6.3 ms late: the thread was still busy with frame 10030 (waiting for storage in FlushLayoutTask)
	// frame 10046, 35.4 ms late: waited 38.6 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
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

// Convert a trace to a Perfetto trace, for ui.perfetto.dev, and measure its frames. The
// input is read once.
func ExampleConvert() {
	in, err := os.Open("testdata/demo.ftrace")
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	summary, err := ohframe.Convert(context.Background(), in, io.Discard, ohframe.ConvertOptions{
		Output: exporter.Options{Compress: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range stats.Compute(summary.Timeline, stats.Options{}).Processes {
		fmt.Printf("%s: %.1f %% of the frames late\n", p.Name, 100**p.JankRate)
	}
	fmt.Println(summary.Quality.Verdict, summary.Warnings)
	// Output:
	// example.gallery: 10.8 % of the frames late
	// m.example.notes: 12.5 % of the frames late
	// render_service: 6.5 % of the frames late
	// good []
}
