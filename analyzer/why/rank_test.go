package why_test

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/must"
)

// late makes frames late by the overruns of their explanations.
func late(c *why.Causes) {
	for f, e := range c.Frames {
		e.Frame = f
		f.Facts, f.Deadline = analyzer.MainLate, 1
		f.Actual = analyzer.Interval{Start: 1, End: trace.Time(1).Add(e.Lost)}
	}
}

// The unknown part of the lost time is that of all late frames whose states are known
// otherwise: 2 of the 3 ms of the first, and as much of the 3 ms that it cost the second. Only the slices of
// the third are known.
func TestRankUnknown(t *testing.T) {
	const ms = trace.Millisecond
	frames := []*analyzer.Frame{{VsyncID: 1}, {VsyncID: 2}, {VsyncID: 3}}
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		frames[0]: {
			Frame: frames[0], End: trace.Time(20 * ms), Lost: 3 * ms, Unknown: 8 * ms, Outcome: why.Mixed,
			Shares: []why.Share{{Wait: why.WaitUnknown, Share: 2 * ms}, {Wait: why.Run, Share: ms}},
		},
		frames[1]: {
			Frame: frames[1], End: trace.Time(20 * ms), Lost: 3 * ms, Outcome: why.KnockOn,
			Shares: []why.Share{{Wait: why.EarlierFrame, Share: 3 * ms, Earlier: frames[0]}},
		},
		frames[2]: {
			Frame: frames[2], End: trace.Time(20 * ms), Lost: 4 * ms, Unknown: 20 * ms, Outcome: why.PlaceOnly,
			Shares: []why.Share{{Wait: why.WaitUnknown, Slice: "FlushLayoutTask", Share: 4 * ms}},
		},
	}}
	late(c)
	r := c.Rank(frames)
	if r.Unknown != 4*ms || r.Lost != 10*ms || r.Late != 3 {
		t.Errorf("unknown %v of %v in %d frames, want 4ms of 10ms in 3", r.Unknown, r.Lost, r.Late)
	}
	// What an earlier frame cost counts for the causes of that frame.
	direct, knockOn := trace.Duration(0), trace.Duration(0)
	for _, x := range r.Costs {
		direct, knockOn = direct+x.Direct, knockOn+x.KnockOn
		if x.Direct+x.KnockOn != x.Lost {
			t.Errorf("%s: lost %v, %v of it directly and %v by knock-on", x.Wait, x.Lost, x.Direct, x.KnockOn)
		}
	}
	if direct != 7*ms || knockOn != 3*ms {
		t.Errorf("%v lost directly and %v by knock-on, want 7 and 3 ms", direct, knockOn)
	}
}

// One cause is one row: whatever the stage and whichever thread of a pool. The rows add up
// to the lost time.
func TestRankMerges(t *testing.T) {
	const ms = trace.Millisecond
	worker := func(tid trace.TID, process, thread string) *why.Culprit {
		return &why.Culprit{PID: 100, TID: tid, Process: process, Thread: thread}
	}
	share := func(wait why.Wait, stage why.Stage, slice string, cost trace.Duration, culprit *why.Culprit) why.Share {
		return why.Share{Wait: wait, Stage: stage, Slice: slice, Share: cost * ms, Culprit: culprit}
	}
	frames := []*analyzer.Frame{{VsyncID: 1}, {VsyncID: 2}}
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		frames[0]: {Lost: 25 * ms, Shares: []why.Share{
			share(why.Run, why.StageBuild, "CreateImagePixelMap", 6, nil),
			share(why.Run, why.StageLayout, "CreateImagePixelMap", 5, nil),
			share(why.WaitOwnThread, why.StageBuild, "FlushBuild", 7, worker(104, "app", "TaskWorker-4")),
			share(why.WaitBinder, why.StageBuild, "FlushBuild", 4, worker(201, "foundation", "OS_IPC_18_1739")),
			share(why.WaitBinder, why.StageLayout, "FlushBuild", 3, worker(301, "media", "OS_IPC_18_1739")),
		}},
		frames[1]: {Lost: 12 * ms, Shares: []why.Share{
			share(why.Run, why.StageLayout, "CreateImagePixelMap", 4, nil),
			share(why.WaitOwnThread, why.StageLayout, "FlushBuild", 2, worker(109, "app", "TaskWorker-9")),
			share(why.WaitBinder, why.StageBuild, "FlushBuild", 5, worker(202, "foundation", "OS_IPC_3_9")),
			share(why.CPUWait, why.StageStart, "", 1, nil),
		}},
	}}
	type row struct {
		title  string
		lost   trace.Duration
		frames int
		worst  int64
	}
	want := []row{
		{"running in CreateImagePixelMap [layout, build]", 15 * ms, 2, 1},
		{"waiting for a thread of the same process in FlushBuild: app:TaskWorker* [build, layout]", 9 * ms, 2, 1},
		{"waiting for another process's reply in FlushBuild: foundation:OS_IPC*", 9 * ms, 2, 2},
		{"waiting for another process's reply in FlushBuild: media:OS_IPC* [layout]", 3 * ms, 1, 1},
		{"waiting for a CPU [start]", 1 * ms, 1, 2},
	}
	late(c)
	r := c.Rank(frames)
	if r.Lost != 37*ms || len(r.Costs) != len(want) {
		t.Fatalf("%v lost to %d causes, want 37 ms to %d", r.Lost, len(r.Costs), len(want))
	}
	for i, x := range r.Costs {
		must.Equal(t, (row{causetext.CostTitle(x) + causetext.InStages(x), x.Lost, len(x.Late), x.Worst.Frame.VsyncID}), want[i], "row %d", i)
		sum := trace.Duration(0)
		for _, s := range x.Stages {
			sum += s.Lost
		}
		if sum != x.Lost {
			t.Errorf("%s lost %v in its stages, want %v", causetext.CostTitle(x), sum, x.Lost)
		}
	}
}

