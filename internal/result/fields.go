package result

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
)

// The functions below describe the messages of protos/ohframe/result.proto, each for a
// type of the model. New fields go to the end of a message.

func describeTimeline(m *message, t *analyzer.Timeline) {
	list(m, 1, &t.Processes, func(m *message, p **analyzer.Process) {
		if *p == nil {
			*p = &analyzer.Process{}
		}
		describeProcess(m, *p)
	})
	if !m.writing {
		m.process = map[*analyzer.Process]int{}
	}
	for i, p := range t.Processes {
		m.process[p] = i
	}
	origin := t.Origin()
	m.time(2, &origin)
	m.interval(3, &t.Span)
	if !m.writing && origin.Known() && origin < t.Span.Start { // that is what Cut did
		start := t.Span.Start
		t.Span.Start = origin
		t.Cut(start, trace.MaxTime)
	}
	m.message(5, true, func(m *message) { describeClock(m, &t.Clock) })
	list(m, 6, &t.Parts, func(m *message, p *analyzer.Part) {
		m.interval(1, &p.Span)
		m.message(3, true, func(m *message) { describeClock(m, &p.Clock) })
	})
	list(m, 7, &t.ClockChanges, func(m *message, c *analyzer.ClockChange) {
		enum(m, 1, &c.Kind, int(analyzer.ClockUnsteady)+1)
		m.time(2, &c.At)
		count(m, 3, &c.Line)
		m.duration(4, &c.By)
		m.flag(5, &c.Corrected)
	})
	m.message(8, true, func(m *message) { describeCoverage(m, &t.Coverage) })
	m.time(9, &t.Wall.At)
	integer(m, 10, &t.Wall.Unix)
	m.message(11, true, func(m *message) { describeDiagnostics(m, &t.Diagnostics) })
	m.flag(12, &t.Dump)
	list(m, 13, &t.Interactions, func(m *message, i **analyzer.Interaction) {
		if *i == nil {
			*i = &analyzer.Interaction{}
		}
		describeInteraction(m, *i)
	})
	list(m, 14, &t.Hangs, func(m *message, h *analyzer.Hang) {
		m.processOf(1, &h.Process)
		m.interval(2, &h.Interval)
		m.text(4, &h.Slice)
		enum(m, 5, &h.BeginCut, int(analyzer.WindowEdge)+1)
		enum(m, 6, &h.EndCut, int(analyzer.WindowEdge)+1)
	})
	list(m, 15, &t.Builds, func(m *message, b *analyzer.Build) {
		m.processOf(1, &b.Process)
		m.interval(2, &b.Interval)
		m.text(4, &b.Component)
		m.flag(5, &b.Reused)
	})
	list(m, 16, &t.StateChanges, func(m *message, c *analyzer.StateChange) {
		m.processOf(1, &c.Process)
		m.time(2, &c.At)
		m.text(3, &c.Component)
		m.text(4, &c.Variable)
		count(m, 5, &c.Nodes)
	})
	list(m, 17, &t.Summaries, func(m *message, s **analyzer.Summary) {
		if *s == nil {
			*s = &analyzer.Summary{}
		}
		describeSummary(m, *s)
	})
	list(m, 18, &t.Blocks, func(m *message, b *analyzer.Block) {
		m.processOf(1, &b.Process)
		m.interval(2, &b.Interval)
	})
}

func describeSummary(m *message, s *analyzer.Summary) {
	m.processOf(1, &s.Process)
	count(m, 2, &s.Frames)
	for n, v := range []**int{&s.Janky, &s.P50, &s.P90, &s.P95, &s.P99, &s.MissedVsync, &s.HighInputLatency, &s.SlowUI, &s.SlowUploads, &s.SlowDraw, &s.MissedDeadline} {
		optional(m, protowire.Number(3+n), v, func(m *message, v *int) { count(m, 1, v) })
	}
	list(m, 14, &s.Histogram, func(m *message, b *analyzer.SummaryBucket) {
		count(m, 1, &b.Name)
		count(m, 2, &b.Frames)
	})
	m.flag(15, &s.Filtered)
}

