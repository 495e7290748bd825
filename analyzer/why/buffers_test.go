package why_test

import (
	"fmt"
	"regexp"
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

// video plays a layer that shows a buffer each 30 ms: thread 511 queues it 15 ms after it was
// woken, and render_service, which has a frame each 10 ms, takes it in the next one.
//
//	0 ms   thread 511 works
//	5 ms   it queues the buffer
//	10 ms  render_service begins a frame and takes the buffer
//	18 ms  the display shows it
type video struct {
	*player
	buffers []produced
	frames  map[int]string // what the main thread does instead of running for 2 ms
	without map[int]bool   // vsyncs without a frame
	steps   map[int]string // of a frame after its main thread
	begins  map[int]int    // by how many ms a frame begins late
	// interval is that between buffers, in ms.
	interval int
}

type produced struct {
	words   string // the work of the thread
	request int    // for how long the thread asks for a buffer first, in ms; 0 if it does not
	ready   int    // when the fence is signaled, in ms after the buffer is queued; 0 if it is already
	taken   int    // the frame that takes the buffer; 0 for none, because the queue drops it
	later   int    // by how much the thread begins later, in ms
}

const queue = 7

// play plays buffers and frames. The first buffer begins at 100 ms, the first frame 10 ms later.
func (v *video) play(t *testing.T) {
	t.Helper()
	takes := map[int][]int{}
	last := 0
	fence := 0
	for i, b := range v.buffers {
		v.tid, v.cpu, v.at = 511, 5, 100_000+1000*(v.interval*i+b.later)
		v.wake(0, 5, 511)
		v.change(5, 0, "R", 511)
		if b.request > 0 {
			v.request(i+1, b.request)
		}
		v.do(t, strings.Fields(b.words))
		v.tid, v.cpu = 511, 5
		v.flush(i+1, &fence, b.ready)
		v.change(5, 511, "S", 0)
		if b.taken != 0 {
			takes[b.taken] = append(takes[b.taken], i+1)
			last = max(last, b.taken)
		}
	}
	for n := 1; n <= last+2; n++ {
		v.vsync += v.every
		v.at = max(v.vsync, v.at)
		v.index = n
		if v.without[n] {
			continue
		}
		words := "main( "
		for _, sequence := range takes[n] {
			words += fmt.Sprintf("AcquireBuffer_name:_video_queueId:_%d( acquire_buffer_sequence:_%d( ) ) ", queue, sequence)
		}
		body, steps := v.frames[n], v.steps[n]
		if body == "" {
			body = "run 2"
		}
		if steps == "" {
			steps = "draw 2 commit 2 display 2"
		}
		v.at = v.vsync + 1000*v.begins[n]
		v.renderFrame(t, split(strings.Fields(strings.ReplaceAll(words+body+" ) "+steps, ")", " ) ")), "/")[0])
	}
}

// serve plays a call of the producer that render_service serves.
func (v *video) serve(do func()) {
	v.call++
	v.line(511, 5, "binder_transaction: transaction=%d dest_node=1 dest_proc=1000 dest_thread=0 reply=0 flags=0x10 code=0x2", v.call)
	v.change(6, 0, "R", 1010)
	v.line(1010, 6, "binder_transaction_received: transaction=%d", v.call)
	do()
	v.call++
	v.line(1010, 6, "binder_transaction: transaction=%d dest_node=0 dest_proc=500 dest_thread=511 reply=1 flags=0x0 code=0x0", v.call)
}

// request plays the call in which the producer gets a free buffer.
func (v *video) request(sequence, d int) {
	v.serve(func() {
		v.change(5, 511, "S", 0)
		v.begin(1010, 6, fmt.Sprintf("RequestBuffer name: video queueId: %d queueSize: 3", queue))
		v.change(6, 1010, "S", 0)
		v.at += 1000 * d
		v.wake(1002, 3, 1010)
		v.change(6, 0, "R", 1010)
		v.begin(1010, 6, fmt.Sprintf("ReuseBuffer config width: 1 height: 1 usage: 1 format: 1 id: %d", sequence))
		v.end(1010, 6)
		v.end(1010, 6)
	})
	v.wake(1010, 6, 511)
	v.change(6, 1010, "S", 0)
	v.change(5, 0, "R", 511)
	v.line(511, 5, "binder_transaction_received: transaction=%d", v.call)
}

// flush plays the call that queues a buffer.
func (v *video) flush(sequence int, fence *int, ready int) {
	v.serve(func() {
		v.begin(1010, 6, fmt.Sprintf("FlushBuffer name: video queueId: %d sequence: %d", queue, sequence))
		v.begin(1010, 6, fmt.Sprintf("DoFlushBuffer name: video queueId: %d seq: %d", queue, sequence))
		v.end(1010, 6)
		v.end(1010, 6)
	})
	v.change(6, 1010, "S", 0)
	v.line(511, 5, "binder_transaction_received: transaction=%d", v.call)
	if *fence++; ready > 0 {
		v.begin(511, 5, fmt.Sprintf("Acquire Fence %d", *fence))
		v.end(511, 5)
		at := v.at
		v.begin(512, 7, fmt.Sprintf("Waiting for Acquire Fence %d", *fence))
		v.at += ready * 1000
		v.end(512, 7)
		v.at = at
	}
}

// usualBuffers returns the buffers of 12 intervals: each takes 5 ms to make and is taken by the
// frame that begins 5 ms later.
func usualBuffers() (list []produced) {
	for i := range 12 {
		list = append(list, produced{words: "run 5", taken: 1 + 3*i})
	}
	return list
}

func newVideo() *video {
	v := &video{interval: 30, player: &player{period: 10_000, every: 10_000, vsync: 100_000}, buffers: usualBuffers(), frames: map[int]string{}, without: map[int]bool{}, steps: map[int]string{}, begins: map[int]int{}}
	v.change(5, 511, "S", 0)
	v.change(1, 1000, "S", 0)
	return v
}

// explained returns the layer and the causes.
func (v *video) explained(t *testing.T) (*analyzer.Layer, *why.Causes) {
	t.Helper()
	v.play(t)
	zero := trace.Duration(0)
	recorder := threads.NewRecorder(v.limits)
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(v.text()), hitrace.Options{}, reconstruct.Options{ClockOffset: &zero}, recorder.Sink()))(t)
	must.Equal(t, totals.Problems.Lost(), 0, "lines that are not understood")
	causes := judged(t, recorder, timeline)
	if len(timeline.Layers) != 1 {
		t.Fatalf("%d layers", len(timeline.Layers))
	}
	return timeline.Layers[0], causes
}

