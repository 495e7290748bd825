package account_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/hitracetest"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/why/account"
	"ohframe/internal/why/judge"
	"ohframe/internal/why/record"
)

// history is all that happened on a thread, in lists without bounds.
type history struct {
	states     []stateChange
	slices     []span
	open       []int // indices of slices
	interrupts []span
	logged     trace.Time // since when its frames are followed exactly
	lost       *[]lostSpan
}

type stateChange struct {
	at     trace.Time
	state  string // Running, R, blocked, dead; empty: unknown
	letter byte
	cpu    trace.CPU
	// woken: a wakeup ended it. doubtful: what comes next does not agree with it, and events
	// were lost.
	woken, doubtful bool
}

// lostSpan is a time in which events of a processor are missing.
type lostSpan struct {
	cpu      trace.CPU
	from, to trace.Time
}

// firstLost returns when events of any processor are missing first after a time.
func (h *history) firstLost(at trace.Time) trace.Time {
	first := forever
	for _, l := range *h.lost {
		if l.to > at {
			first = min(first, l.from)
		}
	}
	return first
}

// state returns the state at a time after lost events have been considered.
func (h *history) state(at trace.Time) string {
	var s stateChange
	for _, x := range h.states {
		if x.at <= at {
			s = x
		}
	}
	switch {
	case s.doubtful && at >= h.firstLost(s.at), s.state == "blocked" && !s.woken && at >= h.firstLost(s.at):
		return ""
	case s.state == "Running", s.state == "R":
		for _, l := range *h.lost {
			if l.cpu == s.cpu && l.from <= at && at < l.to {
				return ""
			}
		}
	}
	return s.state
}

// contradict makes the current state unknown: from where events were lost, or as a whole.
func (h *history) contradict() {
	now := h.now()
	if now.doubtful {
		return
	}
	if h.firstLost(now.at) < forever {
		now.doubtful = true
	} else {
		now.state = ""
	}
}

// runs reports whether the thread is believed to run on a processor.
func (h *history) runs(cpu trace.CPU) bool {
	now := h.now()
	return now.state == "Running" && !now.doubtful && now.cpu == cpu
}

type span struct {
	from, to trace.Time
	depth    int
	key      string
}

const forever = trace.Time(1<<63 - 1)

func (h *history) now() *stateChange {
	if len(h.states) == 0 {
		return &stateChange{}
	}
	return &h.states[len(h.states)-1]
}

func (h *history) endInterrupt(at trace.Time) {
	for i := len(h.interrupts) - 1; i >= 0 && h.interrupts[i].to == forever; i-- {
		h.interrupts[i].to = at
	}
}

func (h *history) enter(s stateChange) {
	h.endInterrupt(s.at)
	h.states = append(h.states, s)
}

func (h *history) reset(at trace.Time) {
	for _, i := range h.open {
		h.slices[i].to = at
	}
	h.open = nil
	h.enter(stateChange{at: at})
}