// describeInteraction describes an interaction without what Timeline.ShowInteractions sets.
func describeInteraction(m *message, i *analyzer.Interaction) {
	count(m, 1, &i.ID)
	enum(m, 2, &i.Kind, int(analyzer.LaunchInteraction)+1)
	m.text(3, &i.Scene)
	m.processOrName(4, &i.Process)
	m.text(7, &i.Page)
	enum(m, 8, &i.Input, int(analyzer.LastDown)+1)
	m.time(9, &i.InputAt)
	m.time(10, &i.Begin)
	m.time(11, &i.End)
	m.interval(12, &i.Observed)
	m.flag(14, &i.Explicit)
	m.flag(15, &i.Interrupted)
	m.flag(16, &i.TimedOut)
	m.time(17, &i.Tail)
	optional(m, 18, &i.Device, func(m *message, d *analyzer.DeviceFigures) {
		for n, v := range []**float64{&d.ResponseMS, &d.CompletionMS, &d.HitchRatio, &d.MaxFrameMS, &d.FPS} {
			optional(m, protowire.Number(1+n), v, func(m *message, v *float64) { m.float(1, v) })
		}
	})
	list(m, 19, &i.Stages, func(m *message, s *analyzer.LaunchStage) {
		m.text(1, &s.Name)
		m.time(2, &s.Begin)
		m.time(3, &s.End)
	})
	enum(m, 20, &i.Reasons, analyzer.ReasonsEnd)
}

func describeProcess(m *message, p *analyzer.Process) {
	count(m, 1, &p.PID)
	m.flag(2, &p.NoPID)
	m.text(3, &p.Name)
	list(m, 4, &p.Threads, func(m *message, t *analyzer.Thread) {
		count(m, 1, &t.TID)
		m.text(2, &t.Name)
		m.time(3, &t.Since)
	})
	m.interval(5, &p.Alive)
}

func describeClock(m *message, c *analyzer.ClockOffset) {
	m.duration(1, &c.Offset)
	enum(m, 2, &c.Source, int(analyzer.ClockGiven)+1)
	count(m, 3, &c.Samples)
	m.duration(4, &c.Measured)
	m.duration(5, &c.Lag)
	m.duration(6, &c.Contradicted)
	m.duration(7, &c.ContradictedByMarkers)
	m.duration(8, &c.Overruled)
	m.float(9, &c.Drift)
	integer(m, 10, &c.From)
	m.duration(11, &c.Step)
	count(m, 12, &c.Ahead)
	m.duration(13, &c.AheadBy)
}

func describeCoverage(m *message, c *analyzer.Coverage) {
	missing := func(m *message, v *analyzer.Missing) {
		count(m, 1, &v.Count)
		m.duration(2, &v.Total)
		m.time(3, &v.At)
	}
	m.message(1, true, func(m *message) { missing(m, &c.Gaps) })
	m.message(2, true, func(m *message) { missing(m, &c.Silent) })
	count(m, 3, &c.SilentCPU)
	m.message(4, true, func(m *message) { missing(m, &c.Stopped) })
	count(m, 5, &c.StoppedCPU)
	count(m, 6, &c.CPUs)
	m.flag(7, &c.Switches)
	m.flag(8, &c.Frequencies)
}

func describeDiagnostics(m *message, d *analyzer.Diagnostics) {
	list(m, 1, &d.Counts, func(m *message, c *analyzer.DiagnosticCount) {
		enum(m, 1, &c.Diagnostic, int(analyzer.RecordsOver)+1)
		count(m, 2, &c.Total)
		describeNumbers(m, 3, &c.Lines)
	})
	list(m, 2, &d.MissingMarkers, func(m *message, name *string) { m.text(1, name) })
	enum(m, 3, &d.Recorded, analyzer.RecordedCount)
	list(m, 4, &d.MissingTags, func(m *message, name *string) { m.text(1, name) })
}

