package reconstruct

import (
	"bytes"
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// launches follows the starts of applications:
//
//	mmi_service   report touch ──▶
//	launcher                      dispatch touch ─▶ start ability ──▶
//	foundation                                                       load ability ─▶ attach (a new process) ─▶
//	application                                                                                               launch ability ─▶ foreground
//
// Only the last three name the bundle. What comes before belongs to them in order.
type launches struct {
	ups     []touch             // the last reports of mmi_service that a finger leaves
	touches map[trace.PID]touch // the last one that each process dispatched
	starts  []start             // that no later stage has used
	loads   []*load
	open    []*launch // attached, without the application
	all     []*launch
}

// bundles are the full names of applications in a trace.
type bundles struct {
	names []string // in order
	known map[string]bool
	ofPID map[trace.PID]string // that a process itself writes
}

func (l *bundles) add(name string) {
	if !l.known[name] {
		l.known[name] = true
		l.names = append(l.names, name)
	}
}

// touch is an event of a touch, with the id that it has in all processes; 0 if unknown.
type touch struct {
	id int64
	at trace.Time
}

// start is the start of an ability. finger is when the finger left, if the touch is that.
type start struct {
	finger, touch, at trace.Time
}

// load is the loading of an ability.
type load struct {
	start
	thread  *thread
	at      trace.Time
	process bool // for a new process
}

// launch is a launch under construction.
type launch struct {
	bundle   string
	pid      trace.PID
	stages   []analyzer.LaunchStage
	cold     bool
	launched bool // the ability was made
	at       trace.Time
	done     bool
}

// maxTap is the maximum time from when the launcher gets a touch until it starts an application because of it, and from
// when the input service gets it until the launcher does: ids of touches are used again. ArkUI's performance monitor does not
// count an older touch as the reason of what happens (docs/frames.md 15.3).
const maxTap = 600 * trace.Millisecond

// maxStage is the maximum time from a stage of a launch to the next.
const maxStage = 10 * trace.Second

// Names of the stages, as trace_streamer has them.
const (
	touchStage      = "ProcessTouchEvent"
	startStage      = "StartUIAbilityBySCB"
	loadStage       = "LoadAbility"
	attachStage     = "Application Launching"
	launchStage     = "UI Ability Launching"
	foregroundStage = "UI Ability OnForeground"
)

func (b *builder) beginTouchReport(_ *thread, e *hitrace.Event) {
	l := &b.interactions.launches
	if id, up := hitrace.ParseTouch(e.Marker.Label()); up && id > 0 {
		l.ups = lastPending(append(l.ups, touch{id, e.Time}))
	}
}

func (b *builder) beginTouchDispatch(t *thread, e *hitrace.Event) {
	id, _ := hitrace.ParseTouch(e.Marker.Label())
	b.interactions.launches.touches[t.pid] = touch{id, e.Time}
	t.beginTask(e)
}

// up returns when mmi_service reported that the finger of a touch left; zero if the touch is not that.
func (l *launches) up(of touch) trace.Time {
	for _, up := range slices.Backward(l.ups) {
		if up.id == of.id && up.at <= of.at && of.at.Sub(up.at) <= maxTap {
			return up.at
		}
	}
	return 0
}

func (b *builder) beginStartAbility(t *thread, e *hitrace.Event) {
	l := &b.interactions.launches
	if !b.mayKeep(&b.kept.interactions, e) {
		return
	}
	s := start{at: e.Time}
	last := l.touches[t.pid]
	if !last.at.Known() { // up to 4.0 a service starts it, which receives no touches
		for _, other := range l.touches {
			if other.at > last.at {
				last = other
			}
		}
	}
	if last.at.Known() && e.Time.Sub(last.at) <= maxStage {
		s.touch = last.at
		if e.Time.Sub(last.at) <= maxTap {
			s.finger = l.up(last)
		}
	}
	l.starts = lastPending(append(l.starts, s))
}

// maxPending is how many starts and loads wait for their next stage at most. A device starts
// a few applications at once.
const maxPending = 64

// lastPending removes the first of a list that is too long.
func lastPending[T any](list []T) []T { return list[max(0, len(list)-maxPending):] }

// takeStart returns the first start that is not older than a stage may be, and forgets it.
func (l *launches) takeStart(at trace.Time) (s start) {
	l.starts = slices.DeleteFunc(l.starts, func(s start) bool { return at.Sub(s.at) > maxStage })
	if len(l.starts) > 0 {
		s, l.starts = l.starts[0], l.starts[1:]
	}
	return s
}

func (b *builder) beginLoadAbility(t *thread, e *hitrace.Event) {
	if l := &b.interactions.launches; b.mayKeep(&b.kept.interactions, e) {
		l.loads = lastPending(append(l.loads, &load{start: l.takeStart(e.Time), thread: t, at: e.Time}))
	}
}

// beginLoadNewProcess notes that the load on the same thread is for a new process.
func (b *builder) beginLoadNewProcess(t *thread, _ *hitrace.Event) {
	for _, load := range slices.Backward(b.interactions.launches.loads) {
		if load.thread == t {
			load.process = true
			return
		}
	}
}

// takeLoad removes the first load for a new process, or the last one for a process that
// exists, and returns it. It returns nil without such a load.
func (l *launches) takeLoad(at trace.Time, process bool) *load {
	l.loads = slices.DeleteFunc(l.loads, func(load *load) bool { return at.Sub(load.at) > maxStage })
	known := slices.ContainsFunc(l.loads, func(load *load) bool { return load.process })
	index := -1
	for i, load := range l.loads {
		if load.process == process || process && !known {
			index = i
			if process {
				break
			}
		}
	}
	if index < 0 {
		return nil
	}
	taken := l.loads[index]
	l.loads = slices.Delete(l.loads, index, index+1)
	return taken
}

// newLaunch adds a launch that begins with the stages of a start.
func (b *builder) newLaunch(bundle string, s start) *launch {
	n := &launch{bundle: bundle, pid: trace.UnknownPID}
	if s.finger.Known() {
		n.add(analyzer.FingerUp, s.finger)
	}
	if s.touch.Known() {
		n.add(touchStage, s.touch)
	}
	if s.at.Known() {
		n.add(startStage, s.at)
	}
	b.interactions.launches.all = append(b.interactions.launches.all, n)
	return n
}

// add adds a stage. Lines of several processors may be slightly out of order.
func (n *launch) add(stage string, at trace.Time) {
	at = max(at, n.at)
	n.stages = append(n.stages, analyzer.LaunchStage{Name: stage, Begin: at})
	n.at = at
}

// bundle returns the name of the bundle in a marker of a launch; empty if it has none.
func (b *builder) bundle(e *hitrace.Event) string {
	name, ok := b.text(hitrace.ParseBundle(e.Marker.Label()), e)
	if ok && name != "" {
		b.interactions.bundles.add(name)
	}
	return name
}

func (b *builder) beginAttachApplication(_ *thread, e *hitrace.Event) {
	bundle := b.bundle(e)
	if bundle == "" || !b.mayKeep(&b.kept.interactions, e) {
		return
	}
	l := &b.interactions.launches
	var s start
	load := l.takeLoad(e.Time, true)
	if load != nil {
		s = load.start
	}
	n := b.newLaunch(bundle, s)
	n.cold = true
	if load != nil {
		n.add(loadStage, load.at)
	}
	n.add(attachStage, e.Time)
	l.open = lastPending(append(l.open, n))
}

func (b *builder) beginLaunchAbility(t *thread, e *hitrace.Event) {
	bundle := b.bundle(e)
	if bundle == "" || t.pid == trace.UnknownPID || !b.mayKeep(&b.kept.interactions, e) {
		return
	}
	l := &b.interactions.launches
	b.interactions.bundles.ofPID[t.pid] = bundle
	l.open = slices.DeleteFunc(l.open, func(n *launch) bool { return e.Time.Sub(n.at) > maxStage })
	var n *launch
	if at := slices.IndexFunc(l.open, func(n *launch) bool { return n.bundle == bundle }); at >= 0 {
		n = l.open[at]
		l.open = slices.Delete(l.open, at, at+1)
	} else {
		var s start
		if load := l.takeLoad(e.Time, false); load != nil {
			s = load.start
		} else {
			s = l.takeStart(e.Time)
		}
		n = b.newLaunch(bundle, s)
	}
	n.pid, n.launched = t.pid, true
	n.add(launchStage, e.Time)
}

// beginForegroundAbility adds a stage to the launch of the process. Without one, and after a
// start, it is the launch of an ability that existed; without a start it is a change of the
// state of the ability, such as to the background.
func (b *builder) beginForegroundAbility(t *thread, e *hitrace.Event) {
	if t.pid == trace.UnknownPID {
		return
	}
	if bytes.ContainsRune(hitrace.ParseBundle(e.Marker.Label()), '.') {
		b.bundle(e) // mostly it has the name of the ability
	}
	l := &b.interactions.launches
	for _, n := range slices.Backward(lastPending(l.all)) {
		if n.pid == t.pid && !n.done && e.Time.Sub(n.at) <= maxStage {
			n.add(foregroundStage, e.Time)
			n.done = true
			return
		}
	}
	if s := l.takeStart(e.Time); s.at.Known() && b.mayKeep(&b.kept.interactions, e) {
		n := b.newLaunch("", s)
		n.pid, n.done = t.pid, true
		n.add(foregroundStage, e.Time)
	}
}

// started reports whether the trace has the stage in which the launch starts.
func (n *launch) started() bool {
	return slices.Contains([]string{analyzer.FingerUp, touchStage, startStage}, n.stages[0].Name)
}

// beginCut reports whether the launch may have started before the trace begins.
func (n *launch) beginCut(begin trace.Time) bool {
	return !n.started() && n.stages[0].Begin.Sub(begin) <= maxStage
}

func (b *builder) setLaunches(t *analyzer.Timeline) {
	// In some traces no launch has a stage in which it starts.
	unmarked := slices.ContainsFunc(b.interactions.launches.all, func(n *launch) bool { return !n.started() && !n.beginCut(b.span.Start) })
	for _, n := range b.interactions.launches.all {
		i := &analyzer.Interaction{
			Kind: analyzer.LaunchInteraction, Scene: analyzer.HotLaunch, Process: b.lives.atTime(n.pid, n.at), Explicit: true,
			Begin: n.stages[0].Begin, Stages: n.stages,
		}
		switch {
		case n.cold:
			i.Scene = analyzer.ColdLaunch
		case n.launched:
			i.Scene = analyzer.WarmLaunch
		}
		if i.Process == nil {
			i.Process = &analyzer.Process{PID: trace.UnknownPID, NoPID: true, Name: n.bundle}
			i.Reasons |= analyzer.ReasonProcessUnseen
		}
		if n.beginCut(b.span.Start) && !unmarked {
			i.Begin = 0
			i.Reasons |= analyzer.ReasonBeginCut
		}
		limit := n.at.Add(maxStage)
		if limit > b.span.End {
			i.Reasons |= analyzer.ReasonEndCut
		}
		i.Observed = analyzer.Interval{Start: n.stages[0].Begin, End: min(limit, b.span.End)}
		t.Interactions = append(t.Interactions, i)
	}
}

// fullNames returns the full names of applications by what traces keep of them: first those
// that the caller knows, then the bundles of launches and scenes.
func (in *input) fullNames() map[string]string {
	full := map[string]string{}
	add := func(names []string, kept int) {
		for _, name := range names {
			if len(name) <= kept {
				continue
			}
			if end := name[len(name)-kept:]; full[end] == "" {
				full[end] = name
			}
		}
	}
	add(in.options.FullNames, analyzer.KernelName)
	add(in.options.FullNames, ownName)
	for _, b := range in.builders {
		add(b.interactions.bundles.names, analyzer.KernelName)
	}
	return full
}

// bundleOf returns the full name of a process: the one that the process itself writes at its
// launch, or the one in full. Otherwise it returns name.
func (in *input) bundleOf(pid trace.PID, name string, full map[string]string) string {
	for _, b := range in.builders {
		if bundle := b.interactions.bundles.ofPID[pid]; bundle != "" && isBundle(cmp.Or(name, bundle), bundle) && len(bundle) > len(name) {
			return bundle
		}
	}
	return cmp.Or(full[name], name)
}
