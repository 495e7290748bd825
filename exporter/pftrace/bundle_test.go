package pftrace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine/enginetest"
)

// printed is a marker as it is in a trace, in Android's grammar.
type printed struct {
	cpu  uint32 // that prints it
	at   int64  // microseconds
	tid  uint32
	text string
}

// onTracks is the processor of markers that are track events.
const onTracks = ^uint32(0)

// printedIn returns the markers in the order in which Perfetto reads them: by
// time, track events first, then by processor in the order in which each was first seen, then as
// they come. It closes whole slices as Perfetto does, before what begins when they end.
func printedIn(t testing.TB, data []byte) []printed {
	t.Helper()
	var list []printed
	order := map[uint32]int{onTracks: -1}
	threads := map[uint32]*perfettopb.ThreadDescriptor{} // by sequence
	whole := map[uint32][]printed{}                      // the ends of open whole slices of a sequence
	for _, p := range packetsOf(t, data) {
		sequence := p.GetTrustedPacketSequenceId()
		if d := p.GetThreadDescriptor(); d != nil {
			threads[sequence] = d
		}
		if e := p.GetTrackEvent(); e != nil && e.TrackUuid == nil {
			d, at := threads[sequence], int64(p.GetTimestamp())/1000
			ends := whole[sequence]
			for n := len(ends) - 1; n >= 0 && ends[n].at <= at; n-- {
				list, ends = append(list, ends[n]), ends[:n]
			}
			add := func(at int64, text string) printed {
				return printed{onTracks, at, uint32(d.GetTid()), text}
			}
			switch name := fmt.Sprintf("|%d|%s", d.GetPid(), e.GetName()); {
			case e.GetLegacyEvent() != nil:
				list = append(list, add(at, "B"+name))
				ends = append(ends, add(at+e.GetLegacyEvent().GetDurationUs(), "E"))
			case e.GetType() == perfettopb.TrackEvent_TYPE_SLICE_BEGIN:
				list = append(list, add(at, "B"+name))
			case e.GetType() == perfettopb.TrackEvent_TYPE_INSTANT:
				list = append(list, add(at, "I"+name))
			default:
				list = append(list, add(at, "E"))
			}
			whole[sequence] = ends
		}
		bundle := p.GetFtraceEvents()
		if bundle == nil {
			continue
		}
		if _, ok := order[bundle.GetCpu()]; !ok {
			order[bundle.GetCpu()] = len(order)
		}
		for _, e := range bundle.GetEvent() {
			if e.GetPrint() != nil {
				list = append(list, printed{bundle.GetCpu(), int64(e.GetTimestamp()) / 1000, e.GetPid(), e.GetPrint().GetBuf()})
			}
		}
	}
	for _, sequence := range slices.Sorted(maps.Keys(whole)) {
		ends := whole[sequence]
		slices.Reverse(ends)
		list = append(list, ends...)
	}
	slices.SortStableFunc(list, func(a, b printed) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return order[a.cpu] - order[b.cpu]
	})
	return list
}

// Markers of several blocks keep their order.
func TestManyMarkers(t *testing.T) {
	x := &textTrace{}
	const count = 12_000
	var want []string
	for i := range int64(count) {
		name := fmt.Sprintf("slice %d %s", i, strings.Repeat("x", 100))
		thread := app.on(int(i % 2))
		at := caseStart + i/3 // several at one time, on several processors
		x.mark(at, thread, "B|200|"+name)
		x.mark(at, thread, "E|200|")
		want = append(want, "B|200|"+name, "E")
	}
	data, _ := convert(t, x.String(), Options{})
	var got []string
	for _, p := range printedIn(t, data) {
		got = append(got, p.text)
	}
	if !slices.Equal(got, want) {
		t.Error("the markers are not those of the text, or not in its order")
	}
}

// Slices that begin or end at one time, in blocks or across them, nest in Perfetto as in the text.
func TestSlicesNestAsInText(t *testing.T) {
	enginetest.ForTest(t)
	type open struct {
		at   int64
		name string
	}
	random := rand.New(rand.NewPCG(5, 5))
	x := &textTrace{}
	var stacks [3][]open
	var instant [3]int64 // the time of the last one: Perfetto nests instants of one time in each other
	var want rows
	at := int64(caseStart)
	add := func(from, to int64, name string, around []open) {
		var parent any
		if len(around) > 0 {
			parent = around[len(around)-1].name
		}
		want.add(from*1000, (to-from)*1000, name, len(around), parent)
	}
	for i := range 12_000 {
		k := random.IntN(len(stacks))
		stack, who := &stacks[k], app.on(k)
		who.tid += k
		at += int64(random.IntN(2))
		name := fmt.Sprintf("%d %s", i, strings.Repeat("x", 20))
		switch action := random.IntN(9); {
		case action == 0 && instant[k] < at:
			instant[k] = at
			x.mark(at, who, "I|200|"+name)
			add(at, at, name, *stack)
		case action <= 4 && len(*stack) < 8:
			x.mark(at, who, "B|200|"+name)
			*stack = append(*stack, open{at, name})
		case len(*stack) > 0:
			x.mark(at, who, "E|200|")
			n := len(*stack) - 1
			last := (*stack)[n]
			*stack = (*stack)[:n]
			add(last.at, at, last.name, *stack)
		}
	}
	data, _ := convert(t, x.String(), Options{})
	whole := 0
	for _, p := range packetsOf(t, data) {
		if p.GetTrackEvent().GetLegacyEvent() != nil {
			whole++
		}
	}
	if len(want) < 5000 || whole < 1000 {
		t.Errorf("%d slices, %d of them in one packet: that tests little", len(want), whole)
	}
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	compare(t, "slices", query(t, session, `
		SELECT s.ts, s.dur, s.name, s.depth, parent.name FROM slice s LEFT JOIN slice parent ON parent.id = s.parent_id
		WHERE s.dur >= 0`), want)
}

