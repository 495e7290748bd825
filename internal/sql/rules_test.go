package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/exporter"
	"ohframe/internal/testing/engine/enginetest"
)

// pair is an application frame and the render frame that picks it up, at 100 Hz. Times
// are in nanoseconds after the pair's start. All but expected ends must be whole
// microseconds, as in text.
type pair struct {
	appEnd, appExpectedEnd         int64 // the vsync is at 0, work begins at 100 µs
	sends                          bool
	vsync, start, end, expectedEnd int64 // of the render frame
	gpuEnd                         int64 // 0: no GPU work
	applies                        bool
}

// onTime is a pair without facts. The render frame has two periods less 5 ms.
var onTime = pair{
	appEnd: 3e6, appExpectedEnd: 10e6, sends: true,
	vsync: 10e6, start: 10_100e3, end: 13e6, expectedEnd: 25e6, applies: true,
}

// text returns the lines of pair number i, from 1. Its application frame has vsync id i,
// its render frame 1000 + i.
func (p pair) text(i int) string {
	base := int64(i) * 1e9
	var b strings.Builder
	line := func(at int64, comm string, tid, pid int, payload string) {
		at += base
		fmt.Fprintf(&b, "%16s-%-5d (%5d) [000] .... %d.%06d: tracing_mark_write: %s\n", comm, tid, pid, at/1e9, at%1e9/1e3, payload)
	}
	receive := func(name string, now, end int64, id int) string {
		return fmt.Sprintf("H:ReceiveVsync name:%s dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d|M0538", name, base+now, base+end, id)
	}
	line(100e3, "app", 200, 200, "B|200|"+receive("app", 0, p.appExpectedEnd, i))
	if p.sends {
		line(200e3, "app", 200, 200, fmt.Sprintf("B|200|H:MarshRSTransactionData cmdCount:3 transactionFlag:[200,%d]|M0538", i))
		line(300e3, "app", 200, 200, "E|200|M0538")
	}
	line(p.appEnd, "app", 200, 200, "E|200|M0538")
	line(p.start, "render_service", 100, 100, "B|100|"+receive("rs", p.vsync, p.expectedEnd, 1000+i))
	line(p.start+100e3, "render_service", 100, 100, fmt.Sprintf("B|100|H:RSMainThread::DoComposition: %d|M0538", base+p.start))
	if p.applies {
		line(p.start+200e3, "render_service", 100, 100, fmt.Sprintf("B|100|H:RSMainThread::ProcessCommandUni [200,%d]|M0538", i))
		line(p.start+300e3, "render_service", 100, 100, "E|100|M0538")
	}
	if p.gpuEnd != 0 {
		line(p.start+400e3, "render_service", 100, 100, fmt.Sprintf("S|100|H:M: Frame queued|%d|M0538", i))
	}
	line(p.end-100e3, "render_service", 100, 100, "E|100|M0538")
	line(p.end, "render_service", 100, 100, "E|100|M0538")
	if p.gpuEnd != 0 {
		line(p.gpuEnd, "gpu", 105, 100, fmt.Sprintf("F|100|H:M: Frame queued|%d|M0538", i))
	}
	return b.String()
}

// ruleCase is a pair that differs from onTime, and the row that it must give.
type ruleCase struct {
	name   string
	change func(*pair)
	want   []any
}