func describeWarning(m *message, w *trace.Warning) {
	m.text(1, &w.Text)
	enum(m, 2, &w.Code, trace.WarningCodes)
	count(m, 3, &w.Count)
	describeNumbers(m, 4, &w.Lines)
}

// describeNumbers describes a list of numbers.
func describeNumbers(m *message, number protowire.Number, values *[]int) {
	list(m, number, values, func(m *message, v *int) { count(m, 1, v) })
}

func describeTotals(m *message, t *hitrace.Totals) {
	count(m, 1, &t.Lines)
	count(m, 2, &t.Events)
	count(m, 3, &t.Outside)
	counts, ignored, logged := t.Problems.Counts(), t.Problems.Ignored(), t.Problems.Logged()
	list(m, 4, &counts, func(m *message, c *hitrace.Count) {
		integer(m, 1, &c.Problem)
		count(m, 2, &c.Total)
		describeNumbers(m, 3, &c.Lines)
	})
	count(m, 5, &ignored)
	count(m, 6, &logged)
	if !m.writing {
		t.Problems = hitrace.RestoreProblems(counts, ignored, logged)
	}
	count(m, 7, &t.Lost)
	count(m, 8, &t.Overwritten)
	count(m, 9, &t.Entries)
	count(m, 10, &t.CPUs)
	count(m, 11, &t.Longest.Length)
	count(m, 12, &t.Longest.Lines)
	m.time(13, &t.Start)
	m.time(14, &t.End)
	count(m, 15, &t.Further)
	count(m, 16, &t.Behind)
	list(m, 17, &t.Joins, func(m *message, j *hitrace.Join) {
		count(m, 1, &j.Line)
		m.duration(2, &j.Gap)
	})
}

// processOf describes a reference to one of the timeline's processes.
func (m *message) processOf(number protowire.Number, p **analyzer.Process) {
	index := m.process[*p]
	count(m, number, &index)
	if index < 0 || index >= len(m.timeline.Processes) {
		m.fail()
		return
	}
	*p = m.timeline.Processes[index]
}

// processOrName describes, in three fields, a reference to one of the timeline's processes, or
// to a process with a name only.
func (m *message) processOrName(number protowire.Number, p **analyzer.Process) {
	known := *p != nil && (*p).PID != trace.UnknownPID
	m.flag(number, &known)
	if known {
		m.processOf(number+1, p)
		return
	}
	if *p == nil {
		*p = &analyzer.Process{PID: trace.UnknownPID, NoPID: true}
	}
	m.text(number+2, &(*p).Name)
}

// describeFrame describes a frame without its links.
func describeFrame(m *message, f *analyzer.Frame) {
	m.interval(1, &f.Actual)
	enum(m, 3, &f.Kind, int(analyzer.RenderFrame)+1)
	if m.processOf(4, &f.Process); f.Process == nil {
		return
	}
	count(m, 5, &f.TID)
	integer(m, 6, &f.VsyncID)
	m.time(7, &f.Vsync)
	m.interval(8, &f.Expected)
	m.time(10, &f.Deadline)
	m.duration(11, &f.Period)
	count(m, 12, &f.Coalesced)
	enum(m, 13, &f.Facts, int(analyzer.AllFacts)+1)
	m.interval(14, &f.Draw)
	list(m, 16, &f.GPU, func(m *message, g *analyzer.Interval) { m.interval(1, g) })
	m.interval(17, &f.Commit)
	m.flag(19, &f.CommitEstimated)
	m.time(20, &f.Present)
	m.flag(21, &f.PresentEstimated)
	optional(m, 22, &f.Android, describeAndroid)
	enum(m, 23, &f.Framework, analyzer.FrameworkCount)
	list(m, 24, &f.DisplaySyncs, func(m *message, s *analyzer.DisplaySync) {
		integer(m, 1, &s.ID)
		if integer(m, 2, &s.Type); s.Type < analyzer.CallbackSync || s.Type > analyzer.UnknownSync {
			m.fail()
		}
	})
	m.duration(25, &f.CPUTime)
	count(m, 26, &f.DrawTID)
	enum(m, 27, &f.Pace, int(analyzer.Late)+1)
	count(m, 28, &f.Measured)
	count(m, 29, &f.LaidOut)
	list(m, 30, &f.Screens, func(m *message, s *analyzer.Screen) {
		integer(m, 1, &s.ID)
		m.interval(2, &s.Commit)
		m.time(4, &s.Present)
		m.flag(5, &s.PresentEstimated)
	})
}

