package text

import (
	"errors"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/testing/must"
)

func TestShare(t *testing.T) {
	known := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		share *float64
		want  string
	}{
		{nil, "–"}, {known(0), "0 %"}, {known(1), "100 %"}, {known(.0004), "< 0.1 %"}, {known(.9996), "> 99.9 %"},
		{known(.0012), "0.1 %"}, {known(.125), "12.5 %"},
	} {
		must.Equal(t, Share(c.share), c.want, "share")
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		part, whole trace.Duration
		want        string
	}{{0, 10, "0 %"}, {1, 1000, "< 1 %"}, {999, 1000, "> 99 %"}, {10, 10, "100 %"}, {1, 3, "33 %"}, {0, 0, "0 %"}} {
		must.Equal(t, Percent(c.part, c.whole), c.want, "%d of %d", c.part, c.whole)
	}
}

// Processes with the same name are listed once, those with the most frames first.
func TestNoneSelected(t *testing.T) {
	timeline := func(names ...string) *analyzer.Timeline {
		tl := &analyzer.Timeline{}
		of := map[string]*analyzer.Process{}
		for _, name := range names {
			if of[name] == nil {
				of[name] = &analyzer.Process{PID: trace.PID(len(of) + 1), Name: name}
				tl.Processes = append(tl.Processes, of[name])
			}
			tl.Frames = append(tl.Frames, &analyzer.Frame{Process: of[name]})
		}
		return tl
	}
	err := NoneSelected("nobody", timeline("a", "b", "b"), timeline("c", "a", "", "c", "c", "c"), &analyzer.Timeline{})
	e := (*diag.Error)(nil)
	if !errors.As(err, &e) || e.Hint != "processes with frames: c, a, b, 3" {
		t.Errorf("%+v", err)
	}
	for pattern, want := range map[string]string{
		"com.exmple.gallery": "did you mean com.example.gallery? ", "galery": "did you mean gallery? ", "com.example.*": "",
	} {
		err := NoneSelected(pattern, timeline("com.example.gallery", "render_service"))
		if !errors.As(err, &e) || e.Hint != want+"processes with frames: com.example.gallery, render_service" {
			t.Errorf("%s: %+v", pattern, err)
		}
	}
	must.NoError(t, NoneSelected("", &analyzer.Timeline{}))
}

func TestNoLayerSelected(t *testing.T) {
	layers := func(names ...string) (list []*analyzer.Layer) {
		for i, name := range names {
			list = append(list, &analyzer.Layer{ID: i + 1, Name: name})
		}
		return list
	}
	for _, c := range []struct {
		pattern string
		layers  []*analyzer.Layer
		want    string
	}{
		{"nothing", layers("b", "a\x1b", "b", ""), `layers: 1 (b), 2 ("a\x1b"), 4 (–)`},
		{"…SurfaceView[com…ty]", layers("b"), "a name with … is shortened, give an id or a part of the name; layers: 1 (b)"},
		{"surfaceveiw", layers("a", "b", "c", "d", "e", "f", "SurfaceView"), "did you mean SurfaceView? layers: 1 (a), 2 (b), 3 (c), 4 (d), 5 (e), 2 more"},
	} {
		if e := NoProducerSelected(c.pattern, []*analyzer.Layer{{}, {Process: &analyzer.Process{PID: 7}}, {Process: &analyzer.Process{Name: "app"}}}); e.What != "no process with layers matches" || e.Hint != "processes with layers: 7, app" {
			t.Errorf("%s: %s, %q", c.pattern, e.What, e.Hint)
		}
		if e := NoLayerSelected(c.pattern, c.layers); e.What != "no layer matches" || e.Hint != c.want {
			t.Errorf("%s: %s, %q, want %q", c.pattern, e.What, e.Hint, c.want)
		}
	}
}

// Both ends stay, and the text is never wider.
func TestShortenMiddle(t *testing.T) {
	for _, c := range []struct {
		s           string
		head, width int
		want        string
	}{
		{"running in FlushLayoutTask", 7, 26, "running in FlushLayoutTask"},
		{"running in FlushLayoutTask", 7, 13, "running…tTask"},
		{"abcdefgh", 1, 4, "a…gh"},
		{"abcdefgh", 9, 4, "abc…"},
		{"abcdefgh", 1, 1, "…"},
		{"世界世界", 3, 7, "世…世界"},
		{"", 0, 0, ""},
	} {
		must.Equal(t, ShortenMiddle(c.s, c.head, c.width), c.want, "%q in %d", c.s, c.width)
	}
}

func TestPrintable(t *testing.T) {
	for name, want := range map[string]string{
		"com.example.app": "com.example.app",
		"图库":              "图库",
		"a\x1b[2Jb":       `"a\x1b[2Jb"`,
		"a\u202eb":        `"a\u202eb"`,
		"a\xffb":          `"a\xffb"`,
		"a\nb":            `"a\nb"`,
	} {
		must.Equal(t, Printable(name), want, "%q becomes", name)
	}
}

func TestLine(t *testing.T) {
	for line, want := range map[string]string{"a\x1b[31m b\n": `a\x1b[31m b\n`, "\u202e": `\u202e`, "it's": "it's", "\xff": "\ufffd"} {
		must.Equal(t, Line(line), want, "%q becomes", line)
	}
}
