package pftrace

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// simulated returns the text of a simulated trace.
func simulated(t *testing.T, config simulate.Config) string {
	t.Helper()
	var text bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	return text.String()
}

// interactionTraces are traces with interactions of all kinds, by name.
func interactionTraces(t *testing.T) map[string]string {
	t.Helper()
	configs := simulate.BadScenes()
	delete(configs, "both cut") // no line of the scene is left
	configs["demonstration"], configs["scenes"], configs["launches"] = simulate.Demonstration(), simulate.Scenes(), simulate.Launches()
	during := simulate.Default() // the first frame that shows it has begun
	during.Duration = 1200 * trace.Millisecond
	during.Interactions = []simulate.Interaction{{Scene: "APP_SWIPER_SCROLL", At: 300 * trace.Millisecond, Length: 200 * trace.Millisecond, InFrame: true}}
	configs["during a frame"] = during
	texts := map[string]string{}
	for name, config := range configs {
		texts[name] = simulated(t, config)
	}
	unseen := simulate.Launches()
	unseen.Kernel = simulate.KernelNone // whose events name the process
	texts["process unseen"] = withoutProcess(simulated(t, unseen), 21480)
	return texts
}

// withoutProcess returns a trace without the lines of a process.
func withoutProcess(text string, pid int) string {
	return regexp.MustCompile(fmt.Sprintf(`(?m)^.*\( *%d\).*\n`, pid)).ReplaceAllString(text, "")
}

// wantInteractions returns the slices that a timeline's interactions and hangs must have, and
// the arrows from them, by what the model says of them.
func wantInteractions(timeline *analyzer.Timeline) (tracks, arrows rows) {
	of := func(p *analyzer.Process) string {
		if p.PID == trace.UnknownPID {
			return ""
		}
		return p.PID.String() + " "
	}
	arrow := func(from string, f *analyzer.Frame, end trace.Time) {
		if f != nil && f.Actual.Start >= end {
			arrows = append(arrows, fmt.Sprintf("%s -> %sFrames %d %d", from, of(f.Process), f.Actual.Start, f.VsyncID))
		}
	}
	shown := func(from string, f *analyzer.Frame) {
		if f != nil && f.Render != nil {
			f = f.Render
		}
		if f != nil && f.Present.Known() {
			arrows = append(arrows, fmt.Sprintf("%s -> %sPresent %d %d", from, of(f.Process), f.Present, f.VsyncID))
		}
	}
	for _, s := range stats.Compute(timeline, stats.Options{}).Interactions {
		i, track := s.Source, of(s.Source.Process)+"Interactions"
		slice := func(name string, from, to trace.Time) string {
			tracks = append(tracks, fmt.Sprintf("%s %d..%d %s", track, from, to, name))
			return fmt.Sprintf("%s %d %s", track, from, name)
		}
		from, to := i.Observed.Start, i.Observed.End
		switch {
		case s.InputAt != nil:
			from = *s.InputAt
		case s.Begin != nil:
			from = *s.Begin
		case from == 0:
			from = *s.End
		}
		if s.LastShown != nil {
			to = *s.LastShown
		} else if i.SeenTo > to {
			to = i.SeenTo
		} else if n := len(s.Stages); n > 0 {
			to = s.Stages[n-1].Begin
		}
		name := fmt.Sprintf("%s #%d", s.Scene, s.ID)
		if i.Launch() {
			name = fmt.Sprintf("%s launch #%d", s.Scene, s.ID)
		}
		if s.Late != nil && *s.Late > 0 {
			name += fmt.Sprintf(", %d late", *s.Late)
		}
		shown(slice(name, from, max(from, to)), i.Last)
		for n, stage := range s.Stages {
			end := stage.Begin // if its end is unknown
			if stage.Duration != nil {
				end = stage.Begin.Add(*stage.Duration)
			}
			label := slice(stage.Name, stage.Begin, end)
			switch {
			case i.First == nil:
			case n == len(s.Stages)-3:
				arrow(label, i.First, end)
			case n == len(s.Stages)-2:
				arrow(label, i.First.Render, end)
			}
		}
		if i.Launch() {
			continue
		}
		if s.Response != nil {
			shown(slice(fmt.Sprintf("response %.1f ms", *s.Response), from, *s.FirstShown), i.First)
			if begun := i.First.Actual.Start; begun > from {
				arrow(slice("before the first frame", from, begun), i.First, begun)
			}
		}
		if begun := cmp.Or(i.FirstShown, from); i.SeenTo > begun {
			label := "animation %.1f ms"
			if s.FirstShown == nil || s.LastShown == nil {
				label = "animation ≥ %.1f ms"
			}
			slice(fmt.Sprintf(label, i.SeenTo.Sub(begun).Milliseconds()), begun, i.SeenTo)
		}
	}
	for _, h := range timeline.Hangs {
		name := "hang"
		if h.Duration() >= 500*trace.Millisecond {
			name = "severe hang"
		}
		tracks = append(tracks, fmt.Sprintf("%d Hangs %d..%d %s %.1f ms", h.Process.PID, h.Start, h.End, name, h.Duration().Milliseconds()))
	}
	return tracks, arrows
}