// bufferSteps returns the steps: "produce 45.0/30.0", with what is usual behind the slash.
func bufferSteps(l *why.Explanation) string {
	var texts []string
	for i := range l.Steps {
		s := &l.Steps[i]
		texts = append(texts, fmt.Sprintf("%s %.1f/%.1f", s.Name, s.Time.Milliseconds(), s.Usual.Milliseconds()))
	}
	return strings.Join(texts, ", ")
}

// A buffer that is shown at the cadence takes 30 ms since the one before, 5 ms in the queue and
// 8 ms from there to the display. Each case makes buffer 8 late by whole refreshes.
func TestLateBuffers(t *testing.T) {
	for _, test := range []struct {
		name     string
		change   func(*video)
		reason   why.Outcome
		overrun  trace.Duration
		steps    string
		sentence string
		title    string
		advice   string
	}{
		{
			"the producer waits for storage", func(v *video) {
				v.buffers[7].words, v.buffers[7].taken = "io 17 run 5", v.buffers[7].taken+2
			}, why.QueuedLate, 20, "produce 47.0/30.0, queue 8.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0",
			"queued late: the producer waited 17.0 ms for storage (io_schedule); usual 0.0",
			"queued late: waiting for storage (io_schedule)", "read files before the frame, or on another thread",
		},
		{
			"the producer runs for longer", func(v *video) {
				v.buffers[7].words, v.buffers[7].taken = "Decode( run 22 )", v.buffers[7].taken+2
			}, why.QueuedLate, 20, "produce 47.0/30.0, queue 8.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0",
			"queued late: the producer ran 22.0 ms in Decode; usual 0.0", "queued late: running in Decode",
			"do less work for each buffer, or begin earlier with it",
		},
		{
			"no buffer is free", func(v *video) {
				for i := range v.buffers {
					v.buffers[i].words, v.buffers[i].request = "run 4", 1
				}
				v.buffers[7].request, v.buffers[7].taken = 18, v.buffers[7].taken+2
			}, why.NoFreeBuffer, 20, "produce 25.0/25.0, request 18.0/1.0, fill 4.0/4.0, queue 8.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0",
			"no free buffer: the producer waited 18.0 ms for one; usual 1.0", "no free buffer",
			"the queue was full: an earlier late frame or slow consumer fills it; draw fewer frames ahead, or skip one",
		},
		{
			"the GPU is late", func(v *video) {
				v.buffers[7].ready, v.buffers[7].taken = 12, v.buffers[7].taken+1
			}, why.DrawnLate, 10, "produce 30.0/30.0, gpu 12.0/0.0, queue 3.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0",
			"GPU done late: 12.0 ms after the buffer was queued; usual 0.0", "GPU done late",
			"reduce GPU work: less overdraw, blur and large surfaces",
		},
		{
			"render_service is busy", func(v *video) {
				n := v.buffers[7].taken
				v.frames[n-1], v.steps[n-1] = "run 16", "draw 1"
				v.without[n] = true
				v.buffers[7].taken = n + 1
			}, why.TakenLate, 10, "produce 30.0/30.0, queue 15.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0",
			"taken late by render_service: ready 5.0 ms before it should have been taken; render_service was still busy with frame 21 for 6.0 ms (running in RSMainThread::DoComposition)",
			"taken late by render_service: running in RSMainThread::DoComposition", "",
		},
		{
			"render_service has no vsync", func(v *video) {
				n := v.buffers[7].taken
				v.without[n] = true
				v.buffers[7].taken = n + 1
			}, why.TakenLate, 10, "produce 30.0/30.0, queue 15.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0",
			"taken late by render_service: ready 5.0 ms before it should have been taken; render_service had no vsync for it",
			"taken late by render_service", "",
		},
		{
			"a frame does not take it", func(v *video) { v.buffers[7].taken++ },
			why.TakenLate, 10, "produce 30.0/30.0, queue 15.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0",
			"taken late by render_service: ready 5.0 ms before it should have been taken; frame 22 of render_service did not take it",
			"taken late by render_service", "",
		},
		{
			"the display is late", func(v *video) {
				n := v.buffers[7].taken
				v.steps[n], v.without[n+1] = "draw 2 commit 2 display 12", true
			},
			why.ShownLate, 10, "produce 30.0/30.0, queue 5.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 12.0/2.0",
			"shown late by render_service: frame 22 of render_service was shown late: the display needed 12.0 ms after the commit; usual 2.0",
			"shown late by render_service: waiting for the display", "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := newVideo()
			test.change(v)
			layer, causes := v.explained(t)
			if layer.Cadence() != 30*millisecond || layer.Process == nil || layer.Process.PID != 500 {
				t.Fatalf("cadence %s, process %v", layer.Cadence(), layer.Process)
			}
			b := layer.Buffers[7]
			l := causes.LateBuffer(b)
			if l == nil || len(causes.Buffers) != 1 {
				t.Fatalf("%d late buffers, pace %s, interval %s", len(causes.Buffers), b.Pace, b.Interval)
			}
			if l.Outcome != test.reason || b.Overrun() != test.overrun*millisecond {
				t.Errorf("%s, %s late, want %s, %d ms", l.Outcome, b.Overrun(), test.reason, test.overrun)
			}
			must.Equal(t, bufferSteps(l), test.steps, "steps")
			must.Equal(t, causetext.Buffer(causes, l), test.sentence)
			costs := why.RankBuffers([]*why.Explanation{l})
			lost := trace.Duration(0)
			for _, c := range costs {
				lost += c.Lost
			}
			if got := causetext.CostTitle(costs[0]); got != test.title || lost != b.Overrun() {
				t.Errorf("%s, lost %s; want %s", got, lost, test.title)
			}
			must.Equal(t, causetext.CostAdvice(costs[0]), test.advice, "advice")
		})
	}
}

