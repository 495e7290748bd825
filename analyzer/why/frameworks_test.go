package why_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

const millisecond = trace.Millisecond

// frameworkFrame plays a frame of Android's Choreographer: the main thread does main, then
// thread 501 does draw, each as in testdata/why.
func (p *player) frameworkFrame(t *testing.T, main, draw string) {
	t.Helper()
	p.index++
	p.vsync += p.every
	p.at = p.vsync
	p.wake(0, 1, 500)
	p.slice(t, 500, 1, "Choreographer#doFrame", main)
	p.wake(500, 1, 501)
	p.slice(t, 501, 2, "DrawFrames", draw)
}

// slice plays what a thread does in a slice with the number of the frame.
func (p *player) slice(t *testing.T, tid, cpu int, name, words string) {
	t.Helper()
	p.tid, p.cpu = tid, cpu
	p.change(cpu, 0, "R", tid)
	p.line(tid, cpu, "tracing_mark_write: B|%d|%s %d", pid(tid), name, p.index)
	p.do(t, strings.Fields(words))
	p.end(tid, p.cpu)
	p.change(p.cpu, tid, "S", 0)
}

// drawn plays frames and returns them and what is found of them. Each has a deadline 10 ms
// after its begin.
func drawn(t *testing.T, play func(*player), change func(*analyzer.Timeline, []*analyzer.Frame)) ([]*analyzer.Frame, *why.Causes) {
	t.Helper()
	p := &player{period: 10_000, every: 100_000}
	p.change(1, 500, "S", 0)
	p.change(2, 501, "S", 0)
	play(p)
	zero := trace.Duration(0)
	recorder := threads.NewRecorder(p.limits)
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(p.text()), hitrace.Options{}, reconstruct.Options{ClockOffset: &zero}, recorder.Sink()))(t)
	must.Equal(t, totals.Problems.Lost(), 0, "lines that are not understood")
	frames := slices.Collect(timeline.Complete())
	if len(frames) != p.index {
		t.Fatalf("%d frames, want %d", len(frames), p.index)
	}
	for _, f := range frames {
		f.Deadline = f.Actual.Start.Add(10 * millisecond)
	}
	if change != nil {
		change(timeline, frames)
	}
	for _, f := range frames {
		f.Judge()
	}
	causes := judged(t, recorder, timeline)
	for _, f := range frames {
		checkPieces(t, causes.Of(f))
	}
	return frames, causes
}

// parts returns the parts of a frame: "frame run 2.0, draw io 6.0".
func parts(list []why.Part) string {
	var texts []string
	for _, p := range list {
		texts = append(texts, fmt.Sprintf("%s %s %.1f", p.Stage, p.Wait, p.Time.Milliseconds()))
	}
	return strings.Join(texts, ", ")
}

// The time of a frame that another thread draws is divided over both, one after the other, and
// the GPU. Usual is 2 ms on the main thread and 3 ms of drawing; a late frame has 12 ms more.
func TestDrawnByAnotherThread(t *testing.T) {
	const usual = "run 2"
	for _, test := range []struct {
		name, main, draw string
		gpu              trace.Duration // after the drawing
		parts, sentence  string
	}{
		{"main thread", "run 14", "run 3", 0, "frame run 14.0, draw run 3.0", "ran 14.0 ms in Choreographer#doFrame; usual 2.0"},
		{"drawing", usual, "io 12 run 3", 0, "frame run 2.0, draw run 3.0, draw io 12.0", "waited 12.0 ms for storage (io_schedule) in DrawFrames; usual 0.0"},
		{"GPU", usual, "run 3", 12 * millisecond, "frame run 2.0, draw run 3.0, draw gpu 12.0", "the GPU worked for 12.0 ms after the thread was done; usual 0.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			frames, causes := drawn(t, func(p *player) {
				for range 8 {
					p.frameworkFrame(t, usual, "run 3")
				}
				p.frameworkFrame(t, test.main, test.draw)
			}, func(_ *analyzer.Timeline, frames []*analyzer.Frame) {
				if f := frames[8]; test.gpu > 0 {
					f.GPU = []analyzer.Interval{{Start: f.Draw.Start, End: f.Draw.End.Add(test.gpu)}}
				}
			})
			e := causes.Of(frames[8])
			must.Equal(t, parts(e.Parts), test.parts, "parts")
			must.Equal(t, parts(e.Usual), "frame run 2.0, draw run 3.0", "usual")
			if got := causetext.Sentence(causes, e); got != test.sentence || e.Lost != 7*millisecond {
				t.Errorf("%s late: %s, want %s", e.Lost, got, test.sentence)
			}
			if e.Basis != why.SamePeriod || e.Confidence != 0 {
				t.Errorf("basis %s, confidence %s", e.Basis, e.Confidence)
			}
		})
	}
}