// describeLayer describes a layer without its buffers.
func describeLayer(m *message, l *analyzer.Layer) {
	count(m, 1, &l.ID)
	m.text(2, &l.Name)
	integer(m, 3, &l.Queue)
	produced := l.Process != nil
	if m.flag(4, &produced); produced {
		m.processOrName(5, &l.Process)
	}
	enum(m, 8, &l.Framework, analyzer.FrameworkCount)
	m.duration(9, &l.Cadence)
}

// describeBuffer describes a buffer of a layer. Its times begin with the last one of the buffer
// before, and its frames are relative to that buffer's render frame, so that they are small.
// So is its interval, which is mostly that since the present of the last buffer shown.
func (c *layerCoder) describeBuffer(m *message, b *analyzer.Buffer) {
	relative(m, 1, &b.Sequence, c.sequence)
	if relative(m, 2, &b.TID, c.tid); b.TID < 0 {
		m.fail()
	}
	c.sequence, c.tid = b.Sequence, b.TID
	m.interval(3, &b.Requested)
	m.time(5, &b.Queued)
	m.time(6, &b.Ready)
	m.time(7, &b.Acquired)
	m.time(8, &b.Present)
	m.flag(9, &b.PresentEstimated)
	enum(m, 10, &b.Fate, int(analyzer.Discarded)+1)
	m.frame(11, &b.Frame)
	m.frame(12, &b.Render)
	enum(m, 13, &b.Pace, int(analyzer.Late)+1)
	since := trace.Duration(0)
	if b.Present.Known() {
		if c.shown.Known() {
			since = b.Present.Sub(c.shown)
		}
		c.shown = b.Present
	}
	if relative(m, 14, &b.Interval, since); b.Interval < 0 || b.Interval > trace.MaxTime {
		m.fail()
	}
	m.time(15, &b.Deadline)
	if b.Render != nil {
		m.current = m.index[b.Render]
	}
}

// describeLinks describes the references of a frame to other frames.
func describeLinks(m *message, f *analyzer.Frame) {
	list(m, 1, &f.Transactions, func(m *message, s *analyzer.Sent) {
		integer(m, 1, &s.Index)
		m.time(2, &s.At)
		m.frame(3, &s.AppliedBy)
	})
	m.frame(2, &f.Render)
	list(m, 3, &f.Applications, func(m *message, a **analyzer.Frame) {
		if m.frame(1, a); *a == nil {
			m.fail()
		}
	})
}

func describeAndroid(m *message, a *analyzer.Android) {
	optional(m, 1, &a.Latency, func(m *message, l *analyzer.LayerLatency) {
		m.text(1, &l.Layer)
		m.time(2, &l.Desired)
		m.time(3, &l.Ready)
		m.time(4, &l.Wanted)
	})
	optional(m, 2, &a.Stats, func(m *message, s *analyzer.FrameStats) {
		m.text(1, &s.Window)
		for i, t := range []*trace.Time{
			&s.Vsync, &s.HandleInputStart, &s.AnimationStart, &s.PerformTraversalsStart, &s.DrawStart, &s.SyncQueued,
			&s.SyncStart, &s.IssueDrawCommandsStart, &s.SwapBuffers, &s.GPUCompleted,
		} {
			m.time(protowire.Number(2+i), t)
		}
		m.duration(12, &s.DequeueBuffer)
		m.duration(13, &s.QueueBuffer)
		enum(m, 14, &s.Jank, int(analyzer.StatsDavey)<<1)
	})
}

