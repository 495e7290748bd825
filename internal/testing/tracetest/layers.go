package tracetest

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// The ids of the processes in Layers.
const (
	layersRender = 100
	layersApp    = 200
	layersPlayer = 300
)

// layerPeriod is the refresh period in Layers.
const layerPeriod = 10 * trace.Millisecond

// Layers returns a timeline of frames of frameworks, and of layers with buffers of all fates. The
// number k of a vsync is that of its frames, which begin a millisecond after k periods and a
// second. What is shown in render frame k is displayed two periods after its vsync.
//
//	layer                  producer       buffers
//	video                  player         every third vsync, taken on the next; 5 late, 6 early, 8 dropped, the last waits
//	com.example.app/Main   app            of Choreographer; frame 4 is late on the GPU, 6 on its threads, 7 does not exist
//	game                   player         of a thread with its own vsyncs, which queues within its frames; no ids
//	video                  player         another of the name, whose buffers are never taken
//	hidden                 unknown        a buffer that was shown, without a present time
//	remote                 not in trace   a buffer that was asked for only
func Layers() *analyzer.Timeline {
	process := func(pid trace.PID, name string, threads ...trace.TID) *analyzer.Process {
		p := &analyzer.Process{PID: pid, Name: name, Threads: []analyzer.Thread{{TID: trace.TID(pid), Name: name[max(0, len(name)-analyzer.KernelName):]}}}
		for _, tid := range threads {
			p.Threads = append(p.Threads, analyzer.Thread{TID: tid, Name: "worker"})
		}
		return p
	}
	rs := process(layersRender, "render_service")
	app := process(layersApp, "com.example.app", 205)
	player := process(layersPlayer, "com.example.player", 301)
	const last = 40
	vsync := func(k int64) trace.Time { return trace.Time(trace.Second) + trace.Time(k)*trace.Time(layerPeriod) }
	at := func(k int64, tenths int64) trace.Time {
		return vsync(k).Add(trace.Duration(tenths) * trace.Millisecond / 10)
	}
	t := &analyzer.Timeline{
		Processes: []*analyzer.Process{rs, app, player},
		Span:      analyzer.Interval{Start: at(-1, 0), End: at(last+3, 0)},
	}
	var renders []*analyzer.Frame
	add := func(f *analyzer.Frame) *analyzer.Frame {
		f.Judge()
		t.Frames = append(t.Frames, f)
		return f
	}
	taken := func(f *analyzer.Frame, index int64, queued trace.Time, k int64) {
		f.Transactions = []analyzer.Sent{{Index: index, At: queued, AppliedBy: renders[k]}}
		f.Render = renders[k]
		renders[k].Applications = append(renders[k].Applications, f)
	}
	for k := range int64(last + 1) {
		renders = append(renders, &analyzer.Frame{
			Kind: analyzer.RenderFrame, Process: rs, TID: layersRender, VsyncID: 5000 + k, Vsync: vsync(k), Period: layerPeriod,
			Actual: analyzer.Interval{Start: at(k, 10), End: at(k, 40)}, Expected: analyzer.Interval{Start: vsync(k), End: at(k, 100)}, Deadline: at(k, 100),
			Commit: analyzer.Interval{Start: at(k, 50), End: at(k, 60)}, Present: at(k, 200), PresentEstimated: k == 3,
		})
	}
	layer := func(name string, queue int64, p *analyzer.Process, framework analyzer.Framework) *analyzer.Layer {
		l := &analyzer.Layer{ID: len(t.Layers) + 1, Name: name, Queue: queue, Process: p, Framework: framework}
		t.Layers = append(t.Layers, l)
		return l
	}
	queue := func(l *analyzer.Layer, b analyzer.Buffer) *analyzer.Buffer {
		b.Layer = l
		l.Buffers = append(l.Buffers, &b)
		return &b
	}
	// show makes render frame k show a buffer.
	show := func(b *analyzer.Buffer, k int64) {
		b.Fate, b.Acquired, b.Render = analyzer.Shown, at(k, 20), renders[k]
		b.Present, b.PresentEstimated = renders[k].Present, renders[k].PresentEstimated
	}

	video := layer("video", 7001, player, analyzer.Platform)
	for n := range int64(13) {
		k := 3 * n
		b := queue(video, analyzer.Buffer{Sequence: 1 + n%5, TID: 305, Requested: analyzer.Interval{Start: at(k, -60), End: at(k, -50)}, Queued: at(k, 20), Ready: at(k, 50)})
		switch n {
		case 5:
			show(b, k+2)
		case 8:
			b.Fate = analyzer.Discarded
		case 12:
		default:
			show(b, k+1)
		}
	}
	main := layer("com.example.app/Main", 7002, app, analyzer.Choreographer)
	game := layer("game", 0, player, analyzer.NativeVsync)
	for k := range int64(last) {
		add(renders[k])
		if k == 7 {
			continue
		}
		f := &analyzer.Frame{
			Process: app, TID: layersApp, VsyncID: 900 + k, Vsync: vsync(k), Period: layerPeriod, Framework: analyzer.Choreographer,
			Actual: analyzer.Interval{Start: at(k, 10), End: at(k, 30)}, Expected: analyzer.Interval{Start: vsync(k), End: at(k, 100)}, Deadline: at(k, 100),
			Draw: analyzer.Interval{Start: at(k, 35), End: at(k, 60)}, DrawTID: 205, CPUTime: 1500 * trace.Microsecond,
			DisplaySyncs: []analyzer.DisplaySync{{ID: 3, Type: analyzer.AnimatorSync}, {ID: 9, Type: analyzer.CallbackSync}},
		}
		queued, ready, by := at(k, 50), at(k, 70), k+1
		switch k {
		case 4:
			f.Draw.End, queued, ready = at(k, 95), at(k, 90), at(k, 115)
		case 6:
			f.Actual.End, f.Draw, queued, ready, by = at(k, 120), analyzer.Interval{Start: at(k, 125), End: at(k, 150)}, at(k, 140), at(k, 160), k+2
		}
		f.GPU = []analyzer.Interval{{Start: queued, End: ready}}
		taken(f, 10+k, queued, by)
		add(f)
		b := queue(main, analyzer.Buffer{Sequence: 10 + k, TID: 205, Queued: queued, Ready: ready, Frame: f})
		show(b, by)
		if k%2 > 0 {
			continue
		}
		g := &analyzer.Frame{Process: player, TID: 301, Framework: analyzer.NativeVsync, Actual: analyzer.Interval{Start: at(k, 10), End: at(k, 60)}, Period: layerPeriod}
		taken(g, 0, at(k, 55), k+1)
		add(g)
		show(queue(game, analyzer.Buffer{TID: 301, Queued: at(k, 55), Frame: g}), k+1)
	}
	add(renders[last])
	again := layer("video", 7003, player, analyzer.Platform)
	for n := range int64(3) {
		queue(again, analyzer.Buffer{Sequence: 40 + n, Queued: at(30+2*n, 0)})
	}
	hidden := queue(layer("hidden", 7004, nil, analyzer.Platform), analyzer.Buffer{Queued: at(20, 0), Sequence: 50})
	hidden.Fate, hidden.Acquired, hidden.Render = analyzer.Shown, at(21, 20), renders[21]
	remote := layer("remote", 0, &analyzer.Process{PID: trace.UnknownPID, NoPID: true, Name: "com.example.remote"}, analyzer.Platform)
	queue(remote, analyzer.Buffer{Requested: analyzer.Interval{Start: at(10, 0), End: at(10, 30)}})
	t.JudgeLayers()
	return t
}
