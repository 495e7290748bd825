package reconstruct

import (
	"bytes"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Frames of frameworks of OpenHarmony that draw into queues of buffers themselves, and of
// threads that ask for vsyncs themselves (docs/frames.md 16.7):
//
//	UI thread      VsyncProcessCallback ─ Animator::BeginFrame N ─ Animator::Render
//	raster thread                                                        DoDraw N ─▶ a buffer
//
//	compositor     ReceiveBeginFrame ID … SubmitCompositorFrame ID
//
//	any thread     ReceiveVsync ─▶ a buffer
//
// A thread makes one frame at a time: none of them begins within a frame of ArkUI.

// maxSyncs is the maximum number of requests for vsyncs that are stored for a frame. An
// application has a few.
const maxSyncs = 64

// beginDisplaySync notes a request for vsyncs that the open frame serves. Several user
// interfaces of a process may serve it in one frame.
func (b *builder) beginDisplaySync(t *thread, e *hitrace.Event) {
	s, ok := hitrace.ParseDisplaySync(e.Marker.Label())
	if !ok {
		b.diagnostics.add(analyzer.DamagedField, e.Number)
		return
	}
	d := t.frame()
	if d == nil {
		return
	}
	f := d.frame
	i := slices.IndexFunc(f.DisplaySyncs, func(o analyzer.DisplaySync) bool { return o.ID == s.ID && o.Type == s.Type })
	if i < 0 {
		if len(f.DisplaySyncs) >= maxSyncs || !b.mayKeep(&b.kept.syncs, e) {
			return
		}
		i, f.DisplaySyncs = len(f.DisplaySyncs), append(f.DisplaySyncs, s)
	}
	t.open.Keep(openSlice{word: e.Word, start: e.Time, ran: b.ranUntil(t, e), sync: i})
}

// endDisplaySync adds the time of a display sync to that of the frame, which may serve it in several user interfaces.
func (b *builder) endDisplaySync(t *thread, s *openSlice, e *hitrace.Event) {
	d := t.frame()
	if d == nil || s.sync >= len(d.frame.DisplaySyncs) || e.Time < s.start {
		return
	}
	sync := &d.frame.DisplaySyncs[s.sync]
	sync.Took += e.Time.Sub(s.start)
	if !b.running.unknown.Known() || b.running.unknown < s.start {
		sync.CPUTime += max(0, min(b.ranUntil(t, e)-s.ran, e.Time.Sub(s.start)))
	}
}

// Receivers of vsyncs whose frames have markers of their own. Names of ArkWeb's end with its
// process id. Before 5.1 receivers have no names, only ArkWeb's thread does.
var (
	flutterReceiver = []byte("flutterSyncName")
	webThread       = []byte("VSync-webview")
	webReceivers    = [...][]byte{[]byte("NWeb_"), []byte("WebCore_")}
)

// beginNative begins what may be a frame: a vsync on a thread that is no main thread.
func (b *builder) beginNative(t *thread, e *hitrace.Event, v hitrace.Vsync) {
	for _, name := range webReceivers {
		if bytes.HasPrefix(v.Receiver, name) {
			if c := b.connection(v.Receiver, e); c != nil && b.mayKeep(&b.kept.requests, e) {
				c.others = append(c.others, received{t.pid, t.tid, e.Number, e.Time})
			}
			return
		}
	}
	if t.draft != nil || bytes.Equal(e.Comm, webThread) {
		return
	}
	b.push(t, e)
	if b.kept.frames >= b.options.Limits.Frames {
		b.diagnostics.add(analyzer.FramesOver, e.Number)
		t.lastOpen().draft = &draft{native: true, dropped: true, frame: &analyzer.Frame{Framework: analyzer.NativeVsync}}
		return
	}
	b.kept.frames++
	t.truncateWeb(e.Time)
	t.dropNative()
	d := b.draftOf(t, e, e.Time)
	d.native = true
	b.setVsync(d, v, e)
	d.frame.Framework = analyzer.NativeVsync
	if bytes.Equal(v.Receiver, flutterReceiver) {
		d.frame.Framework = analyzer.Flutter
	}
	t.lastOpen().draft = d
	b.frameworks.natives = append(b.frameworks.natives, d)
}

// dropNative notes that the open vsync of a thread leads to a frame with markers of its own.
func (t *thread) dropNative() {
	if d := t.framework(); d != nil && d.native {
		d.dropped = true
	}
}

// beginClientRender notes that ArkUI uses the vsync to draw the window of an application.
func (b *builder) beginClientRender(t *thread, _ *hitrace.Event) { t.dropNative() }

// beginFlutterReceive notes that the vsync is Flutter's. The trace may lack the receiver's name.
func (b *builder) beginFlutterReceive(t *thread, _ *hitrace.Event) {
	if d := t.framework(); d != nil && d.native {
		d.frame.Framework = analyzer.Flutter
	}
}

// beginFlutterVsync keeps the time of the vsync for the frame within.
func (b *builder) beginFlutterVsync(t *thread, e *hitrace.Event) {
	now, damaged := hitrace.ParseFlutterVsync(e.Marker.Label())
	b.diagnostics.addIfDamaged(damaged, e)
	b.push(t, e)
	t.lastOpen().now = now
}

func (b *builder) beginFlutterFrame(t *thread, e *hitrace.Event) {
	if t.draft != nil {
		return
	}
	number, damaged := hitrace.ParseFlutterNumber(e.Marker.Label())
	b.diagnostics.addIfDamaged(damaged, e)
	d := b.newFrameworkDraft(t, e, analyzer.Flutter, 0)
	d.drawsNothing = true
	if i := t.indexOpen(hitrace.FlutterVsync); i >= 0 {
		d.now = t.open.At(i).now
	}
	if number != 0 {
		b.frameworks.add(frameKey{t.pid, number}, d)
	}
}

func (b *builder) beginFlutterRender(t *thread, _ *hitrace.Event) {
	if i := t.indexOpen(hitrace.FlutterFrame); i >= 0 {
		t.open.At(i).draft.drawsNothing = false
	}
}

// beginFlutterDraw begins the drawing of a frame, which has the frame's number. If drawing fails,
// Flutter draws the frame again.
func (b *builder) beginFlutterDraw(t *thread, e *hitrace.Event) {
	number, damaged := hitrace.ParseFlutterNumber(e.Marker.Label())
	b.diagnostics.addIfDamaged(damaged, e)
	d := b.frameworks.frames[frameKey{t.pid, number}]
	if d == nil || d.frame.Framework != analyzer.Flutter {
		return
	}
	b.push(t, e)
	t.lastOpen().draft = d
}

func (b *builder) endFlutterDraw(t *thread, s *openSlice, e *hitrace.Event) {
	s.draft.drawsNothing = false
	b.endDrawFrames(t, s, e)
}

// truncateWeb truncates the open frame of ArkWeb, because its end is missing.
func (t *thread) truncateWeb(at trace.Time) {
	if d := t.web; d != nil {
		d.frame.Facts |= analyzer.Truncated
		d.handled = at
		t.web = nil
	}
}

// webFrame returns the open frame that a marker of ArkWeb is of, nil if none is.
func (t *thread) webFrame(e *hitrace.Event) *draft {
	if d := t.web; d != nil && d.webID == hitrace.ParseWebFrame(e.Marker.Label()) {
		return d
	}
	return nil
}

// beginWebFrame begins a frame, which is no slice: the thread may do other things before it
// submits the frame. Two pages on one thread have frames with the same id.
func (b *builder) beginWebFrame(t *thread, e *hitrace.Event) {
	if t.draft != nil || t.framework() != nil {
		return
	}
	id := hitrace.ParseWebFrame(e.Marker.Label())
	if id != 0 && t.web != nil && t.web.webID == id {
		return
	}
	d := b.newDraft(t, e, e.Time)
	d.frame.Framework, d.webID = analyzer.Web, id
	t.web = d
}

// beginWebSubmit begins the last slice of a frame.
func (b *builder) beginWebSubmit(t *thread, e *hitrace.Event) {
	if d := t.webFrame(e); d != nil {
		b.push(t, e)
		t.lastOpen().draft = d
	}
}

func (b *builder) endWebSubmit(t *thread, s *openSlice, e *hitrace.Event) {
	if s.draft == t.web {
		b.endFrameworkFrame(t, s, e)
		t.web = nil
	}
}

// beginWebSkip ends a frame that has nothing to draw.
func (b *builder) beginWebSkip(t *thread, e *hitrace.Event) {
	if d := t.webFrame(e); d != nil {
		d.drawsNothing = true
		d.handled, d.handledCPU = e.Time, b.cpuTime(d, t, e)
		t.web = nil
	}
}

// addNatives makes frames of the vsyncs on threads that are no main threads, in processes that
// produce buffers. Others are of services, which draw nothing.
func (b *builder) addNatives() {
	type vsync struct {
		pid trace.PID
		now trace.Monotonic
	}
	produces := b.producers()
	received := map[vsync]*draft{}
	n := len(b.drafts)
	for _, d := range b.frameworks.natives {
		switch {
		case d.frame.Framework == analyzer.Flutter:
			d.dropped = true
			received[vsync{d.pid, d.now}] = d
		case !produces[d.pid]:
			d.dropped = true
		case !d.dropped:
			b.drafts = append(b.drafts, d)
		}
	}
	if len(b.drafts) > n {
		b.sortDrafts()
	}
	for _, d := range b.drafts {
		if d.frame.Framework != analyzer.Flutter || d.now == 0 {
			continue
		}
		// The thread that receives the vsync writes its id and period.
		if v := received[vsync{d.pid, d.now}]; v != nil {
			d.frame.VsyncID = v.frame.VsyncID
			if period := trace.Duration(v.expectedEnd - v.now); period > 0 && period <= maxAstray {
				d.frame.Period = period
			}
		}
	}
}

// producers returns the processes that draw the buffers of the trace, without render_service.
func (b *builder) producers() map[trace.PID]bool {
	produces := map[trace.PID]bool{}
	for _, q := range b.layers.all {
		if q.own {
			continue
		}
		if p := q.producer(b.lives); p != nil {
			produces[p.PID] = true
		}
		for _, n := range q.buffers {
			if n.pid != trace.UnknownPID && n.pid != q.pid {
				produces[n.pid] = true
			}
		}
	}
	for _, d := range b.drafts {
		if d.composed || d.receiverIsRS || d.processed {
			delete(produces, d.pid)
		}
	}
	return produces
}