// A buffer that was ready and is dropped, since render_service did not take it, is why the next one is
// late: the interval before it is twice the cadence. Its producer can do nothing about that.
func TestDroppedBuffer(t *testing.T) {
	v := newVideo()
	n := v.buffers[7].taken
	v.buffers[7].taken = 0
	layer, causes := v.explained(t)
	dropped, shown := layer.Buffers[7], layer.Buffers[8]
	l := causes.LateBuffer(shown)
	if l == nil || dropped.Fate != analyzer.Discarded || l.Dropped != dropped || l.Outcome != why.TakenLate || shown.Overrun() != 30*millisecond {
		t.Fatalf("%+v, %s", l, shown.Overrun())
	}
	must.Equal(t, bufferSteps(l), "produce 30.0/30.0, queue 35.0/5.0, render 2.0/2.0, draw 2.0/2.0, composer 2.0/2.0, display 2.0/2.0", "steps")
	want := fmt.Sprintf("taken late by render_service: ready 5.0 ms before it should have been taken; frame %d of render_service did not take it; a buffer was dropped", n)
	must.Equal(t, causetext.Buffer(causes, l), want)
	if cost := why.RankBuffers([]*why.Explanation{l})[0]; causetext.CostTitle(cost) != "taken late by render_service" || causetext.CostAdvice(cost) != "" {
		t.Errorf("%s: %s", causetext.CostTitle(cost), causetext.CostAdvice(cost))
	}
}

