package timeline

import (
	"testing"

	"ohframe/analyzer"
)

func TestTokens(t *testing.T) {
	const app, render = analyzer.ApplicationFrame, analyzer.RenderFrame
	frame := func(kind analyzer.Kind, id int64) *analyzer.Frame { return &analyzer.Frame{Kind: kind, VsyncID: id} }
	cut := func(f *analyzer.Frame) *analyzer.Frame {
		f.Facts |= analyzer.Truncated
		return f
	}
	frames := []*analyzer.Frame{
		frame(app, 10), frame(render, 10), // counted separately
		frame(app, 10),       // of another thread, or again
		frame(render, 10),    // again
		frame(app, 0),        // not known
		frame(render, 0),     // not known
		frame(render, 0),     // nor is this one
		frame(render, 11),    // alone
		cut(frame(app, 900)), // not shown, and yet its number is in the text
		cut(frame(render, 11)),
		cut(frame(render, 12)),
		frame(render, 12), // the first that is shown
		frame(render, 11), // again
	}
	same := map[int]bool{0: true, 1: true, 2: true, 7: true, 11: true}

	tokens, renumbered := NewTokens(&analyzer.Timeline{Frames: frames})
	displays := map[int64]bool{}
	for i, f := range frames {
		token, ok := tokens[f]
		if shown := !f.Facts.Has(analyzer.Truncated); ok != shown {
			t.Errorf("frame %d: has a token: %t, want %t", i, ok, shown)
		}
		if !ok {
			continue
		}
		switch {
		case same[i]:
			if token != f.VsyncID {
				t.Errorf("frame %d: token %d, want its vsync id %d", i, token, f.VsyncID)
			}
		case token <= 900:
			t.Errorf("frame %d: token %d, which may be a vsync id of the trace", i, token)
		}
		if f.Kind == render && displays[token] {
			t.Errorf("frame %d: another render frame has token %d", i, token)
		}
		displays[token] = displays[token] || f.Kind == render
	}
	if renumbered != 5 {
		t.Errorf("%d frames renumbered, want 5", renumbered)
	}
}
