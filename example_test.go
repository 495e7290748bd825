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
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
)

// Which frames were late, and why? The other examples read their trace in the same way.
func Example() {
	f, err := os.Open("testdata/demo.ftrace")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	t, err := ohframe.Read(context.Background(), f, ohframe.Options{Causes: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range t.Stats().Processes {
		fmt.Println(p)
	}
	for f := range t.Timeline.Complete() {
		if f.Late() && f.Process.Name == "example.gallery" {
			fmt.Printf("frame %d, %.1f ms late: %s\n", f.VsyncID, f.Overrun().Milliseconds(), t.Why(f))
		}
	}
	// Output:
	// example.gallery: 4 of 37 frames late, 61.0 fps, hitch 87.9 ms/s
	// m.example.notes: 2 of 16 frames late, 26.2 fps, hitch 164.0 ms/s
	// render_service: 3 of 46 frames late, 77.4 fps, hitch 80.4 ms/s
	// frame 10019, 1.3 ms late: waited 6.8 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
	// frame 10030, 22.9 ms late: waited 23.0 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
	// frame 10033, 0.9 ms late: began 6.3 ms late: the thread was still busy with frame 10030 (waiting for storage in FlushLayoutTask)
	// frame 10046, 35.4 ms late: waited 38.6 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0
}

// Of each frame it is known why it was late, that it was on time, or why neither is known.
func ExampleTrace_Why() {
	t := readTrace("testdata/demo.ftrace", ohframe.Options{Causes: true})
	kinds := map[ohframe.AnswerKind]int{}
	for f := range t.Timeline.Complete() {
		answer := t.Why(f)
		kinds[answer.Kind]++
		if answer.Kind == ohframe.Explained && f.VsyncID == 10046 {
			fmt.Printf("%s, and frame %d lost %.1f ms\n", answer, f.VsyncID, answer.Explanation.Lost.Milliseconds())
		}
	}
	fmt.Println(kinds)
	// Output:
	// waited 38.6 ms for storage (io_schedule) in FlushLayoutTask; usual 0.0, and frame 10046 lost 35.4 ms
	// map[unjudged:1 on time:90 explained:9]
}

// What cost the most time? The frames are those of the process or the interaction that you ask about.
func ExampleTitle() {
	t := readTrace("testdata/demo.ftrace", ohframe.Options{Causes: true})
	var frames []*analyzer.Frame
	for f := range t.Timeline.Complete() {
		if f.Process.Name == "example.gallery" {
			frames = append(frames, f)
		}
	}
	ranking := t.Causes.Rank(frames)
	for _, c := range ranking.Costs[:2] {
		fmt.Printf("%.0f %%: %s\n", 100*float64(c.Lost)/float64(ranking.Lost), ohframe.Title(c))
	}
	// Output:
	// 90 %: waiting for storage in FlushLayoutTask (io_schedule)
	// 10 %: running on a slower CPU in FlushLayoutTask
}

// Was it the application, or render_service? A whole frame is one of the application with its rendering.
func ExampleTrace_Stats() {
	t := readTrace("testdata/demo.ftrace", ohframe.Options{})
	for _, p := range t.Stats().Processes {
		w := p.WholeFrames
		fmt.Printf("%s: %d of %d whole frames late: %d by the application, %d by rendering, %d were picked up late\n",
			p.Name, w.Late, w.Judged, w.Blame.Application, w.Blame.RenderCPU+w.Blame.RenderGPU, w.Blame.PickUp)
	}
	// Output:
	// example.gallery: 7 of 36 whole frames late: 2 by the application, 2 by rendering, 3 were picked up late
	// m.example.notes: 5 of 13 whole frames late: 2 by the application, 0 by rendering, 3 were picked up late
	// render_service: 12 of 49 whole frames late: 4 by the application, 2 by rendering, 6 were picked up late
}

// How fast did a fling or a launch respond, how smooth was it, and where did the time go?
func ExampleTrace_Stats_interactions() {
	t := readTrace("testdata/flings.ftrace.gz", ohframe.Options{Causes: true})
	for _, i := range t.Stats().Interactions {
		fmt.Println(i)
		if i.ID != 4 {
			continue
		}
		for _, s := range t.Causes.ResponseTo(i.Source).Steps {
			fmt.Printf("  %s %.1f ms\n", s.Name, s.Time.Milliseconds())
		}
	}
	// Output:
	// 1 APP_LIST_FLING of com.example.gallery: response 85.2 ms, 0 of 53 frames late, 60.0 fps
	// 2 APP_LIST_FLING of com.example.gallery: response 85.2 ms, 6 of 50 frames late, 51.2 fps
	// 3 APP_LIST_FLING of com.example.gallery: response 85.2 ms, 3 of 49 frames late, 52.7 fps
	// 4 ABILITY_OR_PAGE_SWITCH of com.example.gallery: response 216.8 ms, 0 of 17 frames late, 60.0 fps
	//   dispatch 2.0 ms
	//   handling 178.0 ms
	//   vsync 3.3 ms
	//   application 10.9 ms
	//   pick_up 5.8 ms
	//   render 4.0 ms
	//   draw 5.0 ms
	//   commit_wait 0.0 ms
	//   composer 0.3 ms
	//   display 7.5 ms
	// 5 LAUNCHER_APP_SWIPE_TO_HOME of com.ohos.sceneboard: response 63.5 ms, 0 of 12 frames late, 60.0 fps
	// 6 cold of com.example.notebook: response 514.1 ms, 0 of 1 frames late
	// 7 LAUNCHER_APP_LAUNCH_FROM_ICON of com.ohos.sceneboard: response 66.8 ms, 0 of 18 frames late, 60.0 fps
}

// How smooth was a video, a game or a web page, and why were its buffers late?
func ExampleTrace_WhyBuffer() {
	t := readTrace("testdata/layers.ftrace.gz", ohframe.Options{Causes: true})
	for _, l := range t.Stats().Layers {
		if l.Name != "video node Surface" {
			continue
		}
		fmt.Println(l)
		for _, b := range l.Source.Buffers {
			if b.Pace == analyzer.Late {
				fmt.Printf("  %.1f ms late: %s\n", b.Overrun().Milliseconds(), t.WhyBuffer(b))
			}
		}
	}
	// Output:
	// video node Surface: 2 of 44 buffers late, 30.0 fps
	//   33.3 ms late: queued late: the producer ran 42.0 ms; usual 2.0
	//   16.7 ms late: GPU done late: 30.0 ms after the buffer was queued, 18.3 ms after render_service took it; usual < 0.1
}

// In which functions was a late frame longer than frames on time? The samples are those of hiperf.
func ExampleRead_functions() {
	samples, err := os.Open("testdata/functions.perf.data")
	if err != nil {
		log.Fatal(err)
	}
	defer samples.Close()
	t := readTrace("testdata/functions.ftrace.gz", ohframe.Options{Causes: true, Samples: ohframe.Samples{Input: samples}})
	for f := range t.Timeline.Complete() {
		if f.VsyncID != 10062 {
			continue
		}
		answer := t.Why(f)
		fmt.Println(answer)
		for _, x := range answer.Explanation.Functions {
			fmt.Printf("  %s (%s): %.1f ms, usual %.1f\n", x.Name, x.Module, x.Time.Milliseconds(), x.Usual.Milliseconds())
		}
	}
	// Output:
	// ran 26.3 ms in FlushLayoutTask; usual 1.3; most in entry::Chart::Interpolate(float) (libentry.so): 25 of 29 samples
	//   entry::Chart::Interpolate(float) (libentry.so): 24.7 ms, usual 0.0
	//   entry::List::Measure(int) (libentry.so): 1.9 ms, usual 0.3
	//   malloc (ld-musl-aarch64.so.1): 1.1 ms, usual 0.2
	//   entry::Card::Bind(int) (libentry.so): 0.9 ms, usual 0.3
}

// A part of a trace: from 200 ms after its begin on.
func ExampleRead_window() {
	from, err := trace.ParseEdge("+200ms")
	if err != nil {
		log.Fatal(err)
	}
	t := readTrace("testdata/demo.ftrace", ohframe.Options{Window: trace.Window{From: from}})
	fmt.Println(t.Stats().Processes[0])
	// Output:
	// example.gallery: 3 of 21 frames late, 65.5 fps, hitch 91.6 ms/s
}

// What is no trace is an error, which says what it is and what to do.
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

// Convert a trace to a Perfetto trace, for ui.perfetto.dev. The input is read once: the summary has what
// Read returns.
func ExampleConvert() {
	in, err := os.Open("testdata/demo.ftrace")
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	summary, err := ohframe.Convert(context.Background(), in, io.Discard, ohframe.ConvertOptions{
		Options: ohframe.Options{Causes: true},
		Output:  exporter.Options{Input: "demo.ftrace"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Exported, "events")
	fmt.Println(summary.Stats().Processes[0])
	fmt.Println(summary.Quality.Verdict, summary.Warnings)
	// Output:
	// 2856 events
	// example.gallery: 4 of 37 frames late, 61.0 fps, hitch 87.9 ms/s
	// good []
}

// readTrace reads a file.
func readTrace(name string, o ohframe.Options) *ohframe.Trace {
	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	t, err := ohframe.Read(context.Background(), f, o)
	if err != nil {
		log.Fatal(err)
	}
	return t
}
