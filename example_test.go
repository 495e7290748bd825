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