var (
	interactionSlice = regexp.MustCompile(`^(\d+ )?(Interactions|Hangs) `)
	lateName         = regexp.MustCompile(` (late|misaligned).*$`) // of a frame
	arguments        = regexp.MustCompile(` (hang|interaction|launch_stage)\..*$`)
)

// The tracks have a slice for each interaction with its response and animation or its stages,
// and one for each hang. Arrows lead to the frames that show the interaction.
func TestInteractions(t *testing.T) {
	for name, text := range interactionTraces(t) {
		data, summary := convert(t, text, Options{})
		got := packetSections(t, data)
		var tracks, arrows rows
		for _, line := range got["tracks"] {
			if interactionSlice.MatchString(line) {
				tracks = append(tracks, arguments.ReplaceAllString(line, ""))
			}
		}
		for _, line := range got["arrows"] {
			if from, to, _ := strings.Cut(line, " -> "); interactionSlice.MatchString(from) {
				arrows = append(arrows, from+" -> "+lateName.ReplaceAllString(to, ""))
			}
		}
		wantTracks, wantArrows := wantInteractions(summary.Timeline)
		compare(t, name+": tracks", tracks, wantTracks)
		compare(t, name+": arrows", arrows, wantArrows)
		if len(wantTracks) == 0 || name == "demonstration" && len(wantArrows) < 7*3 {
			t.Errorf("%s: %d slices, %d arrows", name, len(wantTracks), len(wantArrows))
		}
	}
}

// Perfetto shows the interactions as the packets have them.
func TestInteractionsInEngine(t *testing.T) {
	enginetest.ForTest(t)
	texts := interactionTraces(t)
	for _, name := range slow.Of([]string{"demonstration", "process unseen"}, slices.Sorted(maps.Keys(texts))) {
		t.Run(name, func(t *testing.T) { checkConformance(t, texts[name]) })
	}
}

// Perfetto shows the full names of processes that scenes and launches have: the kernel keeps
// 15 bytes of them.
func TestFullNames(t *testing.T) {
	enginetest.ForTest(t)
	texts := map[string][]string{simulated(t, simulate.Demonstration()): {"com.example.gallery", "com.example.notebook", "com.ohos.sceneboard"}}
	for _, path := range tracetest.Paths(t) {
		if filepath.Base(path) == "openharmony-4-bundle-5flags.ftrace" {
			texts[tracetest.Read(t, path)] = []string{"com.ohos.contacts", "com.ohos.note", "ohos.samples.etsclock"}
		}
	}
	for text, names := range texts {
		data, _ := convert(t, text, Options{})
		session := enginetest.Load(t, data)
		got := query(t, session, "SELECT DISTINCT name FROM process WHERE name IS NOT NULL")
		threads := query(t, session, "SELECT DISTINCT p.name FROM thread t JOIN process p USING (upid) JOIN thread_track k USING (utid) WHERE t.is_main_thread")
		for _, name := range names {
			if quoted := fmt.Sprintf("%q", name); !slices.Contains(got, quoted) || !slices.Contains(threads, quoted) {
				t.Errorf("no process %s with a main thread: %v", name, got)
			}
		}
	}
}
