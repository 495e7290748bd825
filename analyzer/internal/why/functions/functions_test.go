package functions_test

import (
	"slices"
	"testing"

	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// The modules and functions of the profile of these tests.
const (
	entry = iota
	libc
	kernel
)

// profile returns a profile with a function in each module, and stacks:
//
//	0  unnamed address of libentry.so
//	1  main in libentry.so
//	2  main ─▶ read in libc.so
//	3  main ─▶ read ─▶ sys_read in the kernel
//	4  read in libc.so
//	5  read ─▶ sys_read
//	6  sys_read
//	7  an address without a module
//	8  read ─▶ an address without a module
//	9  read ─▶ main
func profile() *sample.Profile {
	p := &sample.Profile{
		Events:    []sample.Event{{Name: "hw-cpu-cycles"}, {Name: "sched:sched_switch"}, {Name: "hw-instructions"}},
		Modules:   []sample.Module{{Path: "/data/storage/el1/bundle/libs/arm64/libentry.so"}, {Path: "/system/lib64/libc.so"}, {Path: "[kernel.kallsyms]", Kernel: true}},
		Functions: []sample.Function{{Name: "main", Module: entry}, {Name: "read", Module: libc}, {Name: "sys_read", Module: kernel}},
		Frames: []sample.Frame{
			{Module: entry, Function: sample.Unknown, Address: 0x1f40}, {Module: entry, Function: 0}, {Module: libc, Function: 1}, {Module: kernel, Function: 2},
			{Module: sample.Unknown, Function: sample.Unknown, Address: 0x7f0000000000},
		},
	}
	for _, s := range [][2]int32{{sample.Unknown, 0}, {sample.Unknown, 1}, {1, 2}, {2, 3}, {sample.Unknown, 2}, {4, 3}, {sample.Unknown, 3}, {sample.Unknown, 4}, {4, 4}, {4, 1}} {
		p.Stacks = append(p.Stacks, sample.Stack{Parent: s[0], Frame: s[1]})
	}
	return p
}

// table returns samples of thread 7, each a microsecond after the one before.
func table(list ...sample.Sample) *functions.Table {
	for i := range list {
		list[i].TID, list[i].Time = 7, trace.Time(1000*(i+1))
		list[i].Period = max(list[i].Period, 1)
	}
	return functions.New(&sample.Recording{Profile: profile(), Samples: list}, func(tid trace.TID) bool { return tid == 7 })
}

// A sample counts for the innermost function of the application's own modules, or for the innermost
// one outside the kernel, or for the innermost one.
func TestFunction(t *testing.T) {
	for stack, want := range []struct{ function, innermost why.Function }{
		{why.Function{Name: "[no symbols]", Module: "libentry.so"}, why.Function{Name: "[no symbols]", Module: "libentry.so"}},
		{why.Function{Name: "main", Module: "libentry.so"}, why.Function{Name: "main", Module: "libentry.so"}},
		{why.Function{Name: "main", Module: "libentry.so"}, why.Function{Name: "read", Module: "libc.so"}},
		{why.Function{Name: "main", Module: "libentry.so"}, why.Function{Name: "sys_read", Module: "kernel"}},
		{why.Function{Name: "read", Module: "libc.so"}, why.Function{Name: "read", Module: "libc.so"}},
		{why.Function{Name: "read", Module: "libc.so"}, why.Function{Name: "sys_read", Module: "kernel"}},
		{why.Function{Name: "sys_read", Module: "kernel"}, why.Function{Name: "sys_read", Module: "kernel"}},
		{why.Function{}, why.Function{Name: "[unknown]"}},
		{why.Function{Name: "read", Module: "libc.so"}, why.Function{Name: "[unknown]"}},
		{why.Function{Name: "main", Module: "libentry.so"}, why.Function{Name: "main", Module: "libentry.so"}},
	} {
		x := table(sample.Sample{Stack: int32(stack)})
		for range 2 { // the second time from the cache
			must.Equal(t, x.Name(x.Function(0)), want.function, "stack %d: it counts for", stack)
			must.Equal(t, x.Name(x.Innermost(0)), want.innermost, "stack %d: the innermost function", stack)
		}
	}
	x := table(sample.Sample{Stack: sample.Unknown})
	must.Equal(t, x.Name(x.Function(0)), (why.Function{}), "a sample without a stack counts for")
}

// Samples of the event with the most samples are those of running threads. Periods of others have
// another unit.
func TestEvents(t *testing.T) {
	x := table(sample.Sample{Event: 1}, sample.Sample{Event: 2}, sample.Sample{Event: 0}, sample.Sample{Event: 1}, sample.Sample{Event: 0}, sample.Sample{Event: 1})
	thread := x.Thread(7)
	must.EqualSlices(t, thread.Running, []int32{2, 4}, "running")
	must.EqualSlices(t, thread.Switches, []int32{0, 3, 5}, "switches")
	if x.Thread(8) != nil {
		t.Error("a thread that no one needs has samples")
	}
	if !x.Covers(1000, 6000) || x.Covers(999, 6000) || x.Covers(1000, 6001) {
		t.Error("the recording is from 1000 to 6000 ns")
	}
	x = table(sample.Sample{Event: sample.Unknown}, sample.Sample{Event: 2}, sample.Sample{Event: sample.Unknown})
	must.EqualSlices(t, x.Thread(7).Running, []int32{0, 2}, "of an unknown event")
}

// The sample of a switch is within 50 µs of it, and the only one.
func TestAt(t *testing.T) {
	list := []sample.Sample{{TID: 7, Time: 1_000_000, Event: 1}, {TID: 7, Time: 2_000_000, Event: 1}, {TID: 7, Time: 2_080_000, Event: 1}}
	x := functions.New(&sample.Recording{Profile: profile(), Samples: list}, func(trace.TID) bool { return true }).Thread(7)
	for at, want := range map[trace.Time]int32{
		949_999: -1, 950_000: 0, 1_000_000: 0, 1_050_000: 0, 1_050_001: -1,
		2_000_000: 1, 2_029_999: 1, 2_030_000: -1, 2_050_000: -1, 2_050_001: 2, 2_130_000: 2, 2_130_001: -1,
	} {
		if got, ok := x.At(at); ok != (want >= 0) || ok && got != want {
			t.Errorf("at %d: %d, %t, want %d", at, got, ok, want)
		}
	}
}

var layout, input, storage = functions.Component{Stage: why.StageLayout, Wait: why.Run}, functions.Component{Stage: why.StageInput, Wait: why.Run}, functions.Component{Stage: why.StageLayout, Wait: why.WaitIO}

// parts returns the parts by the names of their functions.
func parts(x *functions.Table, t *functions.Times) (list []why.FunctionTime) {
	for p := range t.All() {
		list = append(list, why.FunctionTime{Function: why.Function{Name: x.Name(p.Function).Name}, Stage: p.Stage, Wait: p.Wait, Samples: p.Samples, Time: p.Time})
	}
	return list
}

// The time in a component is divided as the periods of its samples are: 1, 1 and 2 of 10 ms are 2.5, 2.5
// and 5 ms. A component without samples has its time, and a wait that of its switch.
func TestTimes(t *testing.T) {
	x := table(
		sample.Sample{Stack: 1, Period: 1000}, sample.Sample{Stack: 4, Period: 1000}, sample.Sample{Stack: 2, Period: 2000}, sample.Sample{Stack: sample.Unknown, Period: 4000},
		sample.Sample{Stack: 3, Event: 1},
	)
	var f functions.Times
	const ms = trace.Millisecond
	f.Ran(layout, 4*ms, x, []int32{0}, true)
	f.Ran(input, ms, x, nil, true)
	f.Ran(layout, 6*ms, x, []int32{1, 2}, true)
	f.Ran(layout, 10*ms, x, []int32{3}, true)
	f.Waited(storage, 3*ms, 5, x, 4, true, true)
	f.Waited(storage, 2*ms, 5, x, 4, true, true) // the same wait goes on
	f.Waited(storage, 1*ms, 6, x, 0, false, true)
	of := func(name string, s functions.Component, samples int, d trace.Duration) why.FunctionTime {
		return why.FunctionTime{Function: why.Function{Name: name}, Stage: s.Stage, Wait: s.Wait, Samples: samples, Time: d}
	}
	want := []why.FunctionTime{
		of("main", layout, 2, 7500*trace.Microsecond), of("read", layout, 1, 2500*trace.Microsecond), of("", layout, 1, 10*ms),
		of("main", storage, 1, 5*ms), of("", storage, 0, ms),
		of("", input, 0, ms),
	}
	must.EqualSlices(t, parts(x, &f), want)
	var taken []int32
	for _, s := range f.Taken() {
		taken = append(taken, s.Index)
	}
	must.EqualSlices(t, taken, []int32{0, 1, 2, 3, 4}, "taken are")
	var again functions.Times
	again.Unpack(f.Packed(nil))
	must.EqualSlices(t, parts(x, &again), want, "unpacked")
}

// Times of many functions and with huge periods add up.
func TestManyFunctions(t *testing.T) {
	p := profile()
	var list []sample.Sample
	for i := range 1000 {
		p.Functions = append(p.Functions, sample.Function{Name: string(rune('a' + i)), Module: entry})
		p.Frames = append(p.Frames, sample.Frame{Module: entry, Function: int32(len(p.Functions) - 1)})
		p.Stacks = append(p.Stacks, sample.Stack{Parent: sample.Unknown, Frame: int32(len(p.Frames) - 1)})
		for range 2 {
			list = append(list, sample.Sample{TID: 7, Time: trace.Time(len(list)), Stack: int32(len(p.Stacks) - 1), Period: 1<<64 - 1})
		}
	}
	x := functions.New(&sample.Recording{Profile: p, Samples: list}, func(trace.TID) bool { return true })
	var f functions.Times
	f.Ran(layout, 1001, x, x.Thread(7).Running, false)
	sum, n := trace.Duration(0), 0
	for p := range f.All() {
		n++
		if sum += p.Time; p.Samples != 2 || p.Time < 1 || p.Time > 2 {
			t.Fatalf("part %d: %+v", n, p)
		}
	}
	if n != 1000 || sum != 1001 {
		t.Errorf("%d parts of %d ns, want 1000 of 1001", n, sum)
	}
}

// Short frames have no sample by chance. Their time is divided as that of the others: of three
// frames with 2, 2 and 4 ms in a component, two with samples, the function has 8 × 3 of 6 ms.
func TestSum(t *testing.T) {
	x := table(sample.Sample{Stack: 1}, sample.Sample{Stack: 4}, sample.Sample{Stack: 1, Event: 1})
	const ms = trace.Millisecond
	var sum functions.Sum
	for _, f := range []struct {
		ran     trace.Duration
		samples []int32
		waited  bool
	}{{2 * ms, []int32{0, 1}, true}, {2 * ms, nil, false}, {4 * ms, []int32{0, 1}, true}} {
		var of functions.Times
		of.Ran(layout, f.ran, x, f.samples, false)
		of.Waited(storage, 10*ms, 1, x, 2, f.waited, false)
		sum.Add(of.All())
	}
	main := x.Function(0)
	if got := sum.Of(functions.Key{Component: layout, Function: main}); sum.Frames != 3 || got.Samples != 2 || got.Time != 4*ms {
		t.Errorf("%d frames ran %+v, want 3, 2 samples of 4 ms", sum.Frames, got)
	}
	// What a wait without a sample was for stays unknown.
	if got := sum.Of(functions.Key{Component: storage, Function: main}); got.Samples != 2 || got.Time != 20*ms {
		t.Errorf("they waited %+v, want 2 samples of 20 ms", got)
	}
	must.Equal(t, sum.ComponentTime(layout), 8*ms, "the component")
	if got := sum.Of(functions.Key{Component: input, Function: main}); got.Time != 0 || sum.ComponentTime(input) != 0 {
		t.Errorf("a component that no frame has: %+v", got)
	}
	all := 0
	for p := range sum.Functions() {
		if all++; p.Time != sum.Of(p.Key).Time {
			t.Errorf("one of all is %+v", p)
		}
	}
	must.Equal(t, all, 3, "functions in components")
}

// The calls of three samples: main 1, main ─▶ read 2, of which one in the kernel.
func TestTree(t *testing.T) {
	x := table(sample.Sample{Stack: 1}, sample.Sample{Stack: 3}, sample.Sample{Stack: 2}, sample.Sample{Stack: sample.Unknown})
	tree := functions.NewTree(x)
	if calls := tree.Calls(); calls != nil {
		t.Errorf("an empty tree has %v", calls)
	}
	for i := range int32(4) {
		tree.Add(i, float64(10*(i+1)))
	}
	want := why.Calls{
		{Parent: -1, Samples: 4, Time: 100},
		{Function: why.Function{Name: "main", Module: "libentry.so"}, Parent: 0, Samples: 3, Time: 60},
		{Function: why.Function{Name: "read", Module: "libc.so"}, Parent: 1, Samples: 2, Time: 50},
		{Function: why.Function{Name: "sys_read", Module: "kernel"}, Parent: 2, Samples: 1, Time: 20},
	}
	must.EqualSlices(t, tree.Calls(), want)
}

// A tree of many calls keeps the largest, and says what it left out.
func TestLargeTree(t *testing.T) {
	const functionCount, depth = 700, 10_000
	p := profile()
	var list []sample.Sample
	add := func(parent int32, name string) int32 {
		p.Functions = append(p.Functions, sample.Function{Name: name, Module: entry})
		p.Frames = append(p.Frames, sample.Frame{Module: entry, Function: int32(len(p.Functions) - 1)})
		p.Stacks = append(p.Stacks, sample.Stack{Parent: parent, Frame: int32(len(p.Frames) - 1)})
		return int32(len(p.Stacks) - 1)
	}
	for i := range functionCount {
		list = append(list, sample.Sample{Time: trace.Time(i), Stack: add(sample.Unknown, "f"+string(rune('A'+i)))})
	}
	deep := int32(sample.Unknown)
	for range depth {
		deep = add(deep, "recursive")
	}
	list = append(list, sample.Sample{Time: functionCount, Stack: deep})
	x := functions.New(&sample.Recording{Profile: p, Samples: list}, func(trace.TID) bool { return true })
	tree := functions.NewTree(x)
	total := trace.Duration(0)
	for i := range list {
		tree.Add(int32(i), float64(i+1))
		total += trace.Duration(i + 1)
	}
	calls := tree.Calls()
	if len(calls) > 512 || calls[0].Time != total || calls[0].Samples != len(list) {
		t.Fatalf("%d calls, the first is %+v, want %d ns", len(calls), calls[0], total)
	}
	children := make([]trace.Duration, len(calls))
	for i, c := range calls[1:] {
		if c.Parent < 0 || int(c.Parent) > i {
			t.Fatalf("call %d has the parent %d", i+1, c.Parent)
		}
		children[c.Parent] += c.Time
	}
	must.Equal(t, children[0], total, "the calls of the root add up to")
	if !slices.ContainsFunc(calls, func(c why.Call) bool { return c.Name == functions.Others && c.Parent == 0 && c.Samples > 0 }) {
		t.Error("nothing says that calls were left out")
	}
}