// checkRule checks the model and the modules, each for itself, against the rows that the
// rule gives. columns are those of the application frame a, the render frame r and
// the whole frame w.
func checkRule(t *testing.T, columns string, model func(app, render *analyzer.Frame) []any, cases []ruleCase) {
	t.Helper()
	enginetest.ForTest(t)
	var text strings.Builder
	for i, c := range cases {
		p := onTime
		c.change(&p)
		text.WriteString(p.text(i + 1))
	}
	output, timeline := convert(t, strings.NewReader(text.String()), exporter.Options{})
	session := load(t, output)
	enginetest.CheckGate(t, session)
	byID := map[int64]*analyzer.Frame{}
	for f := range timeline.Complete() {
		byID[f.VsyncID] = f
	}
	for i, c := range cases {
		id := int64(i + 1)
		app, render := byID[id], byID[1000+id]
		if app == nil || render == nil {
			t.Errorf("%s: a frame is missing:\n%s", c.name, timeline)
			continue
		}
		var want, got rows
		want.add(c.want...)
		got.add(model(app, render)...)
		compare(t, c.name+", model", got, want)
		compare(t, c.name+", SQL", query(t, session, fmt.Sprintf(`
			INCLUDE PERFETTO MODULE ohos.frames;
			SELECT %s
			FROM ohos_frame a
			JOIN ohos_frame r ON r.kind = 'render' AND r.vsync_id = a.vsync_id + 1000
			LEFT JOIN ohos_whole_frame w ON w.id = a.id
			WHERE a.kind = 'app' AND a.vsync_id = %d`, columns, id)), want)
	}
}

// docs/frames.md 3.2: work that ends at the deadline is on time.
func TestRuleLate(t *testing.T) {
	checkRule(t, "a.is_late, a.is_late_main, a.overrun, r.is_late_main, r.is_late_gpu, r.overrun", func(app, render *analyzer.Frame) []any {
		return []any{
			lateOf(app), judgedFact(app, analyzer.MainLate), int64(app.Overrun()),
			judgedFact(render, analyzer.MainLate), judgedFact(render, analyzer.GPULate), int64(render.Overrun()),
		}
	}, []ruleCase{
		{"at both deadlines", func(p *pair) { p.appEnd, p.end, p.gpuEnd = 10e6, 25e6, 25e6 }, []any{false, false, 0, false, false, 0}},
		{"application", func(p *pair) { p.appEnd = 10_001e3 }, []any{true, true, 1000, false, false, 0}},
		{"main thread", func(p *pair) { p.end = 25_001e3 }, []any{false, false, 0, true, false, 1000}},
		{"GPU", func(p *pair) { p.gpuEnd = 25_002e3 }, []any{false, false, 0, false, true, 2000}},
		{"main thread and GPU", func(p *pair) { p.end, p.gpuEnd = 25_001e3, 25_003e3 }, []any{false, false, 0, true, true, 3000}},
		{"unknown deadline", func(p *pair) { p.appEnd, p.appExpectedEnd = 90e6, 0 }, []any{nil, nil, 0, false, false, 0}},
		{"unknown deadlines", func(p *pair) { p.appExpectedEnd, p.expectedEnd = 0, 0 }, []any{nil, nil, 0, nil, nil, 0}},
	})
}

// docs/frames.md 3.4 and 3.7: an empty frame has flag 2, even if it is late or misaligned.
func TestRuleEmpty(t *testing.T) {
	checkRule(t, "a.is_empty, a.flag, r.is_empty, r.flag", func(app, render *analyzer.Frame) []any {
		return []any{app.Facts.Has(analyzer.Empty), int(app.Flag()), render.Facts.Has(analyzer.Empty), int(render.Flag())}
	}, []ruleCase{
		{"neither", func(*pair) {}, []any{false, 0, false, 0}},
		{"no transaction", func(p *pair) { p.sends = false }, []any{true, 2, false, 0}},
		{"no commands", func(p *pair) { p.applies = false }, []any{false, 0, true, 2}},
		{"both, late", func(p *pair) { p.sends, p.applies, p.appEnd, p.end = false, false, 10_001e3, 26e6 }, []any{true, 2, true, 2}},
	})
}