func describeCauses(m *message, c *why.Causes) {
	m.flag(1, &c.Scheduled)
	m.flag(2, &c.Woken)
	m.flag(3, &c.BlockedReasons)
	m.flag(4, &c.Limited)
	count(m, 5, &c.TooDeep)
	list(m, 6, &c.Sampled, func(m *message, s *why.SampledFrames) {
		m.processOf(1, &s.Process)
		enum(m, 2, &s.Kind, int(analyzer.RenderFrame)+1)
		count(m, 3, &s.Late)
		count(m, 4, &s.OnTime)
	})
	list(m, 7, &c.Uses, func(m *message, u *why.FunctionUse) {
		m.processOf(1, &u.Process)
		enum(m, 2, &u.Kind, int(analyzer.RenderFrame)+1)
		enum(m, 3, &u.Stage, why.StageCount)
		enum(m, 4, &u.Wait, why.WaitCount)
		m.function(5, &u.Function)
		describeFunctionSum(m, 7, &u.Late)
		describeFunctionSum(m, 9, &u.OnTime)
	})
	count(m, 8, &c.Unlabeled)
	m.flag(9, &c.Own)
	var hangs []analyzer.Hang
	if m.writing {
		for _, h := range m.timeline.Hangs {
			if c.Hangs[h] != nil {
				hangs = append(hangs, h)
			}
		}
	}
	list(m, 10, &hangs, func(m *message, h *analyzer.Hang) {
		index := 0
		if m.writing {
			index = slices.Index(m.timeline.Hangs, *h)
		}
		if count(m, 1, &index); index < 0 || index >= len(m.timeline.Hangs) {
			m.fail()
		}
		if m.err != nil {
			return
		}
		*h = m.timeline.Hangs[index]
		if c.Hangs == nil {
			c.Hangs = map[analyzer.Hang]*why.Hang{}
		}
		x := c.Hangs[*h]
		if x == nil {
			x = &why.Hang{}
			c.Hangs[*h] = x
		}
		m.base = h.Start
		m.message(2, true, func(m *message) { describeWork(m, &x.Work) })
		list(m, 3, &x.Path, func(m *message, s *why.HangSlice) {
			m.text(1, &s.Slice)
			m.duration(2, &s.Time)
			list(m, 3, &s.Arguments, describeArgument)
		})
	})
}

// function describes a function, in two fields.
func (m *message) function(number protowire.Number, f *why.Function) {
	m.text(number, &f.Name)
	m.text(number+1, &f.Module)
}

// describeFunctionSum describes the time in a function, in two fields.
func describeFunctionSum(m *message, number protowire.Number, s *why.FunctionSum) {
	count(m, number, &s.Samples)
	m.length(number+1, &s.Time)
}