// histories follows all threads through all events.
func histories(events []hitrace.Event) map[trace.TID]*history {
	threads := map[trace.TID]*history{}
	var lost []lostSpan
	last := map[trace.CPU]trace.Time{}
	thread := func(tid trace.TID) *history {
		if threads[tid] == nil {
			threads[tid] = &history{logged: forever, lost: &lost}
		}
		return threads[tid]
	}
	current, handlers := map[trace.CPU]trace.TID{}, map[trace.CPU]int{}
	for i := range events {
		e := &events[i]
		if since, ok := last[e.CPU]; ok && e.Lost && since < e.Time {
			lost = append(lost, lostSpan{e.CPU, since, e.Time})
			if c := current[e.CPU]; c > 0 && thread(c).runs(e.CPU) {
				thread(c).enter(stateChange{at: e.Time})
			}
			current[e.CPU], handlers[e.CPU] = 0, 0
			if e.Kind != hitrace.SwitchEvent && e.TID > 0 { // it was there to write this
				h := thread(e.TID)
				if h.now().state == "dead" {
					h.reset(e.Time)
				}
				if !h.runs(e.CPU) {
					h.contradict()
				}
				h.enter(stateChange{at: e.Time, state: "Running", cpu: e.CPU})
				current[e.CPU] = e.TID
			}
		}
		last[e.CPU] = e.Time
		switch name := string(e.Name); {
		case e.Kind == hitrace.MarkerEvent && e.TID > 0:
			h := thread(e.TID)
			switch e.Marker.Phase {
			case hitrace.Begin:
				if e.Word == hitrace.OnVsyncEvent || e.Word == hitrace.ReceiveVsync {
					h.logged = min(h.logged, e.Time)
				}
				h.open = append(h.open, len(h.slices))
				h.slices = append(h.slices, span{e.Time, forever, len(h.open), string(place.AppendKey(nil, e.Marker.Label()))})
			case hitrace.End:
				if n := len(h.open); n > 0 {
					h.slices[h.open[n-1]].to = e.Time
					h.open = h.open[:n-1]
				}
			}
		case e.Kind == hitrace.SwitchEvent:
			s, ok := hitrace.ParseFields(e.Kind, e.Args).(*hitrace.Switch)
			if !ok {
				continue
			}
			// Whoever was believed to be here, or elsewhere, was not: events are lost.
			if c := current[e.CPU]; c > 0 && c != s.PrevTID && thread(c).runs(e.CPU) {
				thread(c).contradict()
			}
			if s.PrevTID > 0 {
				h := thread(s.PrevTID)
				if !h.runs(e.CPU) {
					h.contradict()
				}
				after := stateChange{at: e.Time, state: "blocked", letter: s.PrevState[0], cpu: e.CPU}
				switch after.letter {
				case 'R':
					after.state = "R"
				case 'X', 'Z':
					after.state = "dead"
				}
				h.enter(after)
			}
			if s.NextTID > 0 {
				h := thread(s.NextTID)
				if h.now().state == "dead" {
					h.reset(e.Time)
				}
				h.enter(stateChange{at: e.Time, state: "Running", cpu: e.CPU})
			}
			current[e.CPU], handlers[e.CPU] = s.NextTID, 0
		case e.Kind == hitrace.WakeupEvent, e.Kind == hitrace.WakingEvent, name == "sched_wakeup_new":
			w, ok := hitrace.ParseFields(hitrace.WakeupEvent, e.Args).(*hitrace.Wakeup)
			if !ok || w.TID <= 0 {
				continue
			}
			h := thread(w.TID)
			now := h.now()
			switch state := now.state; {
			case now.doubtful:
			case state == "Running":
				continue
			case state == "R":
				ran := slices.ContainsFunc(lost, func(l lostSpan) bool { return l.cpu == now.cpu && l.to > now.at })
				if !ran {
					continue
				}
				h.contradict()
			case state == "dead":
				h.reset(e.Time)
			case state == "blocked":
				now.woken = true
			}
			h.enter(stateChange{at: e.Time, state: "R", cpu: w.TargetCPU})
		case name == "irq_handler_entry", name == "softirq_entry", name == "ipi_entry":
			if handlers[e.CPU]++; handlers[e.CPU] == 1 && current[e.CPU] > 0 {
				h := thread(current[e.CPU])
				h.interrupts = append(h.interrupts, span{from: e.Time, to: forever})
			}
		case name == "irq_handler_exit", name == "softirq_exit", name == "ipi_exit":
			if handlers[e.CPU] > 0 {
				if handlers[e.CPU]--; handlers[e.CPU] == 0 && current[e.CPU] > 0 {
					thread(current[e.CPU]).endInterrupt(e.Time)
				}
			}
		}
	}
	return threads
}

// sort is what is compared of a wait: which of the blocked waits one is follows from
// rules with tests of their own.
func sort(w place.Wait, state string) string {
	switch {
	case w == place.WaitUnknown, w == place.EarlierFrame, w == place.EarlierWork, w == place.Run, w == place.GCRun:
		return w.String()
	case state == "Running":
		return w.String()
	case state == "R":
		return "cpu"
	}
	return "blocked"
}

type sorted struct {
	stage       place.Stage
	wait, slice string
}

// at returns what a frame's thread did in an interval in which nothing changed.
func (h *history) at(at trace.Time, f *analyzer.Frame, list []*analyzer.Frame) sorted {
	state := h.state(at)
	var path []span
	for _, s := range h.slices {
		if s.from <= at && at < s.to {
			path = append(path, s)
		}
	}
	slices.SortStableFunc(path, func(a, b span) int { return a.depth - b.depth })
	out := sorted{stage: place.Frame}
	collecting := false
	for _, s := range path {
		p := place.Lookup([]byte(s.key))
		if p.Stage != place.NoStage {
			out.stage = p.Stage
		}
		collecting = collecting || p.Class == place.ClassGC
		out.slice = s.key
	}
	switch state {
	case "Running":
		out.wait = "run"
		if collecting {
			out.wait = "gc"
		}
		for _, s := range h.interrupts {
			if s.from <= at && at < s.to {
				out.wait = "irq"
			}
		}
	case "R":
		out.wait = "cpu"
	case "blocked":
		out.wait = "blocked"
	default:
		out.wait = "unknown"
	}
	if at >= f.Actual.Start {
		return out
	}
	out.stage, out.slice = place.Start, ""
	var last *analyzer.Frame
	for _, g := range list {
		if g.Actual.Start <= at {
			last = g
		}
	}
	if last != nil && at < last.Actual.End {
		out.wait = "earlier_frame"
		return out
	}
	for _, s := range path {
		if place.Lookup([]byte(s.key)).Stage != place.Frame {
			out.wait, out.slice = "earlier_work", s.key
			return out
		}
	}
	if out.wait == "gc" {
		out.wait = "run" // outside of all slices
	}
	return out
}

