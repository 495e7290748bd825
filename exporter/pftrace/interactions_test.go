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
	// interactionColour has the name of an interaction's slice and its colour.
	interactionColour = regexp.MustCompile(`^\d+ Interactions \d+ (.*): (.*)$`)
	arguments         = regexp.MustCompile(` (hang|interaction|launch_stage)\..*$`)
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

// The annotations of an interaction have the names and the values of the report, apart from
// what is unknown or false.
func TestInteractionAnnotations(t *testing.T) {
	data, summary := convert(t, simulated(t, simulate.Demonstration()), Options{})
	for _, want := range []string{
		"interaction.id=2", "interaction.kind=\"scene\"", "interaction.scene=\"APP_LIST_FLING\"", "interaction.pid=20170",
		"interaction.process=\"com.example.gallery\"", "interaction.page=\"pages/Index\"", "interaction.input=\"first_move\"",
		fmt.Sprintf("interaction.input_ns=%d", summary.Timeline.Interactions[1].InputAt),
		"interaction.counted=\"application\"", "interaction.late=6", "interaction.grade=\"A\"", fmt.Sprintf("interaction.device.response_ms=%g", *summary.Timeline.Interactions[1].Device.ResponseMS),
		"interaction.stages[2].name=\"LoadAbility\"", "launch_stage.name=\"LoadAbility\"", "hang.process=\"com.example.notebook\"",
	} {
		if !slices.ContainsFunc(packetSections(t, data)["tracks"], func(line string) bool { return slices.Contains(strings.Fields(line), want) }) {
			t.Errorf("no slice has %s", want)
		}
	}
	for _, line := range packetSections(t, data)["tracks"] {
		if interactionSlice.MatchString(line) && regexp.MustCompile("=(true|false)").MatchString(line) {
			t.Errorf("a fact that no interaction here has: %s", line)
		}
	}
}

// An interaction that misses a limit is amber: the response, or the animation that hitches.
func TestInteractionColours(t *testing.T) {
	of := func(config simulate.Config) map[string]int {
		data, _ := convert(t, simulated(t, config), Options{})
		colours := map[string]int{}
		for _, line := range packetSections(t, data)["colours"] {
			if m := interactionColour.FindStringSubmatch(line); m != nil {
				colours[m[1]+": "+m[2]]++
			}
		}
		return colours
	}
	slow := simulate.Demonstration()
	slow.Interactions = slices.Clone(slow.Interactions)
	slow.Interactions[3].Delay += 200 * trace.Millisecond // of the page switch: beyond grade B
	slow.Interactions[3].At += 200 * trace.Millisecond
	slow.Hangs, slow.Launches, slow.Interactions = nil, nil, slow.Interactions[:4]
	for _, test := range []struct {
		config simulate.Config
		slice  string
		want   int
	}{
		{simulate.Demonstration(), "APP_LIST_FLING #1: the user's action", 1},
		{simulate.Demonstration(), "APP_LIST_FLING #2, 6 late: above the limit", 1}, // 115 ms/s
		{simulate.Demonstration(), "APP_LIST_FLING #3, 3 late: above the limit", 1},
		{simulate.Demonstration(), "ABILITY_OR_PAGE_SWITCH #4: the user's action", 1},
		{simulate.Demonstration(), "response 216.8 ms: response to the user", 1},
		{simulate.Demonstration(), "response 85.2 ms: response to the user", 3},
		{simulate.Demonstration(), "animation 866.7 ms: animation", 1},
		{simulate.Demonstration(), "animation 866.7 ms: hitches", 2},
		{slow, "ABILITY_OR_PAGE_SWITCH #4: above the limit", 1},
		{slow, "response 416.8 ms: a slow response", 1},
	} {
		if got := of(test.config); got[test.slice] != test.want {
			t.Errorf("%s: %d, want %d, of %v", test.slice, got[test.slice], test.want, got)
		}
	}
}

// Any number of scenes at once needs few tracks, and all are in the trace.
func TestManyInteractions(t *testing.T) {
	const scenes = 3000
	x := &textTrace{}
	x.slice(caseStart-10, caseStart-5, app, "RecordInputEvent: last_up=9999990000(ns)")
	for i := range int64(scenes) {
		x.mark(caseStart+i, app, fmt.Sprintf("S|200|H:SCENE_%d|0", i))
	}
	for i := range int64(scenes) {
		x.mark(caseStart+10_000+i, app, fmt.Sprintf("F|200|H:SCENE_%d|0", i))
	}
	data, summary := convert(t, x.String(), Options{})
	if n := len(summary.Timeline.Interactions); n != scenes {
		t.Fatalf("%d interactions, want %d", n, scenes)
	}
	tracks := 0
	for _, d := range descriptorsOf(t, data) {
		tracks += truth(d.GetName() == "Interactions")
	}
	if tracks < 2 || tracks > 64 {
		t.Errorf("%d tracks", tracks)
	}
	slices := 0
	for _, line := range packetSections(t, data)["tracks"] {
		slices += truth(interactionSlice.MatchString(line))
	}
	if slices != scenes {
		t.Errorf("%d slices, want %d", slices, scenes)
	}
	enginetest.ForTest(t)
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	compare(t, "slices", query(t, session, "SELECT count() FROM slice WHERE name GLOB 'SCENE_*' AND dur >= 0 AND category IS NULL AND arg_set_id IS NOT NULL"), rows{fmt.Sprint(scenes)})
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