func TestCulpritKind(t *testing.T) {
	for _, test := range []struct {
		culprit why.Culprit
		want    why.ThreadKind
	}{
		{why.Culprit{PID: 1, TID: 2, Process: "app", Thread: "OS_FFRT_2_3"}, why.ThreadKind{Name: "app:OS_FFRT*"}},
		{why.Culprit{PID: 1, TID: 2, Process: "app", Thread: "binder:1027_3"}, why.ThreadKind{Name: "app:binder*"}},
		{why.Culprit{PID: 1, TID: 2, Process: "hilogd", Thread: "hilogd.rd_kmsg"}, why.ThreadKind{Name: "hilogd:hilogd.rd_kmsg"}},
		{why.Culprit{PID: 1, TID: 2, Process: "app", Thread: "worker_"}, why.ThreadKind{Name: "app:worker_"}},
		{why.Culprit{PID: 5, TID: 5, Process: "ksoftirqd/3", Thread: "ksoftirqd/3"}, why.ThreadKind{Name: "ksoftirqd*"}},
		{why.Culprit{PID: 5, TID: 5, Process: "com.example.app2", Thread: "com.example.app2"}, why.ThreadKind{Name: "com.example.app2"}},
		{why.Culprit{PID: 1, TID: 42}, why.ThreadKind{TID: 42}},
		{why.Culprit{PID: 1, TID: 42, Thread: "42"}, why.ThreadKind{Name: "42"}},
	} {
		must.Equal(t, test.culprit.Kind(), test.want, "%+v is of the kind", test.culprit)
	}
}

// Arguments that several slices of a cause have are counted, those of nodes are not.
func TestRepeats(t *testing.T) {
	const ms = trace.Millisecond
	image := func(name, node string, d trace.Duration) why.Instance {
		return why.Instance{Time: d * ms, Arguments: []why.Argument{{Name: "source", Value: name}, {Name: "node", Value: node}}}
	}
	share := func(list ...why.Instance) why.Share {
		return why.Share{Wait: why.Run, Slice: "CreateImagePixelMap", Share: 5 * ms, Instances: list}
	}
	frames := []*analyzer.Frame{{VsyncID: 1}, {VsyncID: 2}}
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		frames[0]: {Lost: 5 * ms, Shares: []why.Share{share(image("a", "1", 3), image("a", "1", 2), image("b", "1", 1))}},
		frames[1]: {Lost: 5 * ms, Shares: []why.Share{share(image("b", "1", 9), image("a", "1", 1), image("c", "1", 20))}},
	}}
	want := []why.Repeat{
		{Argument: why.Argument{Name: "source", Value: "b"}, Instances: 2, Frames: 2, Time: 10 * ms},
		{Argument: why.Argument{Name: "source", Value: "a"}, Instances: 3, Frames: 2, Time: 6 * ms},
	}
	late(c)
	must.EqualSlices(t, c.Rank(frames).Costs[0].Repeats, want)
}

// The arguments of all slices of a cause count, though a share has only the longest ones, and so do the slices
// themselves. A frame with short slices makes the numbers those at least.
func TestRepeatsOfMany(t *testing.T) {
	const ms = trace.Millisecond
	image := []why.Argument{{Name: "source", Value: "a"}}
	many := why.Share{
		Wait: why.Run, Slice: "Decode", Share: 5 * ms, Calls: 20, UsualCalls: new(1), Instances: slices.Repeat([]why.Instance{{Time: ms, Arguments: image}}, why.MaxInstances),
		Repeats: []why.Repeat{{Argument: image[0], Instances: 20, Frames: 1, Time: 20 * ms}},
	}
	few := why.Share{Wait: why.Run, Slice: "Decode", Share: 5 * ms, Calls: 3, UsualCalls: new(2), Instances: []why.Instance{{Time: ms, Arguments: image}}}
	unknown := why.Share{Wait: why.Run, Slice: "Decode", Share: 5 * ms, Calls: 3}
	frames := []*analyzer.Frame{{VsyncID: 1}, {VsyncID: 2}, {VsyncID: 3}}
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		frames[0]: {Lost: 5 * ms, Shares: []why.Share{many}},
		frames[1]: {Lost: 5 * ms, Shares: []why.Share{few}},
		frames[2]: {Lost: 5 * ms, Shares: []why.Share{unknown}},
	}}
	late(c)
	for _, test := range []struct {
		frames []*analyzer.Frame
		calls  int
		usual  *int
		repeat why.Repeat
	}{
		{frames[:1], 20, new(1), why.Repeat{Argument: image[0], Instances: 20, Frames: 1, Time: 20 * ms}},
		{frames[:2], 23, new(3), why.Repeat{Argument: image[0], Instances: 21, Frames: 2, Time: 21 * ms, AtLeast: true}},
		{frames, 26, nil, why.Repeat{Argument: image[0], Instances: 21, Frames: 2, Time: 21 * ms, AtLeast: true}},
	} {
		if x := c.Rank(test.frames).Costs[0]; x.Calls != test.calls || !reflect.DeepEqual(x.UsualCalls, test.usual) || !slices.Equal(x.Repeats, []why.Repeat{test.repeat}) {
			t.Errorf("%d frames: %d calls, usual %v, %+v, want %+v", len(test.frames), x.Calls, x.UsualCalls, x.Repeats, test)
		}
	}
}