// checkReference compares where the time of frames went with what a search through
// all events finds, frame by frame and interval by interval.
func checkReference(t testing.TB, text []byte) {
	t.Helper()
	r := record.New(trace.DefaultLimits())
	got := map[*analyzer.Frame]map[sorted]trace.Duration{}
	timeline, _, err := analyzer.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, analyzer.Options{}, r.Sink())
	if err != nil {
		t.Fatal(err)
	}
	recorded := r.Finish()
	book := account.NewObserved(recorded, timeline, func(f *analyzer.Frame, p account.Observed, d trace.Duration) {
		if got[f] == nil {
			got[f] = map[sorted]trace.Duration{}
		}
		got[f][sorted{p.Cell.Stage, sort(p.Cell.Wait, p.State), p.Cell.Slice}] += d
	})
	causes := judge.Explain(recorded, timeline)
	if err := causes.Validate(timeline); err != nil {
		t.Error(err)
	}
	lists := map[trace.TID][]*analyzer.Frame{}
	starts := map[*analyzer.Frame]trace.Time{}
	for tid, list := range book.Threads {
		for _, a := range list {
			lists[tid] = append(lists[tid], a.Frame)
			starts[a.Frame] = a.Start
			causetext.Sentence(causes, causes.Of(a.Frame))
		}
	}
	threads := histories(hitracetest.Events(t, string(text)))
	for tid, list := range lists {
		slices.SortStableFunc(list, func(a, b *analyzer.Frame) int { return int(a.Actual.Start - b.Actual.Start) })
		h := threads[tid]
		var cuts []trace.Time
		for _, s := range h.states {
			cuts = append(cuts, s.at)
		}
		for _, l := range *h.lost {
			cuts = append(cuts, l.from, l.to)
		}
		for _, s := range slices.Concat(h.slices, h.interrupts) {
			cuts = append(cuts, s.from, s.to)
		}
		for _, f := range list {
			cuts = append(cuts, starts[f], f.Actual.Start, f.Actual.End)
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		for _, f := range list {
			start := starts[f]
			if start < h.logged {
				continue // a thread's past is only known as far as its rings reach
			}
			want := map[sorted]trace.Duration{}
			for i := range cuts[:len(cuts)-1] {
				if cuts[i] >= start && cuts[i] < f.Actual.End {
					want[h.at(cuts[i], f, list)] += cuts[i+1].Sub(cuts[i])
				}
			}
			if !maps.Equal(got[f], want) {
				t.Errorf("thread %d, frame %d at %d: %v, want %v", tid, f.VsyncID, f.Actual.Start, got[f], want)
			}
		}
	}
}

// bases are small traces to change.
func bases(t testing.TB) [][][]byte {
	t.Helper()
	var list [][][]byte
	for i, cause := range []simulate.Cause{simulate.CauseBinder, simulate.CauseIRQStorm, simulate.CauseLockWaiter, simulate.CauseOnIdle, simulate.CauseIRQThreads, simulate.CauseGCElsewhere} {
		var text bytes.Buffer
		s := simulate.Scene{Kernel: []simulate.Kernel{simulate.KernelLinux, simulate.KernelHongMeng}[i%2], Cause: cause, RefreshHz: 120, Frames: 20, Seed: uint64(3 * i), Decoys: true}
		if _, err := s.Generate(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, slices.Collect(bytes.Lines(text.Bytes())))
	}
	return list
}

var stamp = regexp.MustCompile(`\d+\.\d{6}: `)