// docs/frames.md 3.5 and 3.7: expected times that are 1 ms apart are misaligned. Both frames
// have the fact, and the render frame has flag 3.
func TestRuleMisaligned(t *testing.T) {
	checkRule(t, "a.is_misaligned, a.flag, r.is_misaligned, r.flag", func(app, render *analyzer.Frame) []any {
		return []any{app.Facts.Has(analyzer.Misaligned), int(app.Flag()), render.Facts.Has(analyzer.Misaligned), int(render.Flag())}
	}, []ruleCase{
		{"no difference", func(*pair) {}, []any{false, 0, false, 0}},
		{"almost 1 ms later", func(p *pair) { p.appExpectedEnd = 9_000_001 }, []any{false, 0, false, 0}},
		{"1 ms later", func(p *pair) { p.appExpectedEnd = 9e6 }, []any{true, 0, true, 3}},
		{"almost 1 ms earlier", func(p *pair) { p.appExpectedEnd = 10_999_999 }, []any{false, 0, false, 0}},
		{"1 ms earlier", func(p *pair) { p.appExpectedEnd = 11e6 }, []any{true, 0, true, 3}},
		{"and late", func(p *pair) { p.appExpectedEnd, p.appEnd, p.end = 9e6, 9_001e3, 26e6 }, []any{true, 1, true, 3}},
		{"not linked", func(p *pair) { p.appExpectedEnd, p.applies = 9e6, false }, []any{false, 0, false, 2}},
	})
}

// docs/frames.md 7.2 to 7.5: a whole frame is late if the render frame is, or if it was picked up
// late. The first cause counts.
func TestRuleBlame(t *testing.T) {
	later := func(p *pair) { // on the next vsync
		p.vsync, p.start, p.end, p.expectedEnd = 20e6, 20_100e3, 23e6, 35e6
	}
	checkRule(t, "w.is_late, w.blame", func(app, _ *analyzer.Frame) []any {
		w, ok := analyzer.Whole(app)
		if !ok {
			return []any{nil, nil}
		}
		return []any{w.Late(), text(w.Blame.String())}
	}, []ruleCase{
		{"on time", func(p *pair) { p.end, p.gpuEnd = 25e6, 25e6 }, []any{false, nil}},
		{"application late, picked up in time", func(p *pair) { p.appEnd = 10_001e3 }, []any{false, nil}},
		{"application and render frame late", func(p *pair) { p.appEnd, p.end = 10_001e3, 25_001e3 }, []any{true, "application"}},
		{"application late, picked up late", func(p *pair) { later(p); p.appEnd = 10_001e3 }, []any{true, "application"}},
		{"main thread", func(p *pair) { p.end = 25_001e3 }, []any{true, "render_cpu"}},
		{"main thread and GPU", func(p *pair) { p.end, p.gpuEnd = 25_001e3, 26e6 }, []any{true, "render_cpu"}},
		{"GPU", func(p *pair) { p.gpuEnd = 25_001e3 }, []any{true, "render_gpu"}},
		{"picked up late", later, []any{true, "pick_up"}},
		{"GPU, picked up late", func(p *pair) { later(p); p.gpuEnd = 36e6 }, []any{true, "render_gpu"}},
		{"picked up early", func(p *pair) { p.appExpectedEnd = 12e6 }, []any{false, nil}},
		{"unknown", func(p *pair) { p.expectedEnd = 0 }, []any{nil, nil}},
	})
}

// docs/frames.md 8.2 and 8.3: an application's expected interval is one period, a render
// frame's is two periods less 5 ms.
func TestRulePeriod(t *testing.T) {
	checkRule(t, "a.period, r.period", func(app, render *analyzer.Frame) []any {
		return []any{known(app.Period), known(render.Period)}
	}, []ruleCase{
		{"100 Hz", func(*pair) {}, []any{10_000_000, 10_000_000}},
		{"60 Hz, exact", func(p *pair) { p.appExpectedEnd, p.vsync, p.expectedEnd = 16_666_667, 16_666_667, 45_000_000 }, []any{16_666_667, 16_666_666}},
		{"unknown", func(p *pair) { p.appExpectedEnd, p.expectedEnd = 0, 0 }, []any{nil, nil}},
	})
}