// A frame whose drawing waits because its thread still draws the frame before is a knock-on of
// that frame.
func TestDrawingStillBusy(t *testing.T) {
	frames, causes := drawn(t, func(p *player) {
		for range 8 {
			p.frameworkFrame(t, "run 2", "run 3")
		}
		p.frameworkFrame(t, "run 2", "io 20 run 3")
		p.every = 10_000
		// The main thread is done after 2 ms, and the drawing begins after 15 ms.
		p.index++
		p.vsync += p.every
		p.at = p.vsync
		p.wake(0, 1, 500)
		p.slice(t, 500, 1, "Choreographer#doFrame", "run 2")
		p.at = p.vsync + 15_000
		p.slice(t, 501, 2, "DrawFrames", "run 3")
	}, nil)
	e := causes.Of(frames[9])
	must.Equal(t, parts(e.Parts), "frame run 2.0, hand_over earlier_frame 13.0, draw run 3.0", "parts")
	if e.Outcome != why.KnockOn || e.Shares[0].Earlier != frames[8] || e.Root != frames[8] || e.Lost != 8*millisecond {
		t.Errorf("%s, %s late, root %v", e.Outcome, e.Lost, e.Root)
	}
	want := "was drawn 13.0 ms late: the thread was still busy with frame 9 (waiting for storage in DrawFrames)"
	must.Equal(t, causetext.Sentence(causes, e), want)
	must.Equal(t, causes.Of(frames[8]).Shares[0].Advice, why.AdviseSystemIO, "advice")
}

// Where it is unknown which thread draws a frame, that time is unknown.
func TestUnknownDrawing(t *testing.T) {
	frames, causes := drawn(t, func(p *player) {
		for range 9 {
			p.frameworkFrame(t, "run 2", "run 3")
		}
	}, func(_ *analyzer.Timeline, frames []*analyzer.Frame) {
		f := frames[8]
		f.DrawTID, f.Draw.End = 0, f.Draw.End.Add(9*millisecond)
	})
	e := causes.Of(frames[8])
	if got := parts(e.Parts); got != "frame run 2.0, draw unknown 12.0" || e.Unknown != 12*millisecond {
		t.Errorf("parts %s, unknown %s", got, e.Unknown)
	}
}

// A frame whose deadline is that of its buffer should have begun as long before as others do: 8 ms
// before their buffers are taken. The thread was busy with other work for 6 of them.
func TestPlannedStart(t *testing.T) {
	frames, causes := drawn(t, func(p *player) {
		for range 8 {
			p.frameworkFrame(t, "run 2", "run 3")
		}
		p.at = p.vsync + p.every
		p.tid, p.cpu = 500, 1
		p.change(1, 0, "R", 500)
		p.begin(500, 1, "Task")
		p.at += 6000
		p.end(500, 1)
		p.change(1, 500, "S", 0)
		p.vsync += 6000
		p.frameworkFrame(t, "run 2", "run 3")
	}, func(timeline *analyzer.Timeline, frames []*analyzer.Frame) {
		l := &analyzer.Layer{ID: 1, Cadences: []analyzer.Cadence{{Every: 100 * millisecond, Buffers: 1, Shown: 1}}}
		timeline.Layers = []*analyzer.Layer{l}
		for i, f := range frames {
			f.Deadline, f.Pace = 0, analyzer.Even
			b := &analyzer.Buffer{Layer: l, Frame: f, Acquired: f.Actual.Start.Add(8 * millisecond), Pace: analyzer.Even}
			if i == 8 {
				f.Deadline, f.Pace = f.Actual.Start.Add(2*millisecond), analyzer.Late
				b.Deadline, b.Pace = f.Deadline, analyzer.Late
			}
			l.Buffers = append(l.Buffers, b)
		}
	})
	e := causes.Of(frames[8])
	must.Equal(t, parts(e.Parts), "start earlier_work 6.0, frame run 2.0, draw run 3.0", "parts")
	if got, want := causetext.Sentence(causes, e), "began 6.0 ms late: the thread was busy with Task; usual 0.0"; got != want || e.Lost != 3*millisecond || e.Basis != why.SamePeriod {
		t.Errorf("%s late, %s: %s, want %s", e.Lost, e.Basis, got, want)
	}
}

// Android's messages have no slices: what its main thread waits for before a frame, and a thread
// of its process ends, is no vsync.
func TestBeforeAndroidFrame(t *testing.T) {
	frames, causes := drawn(t, func(p *player) {
		for range 8 {
			p.frameworkFrame(t, "run 2", "run 3")
		}
		p.at = p.vsync + p.every
		p.tid, p.cpu = 500, 1
		p.change(1, 0, "R", 500)
		p.do(t, strings.Fields("S:501( run 6 )"))
		p.change(1, 500, "S", 0)
		p.vsync += 6000
		p.frameworkFrame(t, "run 2", "run 3")
	}, func(_ *analyzer.Timeline, frames []*analyzer.Frame) {
		f := frames[8]
		f.Vsync, f.Deadline = f.Actual.Start.Add(-6*millisecond), f.Actual.Start.Add(2*millisecond)
	})
	must.Equal(t, parts(causes.Of(frames[8]).Parts), "start own_thread 6.0, frame run 2.0, draw run 3.0", "parts")
}
