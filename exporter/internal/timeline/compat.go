package timeline

import (
	"slices"
	"strconv"

	"ohframe/analyzer"
	"ohframe/internal/perfettopb"
)

// Perfetto's standard library and metrics for Android search by name. They expect
// SurfaceFlinger's process name for the process that composes, and find an application's
// frames by slices on its threads, which are named after a stage and the frame's token:
//
//	Choreographer#doFrame 10033   the UI thread's work: the frame's actual interval
//	DrawFrame 10033               the render thread's work
//
// An application of OpenHarmony has no render thread, because render_service draws.
// DrawFrame has length zero and is at the end of the frame, so that all sums of the
// library equal the frame's times.
//
// android.frames.per_frame_metrics joins by token only. On Android a token is unique to a
// process's frame. On OpenHarmony all applications count vsyncs alike, so the module
// confuses applications that drew on the same vsync.

// CompatProcesses returns the trace's processes, those with render frames under
// the name of Android's.
func CompatProcesses(t *analyzer.Timeline) []*analyzer.Process {
	composes := map[*analyzer.Process]bool{}
	for _, f := range t.Frames {
		composes[f.Process] = composes[f.Process] || f.Kind == analyzer.RenderFrame
	}
	list := slices.Clone(t.Processes)
	for i, p := range list {
		if composes[p] {
			list[i] = &analyzer.Process{PID: p.PID, Name: analyzer.SurfaceFlinger, Threads: p.Threads, Alive: p.Alive}
		}
	}
	return list
}

// writeCompatSlices writes the slices for application frames. They are on separate
// tracks: on the threads' own, their ends could be matched with markers of the same time.
func writeCompatSlices(w *trackWriter, t *analyzer.Timeline, tokens Tokens) {
	threads := map[processThread]*lanes{}
	var s slice
	for f := range t.Complete() {
		if f.Kind != analyzer.ApplicationFrame {
			continue
		}
		tracks := threads[processThread{f.Process, f.TID}]
		if tracks == nil {
			track := w.thread(f.Process, f.TID, nil)
			tracks = &lanes{more: func() uint64 {
				return w.describe(&perfettopb.TrackDescriptor{
					ParentUuid:          &track,
					StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: "Android frames"},
				})
			}}
			threads[processThread{f.Process, f.TID}] = tracks
		}
		track := tracks.track(f.Actual)
		s.Interval = f.Actual
		s.name = strconv.AppendInt(append(s.name[:0], "Choreographer#doFrame "...), tokens[f], 10)
		w.slice(track, &s)
		s.Start = s.End
		s.name = strconv.AppendInt(append(s.name[:0], "DrawFrame "...), tokens[f], 10)
		w.slice(track, &s)
	}
}
