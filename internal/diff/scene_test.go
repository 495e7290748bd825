package diff

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

const ms = trace.Millisecond

func at(n int) trace.Time { return trace.Time(n) * trace.Time(ms) }

// scene builds a timeline by hand, of a display with a period of 10 ms. Times
// are in milliseconds.
type scene struct{ analyzer.Timeline }

func (s *scene) process(pid trace.PID, name string) *analyzer.Process {
	p := &analyzer.Process{PID: pid, Name: name}
	s.Processes = append(s.Processes, p)
	return p
}

func (s *scene) frame(kind analyzer.Kind, p *analyzer.Process, start, took int) *analyzer.Frame {
	budget := map[analyzer.Kind]int{analyzer.ApplicationFrame: 10, analyzer.RenderFrame: 15}[kind]
	f := &analyzer.Frame{
		Kind: kind, Process: p, TID: trace.TID(p.PID), VsyncID: int64(start), Vsync: at(start),
		Actual:   analyzer.Interval{Start: at(start), End: at(start + took)},
		Expected: analyzer.Interval{Start: at(start), End: at(start + budget)}, Deadline: at(start + budget), Period: 10 * ms,
	}
	if took > budget {
		f.Facts = analyzer.MainLate
	}
	s.Frames = append(s.Frames, f)
	return f
}

func (s *scene) side(name string) Side {
	return sideOf(name, &s.Timeline)
}

// gallery is an application that draws every so many milliseconds from 1 s on.
// Its frames take as long as a function says. A render service takes each
// transaction 10 ms after the vsync, works for 2 ms, and the display shows the
// frame 30 ms after the vsync.
func gallery(application, service string, frames, every int, length func(i int) int) *scene {
	s := &scene{}
	app, rs := s.process(100, application), s.process(50, service)
	for i := range frames {
		vsync := 1000 + every*i
		f := s.frame(analyzer.ApplicationFrame, app, vsync, length(i))
		r := s.frame(analyzer.RenderFrame, rs, vsync+10, 2)
		r.Commit, r.Present = analyzer.Interval{Start: at(vsync + 13), End: at(vsync + 14)}, at(vsync+30)
		f.Transactions, f.Render = []analyzer.Sent{{Index: int64(i + 1), At: at(vsync + 1), AppliedBy: r}}, r
		r.Applications = []*analyzer.Frame{f}
	}
	s.Span = analyzer.Interval{Start: at(1000), End: at(1000 + every*frames + 30)}
	return s
}

// before and after are two runs: frames of 1 to 20 ms every 20 ms, then of 4 to
// 23 ms every 25 ms.
func before() Side {
	return gallery("gallery", "render_service", 20, 20, func(i int) int { return 1 + i }).side("before.ftrace")
}

func after() Side {
	return gallery("gallery", "render_service", 20, 25, func(i int) int { return 4 + i }).side("after.ftrace")
}

// simulated returns the frames of a made trace, and its text.
func simulated(t *testing.T, name string, change func(*simulate.Config)) (Side, []byte) {
	t.Helper()
	c := simulate.Everything()
	change(&c)
	var text bytes.Buffer
	must.Get(simulate.Write(&text, c))(t)
	timeline := must.Get(analysis.Run(t.Context(), bytes.NewReader(text.Bytes()), hitrace.Options{}, analysis.FrameOptions{}, analysis.Options{}))(t).Timeline
	return sideOf(name, timeline), text.Bytes()
}

func compare(t *testing.T, base, new Side, o Options) *Diff {
	t.Helper()
	d := must.Get(Compare(base, new, o))(t)
	return d
}

func write(t *testing.T, d *Diff, format string, o WriteOptions) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, d, format, o))
	return b.String()
}

var assets = regexp.MustCompile(`(?s)<script>.*?</script>`)

// hasNaN reports whether there is what is no number in an output, other than in the scripts
// of a page.
func hasNaN(output string) bool {
	output = assets.ReplaceAllString(output, "")
	return strings.Contains(output, "NaN") || strings.Contains(output, "Inf")
}