// A cause may have shares of a frame in several stages. The frame counts once for each argument.
func TestRepeatsOfStages(t *testing.T) {
	const ms = trace.Millisecond
	share := func(stage why.Stage, sources ...string) why.Share {
		s := why.Share{Wait: why.Run, Stage: stage, Slice: "CreateImagePixelMap", Share: 5 * ms}
		for _, x := range sources {
			s.Instances = append(s.Instances, why.Instance{Time: ms, Arguments: []why.Argument{{Name: "source", Value: x}}})
		}
		return s
	}
	frames := []*analyzer.Frame{{VsyncID: 1}, {VsyncID: 2}}
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		frames[0]: {Lost: 5 * ms, Shares: []why.Share{share(why.StageBuild, "a")}},
		frames[1]: {Lost: 10 * ms, Shares: []why.Share{share(why.StageBuild, "b"), share(why.StageLayout, "a", "b")}},
	}}
	want := []why.Repeat{
		{Argument: why.Argument{Name: "source", Value: "a"}, Instances: 2, Frames: 2, Time: 2 * ms},
		{Argument: why.Argument{Name: "source", Value: "b"}, Instances: 2, Frames: 1, Time: 2 * ms},
	}
	late(c)
	must.EqualSlices(t, c.Rank(frames).Costs[0].Repeats, want)
}

// More different arguments than are counted: those that occur first are.
func TestRepeatsOverLimit(t *testing.T) {
	const most, frames, each = 4096, 1000, 5 // instances of a frame; each occurs twice
	rank := func() []why.Repeat {
		c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}}
		var list []*analyzer.Frame
		for i := range 2 * frames {
			f := &analyzer.Frame{VsyncID: int64(i)}
			s := why.Share{Wait: why.Run, Slice: "Decode", Share: 1}
			for n := range each {
				number := i%frames*each + n
				s.Instances = append(s.Instances, why.Instance{Time: trace.Duration(1 + number), Arguments: []why.Argument{{Name: "index", Value: strconv.Itoa(number)}, {Name: "key", Value: strconv.Itoa(number)}}})
			}
			list = append(list, f)
			c.Frames[f] = &why.Explanation{Lost: 1, Shares: []why.Share{s}}
		}
		late(c)
		return c.Rank(list).Costs[0].Repeats
	}
	// Two arguments each: the longest of those that are counted is number 2047.
	if got := rank(); len(got) != why.MaxInstances || got[0].Value != strconv.Itoa(most/2-1) || got[0].Time != most {
		t.Errorf("got %v", got)
	}
}

// A frame that lost more to a cause because of an earlier frame than by itself counts as a knock-on, whichever
// share comes first.
func TestRankKnockOns(t *testing.T) {
	const ms = trace.Millisecond
	frames := []*analyzer.Frame{{VsyncID: 1}, {VsyncID: 2}, {VsyncID: 3}, {VsyncID: 4}}
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}}
	for i, f := range frames {
		own := why.Share{Wait: why.Run, Slice: "Build", Share: 3 * ms}
		earlier := why.Share{Wait: why.EarlierFrame, Share: trace.Duration(i+1) * ms, Earlier: frames[0]}
		e := &why.Explanation{Outcome: why.OneCause, Lost: own.Share + earlier.Share, Shares: []why.Share{own, earlier}}
		switch i {
		case 0:
			e.Lost, e.Shares = own.Share, e.Shares[:1]
		case 3:
			e.Outcome, e.Shares = why.KnockOn, []why.Share{earlier, own}
		}
		c.Frames[f] = e
	}
	late(c)
	// 2 ms of the second, 3 of the third, and 4 of the last frame, which has 3 by itself.
	x := c.Rank(frames).Costs[0]
	if x.KnockOn != 9*ms || x.KnockOns != 1 || len(x.Late) != 4 {
		t.Errorf("%v by knock-on in %d of %d frames, want 9 ms in 1 of 4", x.KnockOn, x.KnockOns, len(x.Late))
	}
}