// A buffer that the producer queues too early replaces the one before, and the next one is shown late.
// That of a producer that was slow is queued late, whatever was dropped before.
func TestReplacedBuffer(t *testing.T) {
	for _, test := range []struct {
		later    int // the next buffer
		reason   why.Outcome
		overrun  trace.Duration
		sentence string
		advice   string
	}{
		{0, why.DroppedBuffer, 30, "dropped for a later buffer: the one shown before came too early, in the same vsync as another one", "queue one buffer in each interval: a later buffer replaced one that was not shown yet"},
		{20, why.QueuedLate, 50, "queued late: the producer waited 72.0 ms ", ""},
	} {
		v := newVideo()
		v.buffers[7].taken = 0
		v.buffers[8].words, v.buffers[8].later, v.buffers[8].taken = "run 2", -24, v.buffers[8].taken-3
		v.buffers[9].later, v.buffers[9].taken = test.later, v.buffers[9].taken+(test.later+9)/10
		layer, causes := v.explained(t)
		b := layer.Buffers[9]
		l := causes.LateBuffer(b)
		if l == nil || layer.Buffers[7].Fate != analyzer.Discarded || l.Outcome != test.reason || b.Overrun() != test.overrun*millisecond {
			t.Fatalf("%+v, %s", l, b.Overrun())
		}
		if got := causetext.Buffer(causes, l); !strings.HasPrefix(got, test.sentence) {
			t.Errorf("%s\nwant %s", got, test.sentence)
		}
		if got := causetext.CostAdvice(why.RankBuffers([]*why.Explanation{l})[0]); test.advice != "" && got != test.advice {
			t.Errorf("advice %q, want %q", got, test.advice)
		}
	}
}

// A producer that has missed a vsync because of something else waits for the next one. That is no cause,
// unless nothing else is, and there is no advice for it. Nor is a wait for another process one for a lock.
func TestProducerWaitsForVsync(t *testing.T) {
	const other = "find out why the other process took so long, and do not wait for it during a frame"
	for _, test := range []struct {
		words, sentence, title, advice string
		frames, shares                 int
	}{
		{"S:600( run 15 ) S:1004 7 run 5", "queued late: the producer waited 15.0 ms for service, which ran; usual 0.0", "queued late: waiting for another process: service", other, 2, 1},
		{"S:1004 22 run 5", "queued late: the producer waited 22.0 ms for its vsync; usual 0.0", "queued late: waiting for the vsync: render_service:VSyncGenerator", "", 2, 1},
		// It missed more than one vsync, and nothing says why.
		{"S:600( run 3 ) S:1004 34 run 5", "queued late: the producer waited 34.0 ms for its vsync; usual 0.0", "queued late: waiting for the vsync: render_service:VSyncGenerator", "", 4, 2},
	} {
		v := newVideo()
		v.buffers[7].words, v.buffers[7].taken = test.words, v.buffers[7].taken+test.frames
		for i := range v.buffers[8:] {
			v.buffers[8+i].later, v.buffers[8+i].taken = 30, v.buffers[8+i].taken+3
		}
		layer, causes := v.explained(t)
		b := layer.Buffers[7]
		l := causes.LateBuffer(b)
		if l == nil || len(l.Shares) != test.shares || l.Validate() != nil {
			t.Fatalf("%+v", l)
		}
		must.Equal(t, causetext.Buffer(causes, l), test.sentence)
		cost := why.RankBuffers([]*why.Explanation{l})[0]
		must.Equal(t, causetext.CostTitle(cost), test.title, "title")
		must.Equal(t, causetext.CostAdvice(cost), test.advice, "advice")
	}
}