// describeExplanation describes why a frame took its time. The explanations are in order
// of frames, each relative to the frame before.
func describeExplanation(m *message, e *why.Explanation) {
	m.frame(1, &e.Frame)
	if e.Frame == nil {
		m.fail()
		return
	}
	m.at(m.index[e.Frame])
	m.time(2, &e.Start)
	m.time(3, &e.End)
	m.duration(4, &e.Overrun)
	m.duration(5, &e.Unknown)
	list(m, 6, &e.Parts, describePart)
	list(m, 7, &e.Pieces, describePiece)
	list(m, 8, &e.Slices, describeSlice)
	list(m, 9, &e.Usual, describePart)
	enum(m, 10, &e.Outcome, int(why.NotKnown)+1)
	enum(m, 11, &e.Confidence, 4)
	enum(m, 12, &e.Basis, int(why.Budget)+1)
	list(m, 13, &e.Shares, describeShare)
	m.frame(14, &e.Root)
	optional(m, 15, &e.Shown, func(m *message, s *why.Shown) {
		m.time(1, &s.Due)
		m.time(2, &s.At)
		m.duration(3, &s.Delay)
		m.duration(4, &s.Late)
		list(m, 5, &s.Stages, func(m *message, s *why.ShownStage) {
			enum(m, 1, &s.Stage, why.StageCount)
			m.duration(2, &s.Time)
			m.duration(3, &s.Usual)
			m.duration(4, &s.After)
		})
		list(m, 6, &s.Shares, describeShare)
		layer, buffer := m.place(s.Waited)
		m.message(7, layer >= 0 && buffer >= 0, func(m *message) {
			count(m, 1, &layer)
			count(m, 2, &buffer)
			s.Waited = m.bufferAt(layer, buffer)
		})
	})
	optional(m, 16, &e.PickUp, describePickUp)
	list(m, 17, &e.Functions, func(m *message, f *why.FunctionTime) {
		m.function(1, &f.Function)
		enum(m, 3, &f.Stage, why.StageCount)
		enum(m, 4, &f.Wait, why.WaitCount)
		m.function(5, &f.Innermost)
		count(m, 7, &f.Samples)
		m.length(8, &f.Time)
		m.length(9, &f.Usual)
		count(m, 10, &f.Of)
		m.flag(11, &f.Sure)
	})
	calls := []why.Call(e.Calls)
	at := int32(0)
	list(m, 18, &calls, func(m *message, c *why.Call) {
		m.function(1, &c.Function)
		above := at - c.Parent
		count(m, 3, &above)
		if c.Parent = at - above; c.Parent >= at || (c.Parent < 0) != (at == 0) || c.Parent < -1 {
			m.fail()
		}
		count(m, 4, &c.Samples)
		m.length(5, &c.Time)
		at++
	})
	e.Calls = calls
	list(m, 19, &e.Sampled, func(m *message, p *why.FunctionPart) {
		m.function(1, &p.Function)
		enum(m, 3, &p.Stage, why.StageCount)
		enum(m, 4, &p.Wait, why.WaitCount)
		count(m, 5, &p.Samples)
		m.length(6, &p.Time)
	})
}

func describePickUp(m *message, p *why.PickUp) {
	m.duration(1, &p.Late)
	enum(m, 2, &p.Reason, why.PickUpReasonCount)
	optional(m, 3, &p.Share, describeShare)
	m.frame(4, &p.Passed)
}

// describeLateBuffer describes why a buffer was late: that with an index of the layer with an
// index. Frames are relative to the render frame that took it.
func describeLateBuffer(m *message, l *why.LateBuffer, layer, buffer, due int) {
	count(m, 1, &layer)
	count(m, 2, &buffer)
	count(m, 3, &due)
	if l.Buffer, l.Due = m.bufferAt(layer, buffer), m.bufferAt(layer, due); m.err != nil {
		return
	}
	m.base, m.current = l.Buffer.Present, 0
	if r := l.Buffer.Render; r != nil {
		m.current = m.index[r]
	}
	enum(m, 4, &l.Reason, why.BufferReasonCount)
	list(m, 5, &l.Steps, func(m *message, s *why.BufferStep) {
		m.step(1, &s.Step)
		m.time(2, &s.Start)
		m.time(3, &s.End)
		m.duration(4, &s.Usual)
	})
	m.duration(6, &l.Ahead)
	list(m, 7, &l.Shares, describeShare)
	optional(m, 8, &l.Busy, describePickUp)
	m.frame(9, &l.Render)
}

func (m *message) step(number protowire.Number, s *why.Step) {
	name := string(*s)
	m.text(number, &name)
	*s = why.Step(name)
}

// describeResponse describes what the response to the interaction with an index was spent on.
func describeResponse(m *message, r *why.Response, index int) {
	if count(m, 1, &index); index >= len(m.timeline.Interactions) {
		m.fail()
	}
	if m.err != nil {
		return
	}
	r.Interaction = m.timeline.Interactions[index]
	m.base = r.Interaction.From()
	list(m, 2, &r.Steps, func(m *message, s *why.ResponseStep) {
		m.step(1, &s.Step)
		m.text(2, &s.Stage)
		m.time(3, &s.Start)
		m.time(4, &s.End)
		m.flag(5, &s.Open)
		list(m, 6, &s.Work, describeWork)
	})
}

