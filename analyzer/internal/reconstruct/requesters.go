package reconstruct

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Who asks render_service for vsyncs, and what becomes of them (docs/frames.md 19):
//
//	an application       render_service                                  the application
//	RequestNextVSync ─▶ NAME_RequestNextVSync … SendVsyncTo conn: NAME ─▶ ReceiveVsync name:NAME
//
// The name of a connection is the only thing that the three have in common.

// connection is a name, and what render_service writes about it. Several processes may have connections of one name.
type connection struct {
	name   string
	asked  []analyzer.Ask
	sent   []trace.Time
	asking trace.PID // the process of the threads that write the requests
	// others are vsyncs that are received where frames have markers of their own.
	others []received
}

// received is a vsync that a process received.
type received struct {
	pid  trace.PID
	tid  trace.TID
	line int
	at   trace.Time
}

// connection returns the connection of a name; nil beyond a limit.
func (b *builder) connection(name []byte, e *hitrace.Event) *connection {
	if c := b.connections[string(name)]; c != nil {
		return c
	}
	text, ok := b.text(name, e)
	if !ok {
		return nil
	}
	c := &connection{name: text}
	b.connections[text] = c
	return c
}

func (b *builder) beginVsyncRequested(t *thread, e *hitrace.Event) {
	if c := b.connection(hitrace.ParseVsyncRequested(e.Marker.Label()), e); c != nil && b.mayKeep(&b.kept.requests, e) {
		c.asked, c.asking = append(c.asked, analyzer.Ask{At: e.Time}), t.pid
	}
}

func (b *builder) beginVsyncSent(_ *thread, e *hitrace.Event) {
	if c := b.connection(hitrace.ParseVsyncSent(e.Marker.Label()), e); c != nil && b.mayKeep(&b.kept.requests, e) {
		c.sent = append(c.sent, e.Time)
	}
}

// beginFlutterDamage notes that nothing has changed in the picture that Flutter draws.
func (b *builder) beginFlutterDamage(t *thread, e *hitrace.Event) {
	if d := t.framework(); d != nil && d.frame.Framework == analyzer.Flutter && hitrace.IsUndamaged(e.Marker.Label()) {
		d.unchanged = true
	}
}

// nameless is the connection of a main thread up to 5.0, which does not write its name. The windows of an
// application have one that is named after its process.
const nameless = "WM_%d"

// setRequesters adds the connections to the timeline. It needs the facts of frames, and the layers.
func (b *builder) setRequesters(t *analyzer.Timeline) {
	type key struct {
		name    string
		process *analyzer.Process
	}
	known := map[key]*analyzer.Requester{}
	for _, r := range t.Requesters {
		known[key{r.Name, r.Process}] = r
	}
	receive := map[string][]*analyzer.Requester{} // in this trace
	of := func(name string, p *analyzer.Process) *analyzer.Requester {
		r := known[key{name, p}]
		if r == nil {
			r = &analyzer.Requester{Name: name, Process: p}
			known[key{name, p}] = r
			t.Requesters = append(t.Requesters, r)
		}
		return r
	}
	first := map[*analyzer.Requester]int{} // of its vsyncs in this trace
	add := func(name string, p *analyzer.Process, v analyzer.Received) {
		if p == nil {
			return
		}
		r := of(name, p)
		if _, ok := first[r]; !ok {
			first[r] = len(r.Vsyncs)
			receive[name] = append(receive[name], r)
		}
		r.Vsyncs = append(r.Vsyncs, v)
	}
	flutter := map[received]*analyzer.Frame{} // by process and the time of the vsync
	for _, d := range b.drafts {
		f := d.frame
		switch {
		case d.connection != nil:
			add(d.connection.name, f.Process, b.receivedBy(d))
		case f.Framework == analyzer.Flutter && d.now != 0:
			flutter[received{pid: d.pid, at: trace.Time(d.now)}] = f
		case d.hasVsync && f.Kind == analyzer.RenderFrame:
			add(analyzer.RenderConnection, f.Process, b.receivedBy(d))
		case d.hasVsync && f.Framework == analyzer.Platform:
			add(fmt.Sprintf(nameless, d.pid), f.Process, analyzer.Received{At: f.Actual.Start, TID: f.TID, Frame: f})
		}
	}
	for _, d := range b.frameworks.natives {
		if !d.dropped || d.connection == nil {
			continue
		}
		v := analyzer.Received{At: d.frame.Actual.Start, TID: d.frame.TID, Frame: flutter[received{pid: d.pid, at: trace.Time(d.now)}]}
		if d.receiveEnd > v.At {
			v.Took = d.receiveEnd.Sub(v.At)
			if b.coverage.Switches {
				v.CPUTime = min(d.receiveCPU, v.Took)
			}
		}
		add(d.connection.name, b.lives.at(d.pid, d.line), v)
	}
	for _, c := range b.connections {
		for _, v := range c.others {
			add(c.name, b.lives.at(v.pid, v.line), analyzer.Received{At: v.at, TID: v.tid})
		}
	}
	for r, n := range first {
		slices.SortStableFunc(r.Vsyncs[n:], func(x, y analyzer.Received) int { return cmp.Compare(x.At, y.At) })
	}
	b.setDrew(first)
	for _, c := range b.connections {
		if len(c.asked)+len(c.sent) == 0 {
			continue
		}
		var r *analyzer.Requester
		switch receivers := receive[c.name]; {
		case len(receivers) == 1:
			r = receivers[0]
		case len(receivers) > 1: // nobody knows which of them
			r = of(c.name, nil)
		default:
			r = of(c.name, b.asking(c))
		}
		r.Asked, r.Sent = append(r.Asked, c.asked...), append(r.Sent, c.sent...)
	}
	slices.SortFunc(t.Requesters, func(x, y *analyzer.Requester) int {
		pid := func(r *analyzer.Requester) (trace.PID, trace.Time) {
			if r.Process == nil {
				return trace.UnknownPID, 0
			}
			return r.Process.PID, r.Process.Alive.Start
		}
		a, since := pid(x)
		z, later := pid(y)
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(a, z), cmp.Compare(since, later))
	})
}