// Slices that Perfetto makes of the kernel's events nest between those of the text, also if all are of one time.
func TestSlicesNestAmongKernelSlices(t *testing.T) {
	enginetest.ForTest(t)
	random := rand.New(rand.NewPCG(6, 6))
	var text strings.Builder
	text.WriteString("# tracer: nop\n#\n")
	at := int64(caseStart)
	var stacks [3][]string // the ends of open slices
	for i := range 9_000 {
		k := random.IntN(len(stacks))
		at += int64(random.IntN(2))
		stack := &stacks[k]
		var event string
		switch action := random.IntN(8); {
		case action <= 3 && len(*stack) > 0:
			event = (*stack)[len(*stack)-1]
			*stack = (*stack)[:len(*stack)-1]
		case action == 4:
			event = fmt.Sprintf("workqueue_execute_start: work struct 00000000e1f2a3b4: function work%d", i)
			*stack = append(*stack, "workqueue_execute_end: work struct 00000000e1f2a3b4")
		default:
			event = fmt.Sprintf("print: B|200|slice %d %s", i, strings.Repeat("x", 40))
			*stack = append(*stack, "print: E|200")
		}
		fmt.Fprintf(&text, " app-%d ( 200) [%03d] .... %d.%06d: %s\n", 200+k, k, at/1e6, at%1e6, event)
	}
	data, _ := convert(t, text.String(), Options{})
	converted, imported := enginetest.Load(t, data), enginetest.Load(t, []byte(text.String()))
	compare(t, "slices", parityTables[0].converted(t, converted), parityTables[0].imported(t, imported))
}

// Lines of a damaged trace that go back in time, in a block or to the one before, begin and end slices within those that were
// written whole. Perfetto finds none that is not within another.
func TestSlicesOfLateLinesNest(t *testing.T) {
	enginetest.ForTest(t)
	const block = 256 << 10 // of the reader
	random := rand.New(rand.NewPCG(7, 7))
	var doubled, kernel string
	var lines []string
	var depths [3]int
	for i, at := 0, 0; i < 9_000; i, at = i+1, at+random.IntN(3) {
		k, event := random.IntN(len(depths)), "E|200"
		if random.IntN(2) == 0 && depths[k] > 0 {
			depths[k]--
		} else {
			event = fmt.Sprintf("B|200|slice %d %s", i, strings.Repeat("x", 200))
			depths[k]++
		}
		line, before := madeLine(at, 200+k, k, "print", event), len(doubled)
		lines = append(lines, line)
		if doubled += line; len(doubled)/block > before/block || random.IntN(3000) == 0 {
			doubled += strings.Join(lines[max(0, len(lines)-200):len(lines)-random.IntN(20)], "")
		}
	}
	for at := 0; len(kernel) < block; at++ {
		kernel += madeLine(at, 200, 0, "print", []string{"B|200|whole", "E|200", "I|200|instant", "I|200|instant"}[at%4])
	}
	kernel += madeLine(4, 200, 0, "workqueue_execute_start", "work struct 00000000e1f2a3b4: function work")
	kernel += madeLine(5e6, 200, 0, "workqueue_execute_end", "work struct 00000000e1f2a3b4")
	// The threads' lines go back by more than a second, into whole slices that another is after.
	var far, padding string
	for i := range 4 {
		far += madeLine(i*10, 200, 0, "print", []string{"B|200|whole", "B|200|inner", "E|200", "E|200"}[i])
	}
	far += madeLine(5e6, 200, 0, "print", "B|200|whole") + madeLine(5e6+10, 200, 0, "print", "E|200")
	for len(padding) < block {
		padding += madeLine(5e6+20, 300, 1, "print", "I|300|"+strings.Repeat("x", 200))
	}
	far += padding
	for i := range 4 {
		far += madeLine(15+i*10, 200, 0, "print", []string{"B|200|late", "B|200|late", "E|200", "E|200"}[i])
	}
	for _, text := range []string{doubled, kernel, far} {
		data, _ := convert(t, text, Options{})
		enginetest.CheckGate(t, enginetest.Load(t, data))
	}
}

// A processor's number that no device has must not cost the whole trace.
func TestDamagedProcessor(t *testing.T) {
	x := &textTrace{}
	x.mark(caseStart, app, "C|200|whole|1")
	x.mark(caseStart+20, app.on(1024), "C|200|damaged|1")
	x.mark(caseStart+40, app.on(1<<31-1), "C|200|more so|1")
	data, _ := convert(t, x.String(), Options{})
	cpus := map[uint32]int{}
	for _, p := range printedIn(t, data) {
		cpus[p.cpu]++
	}
	if want := map[uint32]int{1: 1, 1023: 2}; !maps.Equal(cpus, want) {
		t.Errorf("markers by processor: %v, want %v", cpus, want)
	}
}