// change damages a trace: it drops, swaps and inserts lines. Times stay in order.
func change(lines [][]byte, random *rand.Rand, n int) []byte {
	lines = slices.Clone(lines)
	tids := []int{20170, 20177, 1087, 1800, 76, 77, 1510, 0, 1041, 1003}
	for range n {
		i := 12 + random.IntN(len(lines)-40)
		switch random.IntN(7) {
		case 6: // events of a processor are missing
			cpu := []byte(fmt.Sprintf("[%03d] ", random.IntN(9)))
			from, length := i, random.IntN(40)
			for end := min(i+length, len(lines)-40); i < end; {
				if bytes.Contains(lines[i], cpu) {
					lines = slices.Delete(lines, i, i+1)
					end--
				} else {
					i++
				}
			}
			if random.IntN(3) == 0 {
				i = from // the note may come before other lines of the time
			}
			lines = slices.Insert(lines, i, fmt.Appendf(nil, "CPU:%d [LOST %d EVENTS]\n", cpu[3]-'0', 1+length))
		case 0:
			lines = slices.Delete(lines, i, i+1+random.IntN(4))
		case 1:
			lines = slices.Delete(lines, i, i+1+random.IntN(20))
		case 2: // the lines trade places, but not times
			j := i + 1 + random.IntN(6)
			a, b := stamp.FindIndex(lines[i]), stamp.FindIndex(lines[j])
			if a == nil || b == nil {
				continue
			}
			x := slices.Concat(lines[j][:b[0]], lines[i][a[0]:a[1]], lines[j][b[1]:])
			lines[j] = slices.Concat(lines[i][:a[0]], lines[j][b[0]:b[1]], lines[i][a[1]:])
			lines[i] = x
		default:
			at := stamp.Find(lines[i])
			if at == nil {
				continue
			}
			tid, other, cpu := tids[random.IntN(len(tids))], tids[random.IntN(len(tids))], 6+random.IntN(3)
			event := ""
			switch random.IntN(12) {
			case 0, 1, 2, 3:
				event = fmt.Sprintf("sched_switch: prev_comm=a prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=b next_pid=%d next_prio=120",
					tid, []string{"S", "R", "R+", "D", "X", "I"}[random.IntN(6)], other)
			case 4, 5:
				event = fmt.Sprintf("sched_wakeup: comm=a pid=%d prio=120 target_cpu=%03d", other, cpu)
			case 6:
				event = fmt.Sprintf("irq_handler_%s: irq=1 name=x", []string{"entry", "exit"}[random.IntN(2)])
			case 7:
				event = fmt.Sprintf("binder_transaction: transaction=%d dest_node=0 dest_proc=1 dest_thread=%d reply=%d flags=0x%d code=0x0", random.IntN(4), other, random.IntN(2), random.IntN(2))
			case 8:
				event = fmt.Sprintf("binder_transaction_received: transaction=%d", random.IntN(4))
			case 9:
				event = fmt.Sprintf("sched_blocked_reason: pid=%d iowait=%d caller=0x12", other, random.IntN(2))
			case 10:
				event = "tracing_mark_write: B|20170|H:" + []string{"OnVsyncEvent now:100000", "PartialGC::RunPhases", "ExecuteJS", "x"}[random.IntN(4)]
			case 11:
				event = []string{"tracing_mark_write: E|20170|", "block_rq_issue: 8,0 R 0 () 16 + 8 [a]", "cpu_frequency: state=4000000000 cpu_id=7"}[random.IntN(3)]
			}
			line := fmt.Appendf(nil, " x-%d (%d) [%03d] .... %s%s\n", tid, tid, cpu, at, event)
			lines = slices.Insert(lines, i, line)
		}
	}
	return slices.Concat(lines...)
}

// TestReference compares the traces with the reference, and changed ones.
func TestReference(t *testing.T) {
	slow.SkipRace(t)
	texts(t, func(t *testing.T, text []byte) {
		if len(text) > 4<<20 {
			t.Skip("takes long")
		}
		checkReference(t, text)
	})
	for i, base := range bases(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for seed := range uint64(slow.Of(8, 40)) {
				checkReference(t, change(base, rand.New(rand.NewPCG(seed, uint64(i))), 1+int(seed)*3))
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// TestCutStart: a trace that begins anywhere is explained, too.
func TestCutStart(t *testing.T) {
	slow.SkipRace(t)
	for _, base := range bases(t) {
		for i := 1; i < 20; i++ {
			checkReference(t, bytes.Join(base[len(base)*i/20:], nil))
		}
	}
}

// FuzzReference does the same with other changes.
func FuzzReference(f *testing.F) {
	list := bases(f)
	f.Add(uint64(1), uint8(0), uint8(20))
	f.Fuzz(func(t *testing.T, seed uint64, base, n uint8) {
		checkReference(t, change(list[int(base)%len(list)], rand.New(rand.NewPCG(seed, 7)), int(n)))
	})
}