// receivedBy returns the vsync of a frame. Render frames have no processor time of their own.
func (b *builder) receivedBy(d *draft) analyzer.Received {
	f := d.frame
	v := analyzer.Received{At: f.Actual.Start, TID: f.TID, Frame: f}
	if b.coverage.Switches && f.Kind == analyzer.RenderFrame && !f.Facts.Has(analyzer.Truncated) {
		v.CPUTime = max(0, min(d.receiveCPU, f.Actual.Duration()))
	}
	return v
}

// asking returns the process that a connection without known vsyncs is of: render_service's own asks on
// its own threads, and the name of one of a window has the process id.
func (b *builder) asking(c *connection) *analyzer.Process {
	pid, at := trace.UnknownPID, trace.Time(0)
	if len(c.asked) > 0 {
		at = c.asked[0].At
	} else if len(c.sent) > 0 {
		at = c.sent[0]
	}
	if c.name == analyzer.RenderConnection {
		pid = c.asking
	} else if n, err := fmt.Sscanf(c.name, nameless, &pid); n != 1 || err != nil || fmt.Sprintf(nameless, pid) != c.name {
		return nil
	}
	return b.lives.atTime(pid, at)
}

// setDrew sets whether the processes drew something until the next vsync, for vsyncs whose frames do not say. The
// numbers are those of the requesters' first vsyncs.
func (b *builder) setDrew(first map[*analyzer.Requester]int) {
	open := func(v *analyzer.Received) bool {
		return v.Outcome() == analyzer.OutcomeUnknown && (v.Frame == nil || v.Frame.Framework != analyzer.Platform)
	}
	requesters := map[trace.PID]int{} // that may have led to a picture which no frame has
	for r, n := range first {
		if slices.ContainsFunc(r.Vsyncs[n:], func(v analyzer.Received) bool { return v.Outcome() != analyzer.NothingSent }) {
			requesters[r.Process.PID]++
		}
	}
	var pictures map[trace.PID][]trace.Time
	var doubtful []trace.Time
	for r, n := range first {
		list := r.Vsyncs[n:]
		for i := range list[:len(list)-1] { // what comes of the last one is after the trace
			v := &list[i]
			if !open(v) {
				continue
			}
			if pictures == nil {
				pictures, doubtful = b.pictures()
			}
			if len(pictures)+len(doubtful) == 0 && !slices.ContainsFunc(b.drafts, func(d *draft) bool { return d.saysEmpty }) {
				return // the trace has no markers of pictures
			}
			within := func(of []trace.Time) bool {
				at, _ := slices.BinarySearch(of, v.At)
				return at < len(of) && of[at] < list[i+1].At
			}
			switch {
			case within(pictures[r.Process.PID]):
				v.Drew, v.Doubtful = analyzer.Yes, requesters[r.Process.PID] > 1
			case within(doubtful):
				v.Drew, v.Doubtful = analyzer.Yes, true
			default:
				v.Drew = analyzer.No
			}
		}
	}
}

// pictures returns two lists of times in order: when processes sent transactions or queued buffers, and when buffers
// were queued whose producer is unknown because no binder call shows it.
func (b *builder) pictures() (of map[trace.PID][]trace.Time, doubtful []trace.Time) {
	of = map[trace.PID][]trace.Time{}
	for _, s := range b.sent {
		of[s.PID] = append(of[s.PID], s.at)
	}
	for _, q := range b.layers.all {
		for _, n := range q.buffers {
			switch {
			case !n.Queued.Known():
			case n.inferred:
				doubtful = append(doubtful, n.Queued)
			default:
				of[n.pid] = append(of[n.pid], n.Queued)
			}
		}
	}
	for _, list := range of {
		slices.Sort(list)
	}
	slices.Sort(doubtful)
	return of, doubtful
}