func describeWork(m *message, w *why.Work) {
	integer(m, 1, &w.PID)
	count(m, 2, &w.TID)
	m.text(3, &w.Process)
	m.text(4, &w.Thread)
	m.time(5, &w.Start)
	m.time(6, &w.End)
	m.duration(7, &w.Idle)
	list(m, 8, &w.Waits, func(m *message, x *why.WorkWait) {
		enum(m, 1, &x.Wait, why.WaitCount)
		m.duration(2, &x.Time)
		m.text(3, &x.Slice)
		optional(m, 4, &x.Culprit, describeCulprit)
		m.text(5, &x.Function)
		m.duration(6, &x.SliceTime)
		list(m, 7, &x.Arguments, describeArgument)
	})
	list(m, 9, &w.Slices, describeSlice)
}

func describeSlice(m *message, s *why.SliceTime) {
	m.text(1, &s.Slice)
	m.duration(2, &s.Running)
	m.duration(3, &s.Waiting)
	m.duration(4, &s.Unknown)
}

func describePart(m *message, p *why.Part) {
	enum(m, 1, &p.Stage, why.StageCount)
	enum(m, 2, &p.Wait, why.WaitCount)
	m.duration(3, &p.Time)
}

func describePiece(m *message, p *why.Piece) {
	m.time(1, &p.Start)
	m.time(2, &p.End)
	enum(m, 3, &p.Stage, why.StageCount)
	enum(m, 4, &p.Wait, why.WaitCount)
	m.text(5, &p.Slice)
	m.flag(6, &p.Several)
	m.frame(7, &p.Earlier)
	list(m, 8, &p.Others, func(m *message, a *why.Activity) {
		m.time(1, &a.Start)
		m.time(2, &a.End)
		m.message(3, true, func(m *message) { describeCulprit(m, &a.Culprit) })
	})
}

func describeShare(m *message, s *why.Share) {
	enum(m, 1, &s.Stage, why.StageCount)
	enum(m, 2, &s.Wait, why.WaitCount)
	m.text(3, &s.Slice)
	m.duration(4, &s.Value)
	m.duration(5, &s.Usual)
	m.duration(6, &s.Share)
	m.duration(7, &s.SliceValue)
	m.duration(8, &s.SliceUsual)
	optional(m, 9, &s.Culprit, describeCulprit)
	m.frame(10, &s.Earlier)
	m.text(11, &s.Function)
	m.text(12, &s.Reason)
	count(m, 13, &s.Frequency)
	count(m, 14, &s.UsualFrequency)
	optional(m, 15, &s.Cores, describeCores)
	enum(m, 16, &s.Advice, why.AdviceCount)
	count(m, 17, &s.FrequencyLimit)
	count(m, 18, &s.HighestFrequency)
	list(m, 19, &s.Instances, describeInstance)
	m.text(20, &s.LimitReason)
	enum(m, 21, &s.Missing, why.MissingCount)
	if s.Wait == why.EarlierFrame && s.Earlier == nil {
		m.fail()
	}
}

func describeCores(m *message, c *why.Cores) {
	m.flag(1, &c.Little)
	describeNumbers(m, 2, &c.CPUs)
	if len(c.CPUs) == 0 {
		m.fail()
	}
}

func describeCulprit(m *message, c *why.Culprit) {
	integer(m, 1, &c.PID)
	count(m, 2, &c.TID)
	m.text(3, &c.Process)
	m.text(4, &c.Thread)
	enum(m, 5, &c.Wait, why.WaitCount)
	m.text(6, &c.Slice)
	m.duration(7, &c.Time)
	m.flag(8, &c.Sure)
	list(m, 9, &c.Arguments, describeArgument)
}

func describeInstance(m *message, i *why.Instance) {
	m.time(1, &i.Start)
	m.time(2, &i.End)
	m.duration(3, &i.Time)
	list(m, 4, &i.Arguments, describeArgument)
}

func describeArgument(m *message, a *why.Argument) {
	m.text(1, &a.Name)
	m.text(2, &a.Value)
}
