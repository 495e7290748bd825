package reconstruct_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// A golden is a small trace and the timeline that the frame rules make of it.
// Its comment says which rule it shows and why the timeline follows from it.
// The files of the archive:
//
//	options   optional: lines "clock-offset VALUE"
//	trace     a text trace
//	timeline  what Timeline.String says
//	flags     optional: the flags of the frames, in their order, ? if unknown
type golden struct {
	comment, trace, timeline, flags string
	options                         reconstruct.Options
}

func TestFrames(t *testing.T) {
	paths, err := filepath.Glob("../../../testdata/frames/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			g := must.Get(readGolden(path))(t)
			timeline := g.timelineOf(t, g.trace)
			must.Equal(t, timeline.String(), g.timeline, "%s", g.comment)
			if g.flags != "" {
				must.Equal(t, flags(timeline), g.flags, "%s\nflags", g.comment)
			}
			// Lines that end in CR LF are the same lines.
			must.Equal(t, g.timelineOf(t, strings.ReplaceAll(g.trace, "\n", "\r\n")).String(), g.timeline, "with CR LF")
		})
	}
}

func readGolden(path string) (golden, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return golden{}, err
	}
	g := golden{comment: string(archive.Comment)}
	if strings.TrimSpace(g.comment) == "" {
		return g, fmt.Errorf("no comment says what the golden shows")
	}
	for _, f := range archive.Files {
		switch f.Name {
		case "trace":
			g.trace = string(f.Data)
		case "timeline":
			g.timeline = string(f.Data)
		case "flags":
			g.flags = string(bytes.TrimSpace(f.Data))
		case "options":
			if g.options, err = parseOptions(string(f.Data)); err != nil {
				return g, err
			}
		default:
			return g, fmt.Errorf("unexpected file %s", f.Name)
		}
	}
	if g.trace == "" || g.timeline == "" {
		return g, fmt.Errorf("no trace or no timeline")
	}
	return g, nil
}

func parseOptions(text string) (o reconstruct.Options, err error) {
	for line := range strings.Lines(text) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case name == "clock-offset":
			offset, failed := time.ParseDuration(value)
			o.ClockOffset, err = (*trace.Duration)(&offset), failed
		default:
			err = fmt.Errorf("unexpected option %q", line)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// timelineOf returns the validated timeline of a trace without lines that are not
// understood.
func (g golden) timelineOf(t *testing.T, text string) *analyzer.Timeline {
	t.Helper()
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text), hitrace.Options{}, g.options))(t)
	must.Equal(t, totals.Problems.Lost(), 0, "lines that are not understood")
	must.NoError(t, timeline.Validate())
	return timeline
}

// flags returns the flags of all frames.
func flags(t *analyzer.Timeline) string {
	var list []string
	for _, f := range t.Frames {
		text := "?"
		if flag, ok := f.Flag(); ok {
			text = fmt.Sprint(flag)
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}