// What is usual for a buffer is that of buffers at the same cadence. This video has one each 30 ms,
// then each 60 ms, for longer.
func TestUsualAtCadence(t *testing.T) {
	const fast, slow = 15, 40
	for _, test := range []struct {
		buffer       int
		steps, usual string
	}{
		{7, "produce 47.0/30.0, queue 8.0/5.0, ", "; usual 25.0"},
		{35, "produce 77.0/60.0, queue 8.0/5.0, ", "; usual 55.0"},
	} {
		v := newVideo()
		v.buffers = nil
		for i := range fast + slow {
			slower := 30 * max(0, i-fast)
			v.buffers = append(v.buffers, produced{words: "run 5", later: slower, taken: 1 + 3*i + slower/10})
		}
		v.buffers[test.buffer].later += 17
		v.buffers[test.buffer].taken += 2
		layer, causes := v.explained(t)
		l := causes.LateBuffer(layer.Buffers[test.buffer])
		if l == nil || len(causes.Buffers) != 1 || len(layer.Cadences) != 2 {
			t.Fatalf("%d late buffers, cadences %+v", len(causes.Buffers), layer.Cadences)
		}
		if got := bufferSteps(l); !strings.HasPrefix(got, test.steps) {
			t.Errorf("steps %s\nwant  %s", got, test.steps)
		}
		if got := causetext.Buffer(causes, l); !strings.HasPrefix(got, "queued late: the producer waited ") || !strings.HasSuffix(got, test.usual) {
			t.Errorf("%s, want %s", got, test.usual)
		}
	}
}

// A buffer that is ready 1 ms after the commit, later than all others, makes its frame miss a
// refresh: the longer wait for the display is a consequence.
func TestBufferMissesRefresh(t *testing.T) {
	v := newVideo()
	n := v.buffers[7].taken
	v.buffers[7].ready = 12
	v.steps[n], v.without[n+1] = "draw 2 commit 2 display 12", true
	layer, causes := v.explained(t)
	b := layer.Buffers[7]
	e := causes.Of(b.Render)
	if got, want := causetext.Shown(causes, e), "the display waited 1.0 ms after the commit for the GPU of layer video; usual 0.0"; got != want || e.Shown.Shares[0].Waited != b {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Layers without late buffers cost nothing.
func TestNoLateBuffers(t *testing.T) {
	layer, causes := newVideo().explained(t)
	if causes.Buffers != nil || slices.ContainsFunc(layer.Buffers, func(b *analyzer.Buffer) bool { return b.Pace == analyzer.Late }) {
		t.Errorf("late buffers %v", causes.Buffers)
	}
}

// A cadence of 24 ms cannot be even with refreshes each 10 ms: intervals of 20 and 30 ms are
// nobody's fault.
func TestBetweenRates(t *testing.T) {
	v := newVideo()
	v.interval = 24
	for i := range v.buffers {
		// Buffers are queued at 5, 29, 53, 77 ms, and taken at 10, 30, 60, 80 ms.
		v.buffers[i].taken = (24*i + 5 + 9) / 10
	}
	if layer, causes := v.explained(t); layer.Cadence() != 24*millisecond || len(causes.Buffers) != 0 {
		t.Fatalf("cadence %s, %d late buffers", layer.Cadence(), len(causes.Buffers))
	}
}

// A buffer that is queued 1 ms after a frame has taken buffers is late, even if the frame that
// takes it begins late itself.
func TestMissedFrame(t *testing.T) {
	v := newVideo()
	n := v.buffers[7].taken
	v.buffers[7].words, v.buffers[7].taken, v.begins[n+1] = "run 11", n+1, 3
	layer, causes := v.explained(t)
	b := layer.Buffers[7]
	l := causes.LateBuffer(b)
	if l == nil || l.Outcome != why.QueuedLate || b.Queued >= b.Deadline {
		t.Errorf("%+v, queued %s, deadline %s", l, b.Queued, b.Deadline)
	}
}

// Without calls, only the thread of render_service is known that served the producer. What that
// did is no cause.
func TestUnknownProducer(t *testing.T) {
	v := newVideo()
	v.buffers[7].words, v.buffers[7].taken = "io 17 run 5", v.buffers[7].taken+2
	v.leftOut = regexp.MustCompile("binder_")
	layer, causes := v.explained(t)
	l := causes.LateBuffer(layer.Buffers[7])
	if l == nil || l.Buffer.TID != 1010 || len(l.Shares) > 0 {
		t.Fatalf("%+v", l)
	}
	must.Equal(t, causetext.Buffer(causes, l), "queued late: 47.0 ms after the buffer before; usual 30.0")
}
