package diff

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/record/meta"
	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
)

// recordedSide returns a side with a run for each recording.
func recordedSide(name string, recordings ...Recording) Side {
	var runs []Side
	for i, r := range recordings {
		run := gallery("gallery", "render_service", 60, 20, func(i int) int { return 3 + i%3 }).side(fmt.Sprintf("%s/%d.ftrace", name, i+1))
		run.Recording = r
		runs = append(runs, run)
	}
	return Join(name, runs)
}

func day(n, hour int) time.Time {
	return time.Date(2026, 11, n, hour, 0, 0, 0, time.FixedZone("", 8*60*60))
}

// phone returns a recording whose facts are all known.
func phone(change func(*meta.Meta)) Recording {
	charging := false
	m := &meta.Meta{
		Ohframe: "0.1.0", Tags: []string{"graphic", "ace"}, BufferKB: 32768, Clock: "mono", Begun: day(16, 10),
		Device: meta.Device{
			ID: "1a2b", Model: "ALN-AL00", System: "OpenHarmony-6.0", Software: "6.0.0.47", Kernel: "HongMeng 1.9", RefreshHz: 120,
			Battery: 80, Temperature: 31, Charging: &charging,
		},
		App: &meta.App{Bundle: "com.example.gallery", Version: "1.2"},
	}
	if change != nil {
		change(m)
	}
	return Recording{Meta: m}
}

// All values of a comparison are those of sessions if these are the unit. Base has runs of 4 and
// 6 ms in a session, of 8 ms in another, and of 7 and 7 ms in a third: its mean is that of 5, 8 and
// 7 ms, while the mean of the runs is 6.4 ms.
func TestCompareSessions(t *testing.T) {
	side := func(name, sessions string, lengths ...int) Side {
		var runs []Side
		for i, length := range lengths {
			run := withCosts(gallery("gallery", "render_service", 60, 20, func(i int) int { return length - 1 + i%3 }).side(fmt.Sprint(name, i)), float64(length))
			run.Stats.Interactions = flings(float64(length), float64(length))
			run.Stats.Layers = played("", surface("player", "View", 30, trace.Duration(length), nil, nil)).Stats.Layers
			run.Recording.Session = sessions[i : i+1]
			runs = append(runs, run)
		}
		return Join(name, runs)
	}
	base, new := side("base", "aabcc", 4, 6, 8, 7, 7), side("new", "dd", 10, 12)
	d := compare(t, base, new, Options{FailOn: conditions(t, "p50_ms>+1, fling.response_ms>+1")})
	for name, m := range map[string]*Measure{
		"p50_ms": d.Pairs[0].measure("p50_ms"), "lost time": d.Pairs[0].Causes.Causes[0].Measure,
		"response": d.Interactions.Both[0].measure("response_ms"), "queue": d.Layers.Both[0].measure("queue_p50_ms"),
	} {
		scale := 1.0
		if name == "lost time" {
			name, scale = "lost time "+string(d.Pairs[0].Causes.Causes[0].Title), *m.New/11
		}
		if !near(m.Base, scale*20/3) || !near(m.New, scale*11) || !near(m.Delta, scale*13/3) {
			t.Errorf("%s: %s", name, describe(m))
		}
		var values []float64
		for _, u := range slices.Concat(m.series.Base, m.series.New) {
			values = append(values, math.Round(u.Value/scale*1e9)/1e9)
		}
		if !slices.Equal(values, []float64{5, 8, 7, 11}) || len(m.series.New) != 1 {
			t.Errorf("%s: tested are %v", name, values)
		}
	}
	if d.Test.Method != significance.ModeratedT || d.Test.Tested == 0 || d.Interactions.Changes == 0 || d.Layers.Changes == 0 {
		t.Errorf("tested by %q: %d, %d and %d changes", d.Test.Method, d.Test.Tested, d.Interactions.Changes, d.Layers.Changes)
	}
	table := strings.Join(strings.Fields(write(t, d, "table", WriteOptions{})), " ")
	for _, part := range []string{
		"Base base 3 sessions of 5 runs New new 2 runs", "Values are means of sessions, each the mean of its runs. What differs from session to session",
		"Tested by a t-test of sessions; ", "means of sessions, each the mean of its runs. That of a run is the mean of its interactions.",
		"these sessions find", "sessions on each side would decide",
	} {
		must.Contain(t, table, part)
	}
	var got struct{ Test struct{ Unit string } }
	if err := json.Unmarshal([]byte(write(t, d, "json", WriteOptions{})), &got); err != nil || got.Test.Unit != "session" {
		t.Errorf("JSON: %+v, %v", got, err)
	}
	// Three sessions are too few in all, and a session of one run is no better than a run.
	for _, few := range []struct {
		base, new Side
		reason    string
	}{
		{side("base", "aab", 4, 6, 8), new, "cannot be checked with 2 sessions and 1"},
		{base, side("new", "d", 10), "cannot be checked with 5 runs and 1"},
	} {
		d := compare(t, few.base, few.new, Options{FailOn: conditions(t, "p50_ms>+1")})
		if o := d.Outcomes[0]; d.Test.Tested != 0 || o.Status != condition.Unknown || !strings.Contains(o.Reason, few.reason) {
			t.Errorf("%s tested, %d changes, want %q", o.Reason, d.Test.Tested, few.reason)
		}
	}
	// The same sessions on both sides.
	if d := compare(t, base, side("new", "cba", 10, 12, 11), Options{}); d.unit != "run" || !near(d.Pairs[0].measure("p50_ms").Base, 6.4) {
		t.Errorf("unit %s, P50 %s", d.unit, describe(d.Pairs[0].measure("p50_ms")))
	}
}

// Each fact that differs between the sides is one sentence with both values. One that is unknown
// on a side, or that differs too little, is not reported.
func TestDifferences(t *testing.T) {
	yes := true
	for _, test := range []struct {
		why       string
		base, new func(*meta.Meta)
		what      string
		values    string // base, new
		text      string
	}{
		{"nothing", nil, nil, "", "", ""},
		{"the version of the application", nil, func(m *meta.Meta) { m.App.Version = "1.3" }, "", "", ""},
		{"the model", nil, func(m *meta.Meta) { m.Device.Model, m.Device.ID = "ABR-AL80", "3c4d" }, "device", "[ALN-AL00 (1a2b)] [ABR-AL80 (3c4d)]",
			"Base was recorded on the device ALN-AL00 (1a2b), new on the device ABR-AL80 (3c4d)"},
		{"another device of the model", nil, func(m *meta.Meta) { m.Device.ID = "3c4d" }, "device", "[ALN-AL00 (1a2b)] [ALN-AL00 (3c4d)]",
			"Base was recorded on the device ALN-AL00 (1a2b), new on the device ALN-AL00 (3c4d)"},
		{"the device, unknown", nil, func(m *meta.Meta) { m.Device = meta.Device{} }, "", "", ""},
		{"the system", nil, func(m *meta.Meta) { m.Device.System = "OpenHarmony-6.1" }, "system", "[OpenHarmony-6.0] [OpenHarmony-6.1]",
			"Base was recorded with the system OpenHarmony-6.0, new with the system OpenHarmony-6.1"},
		{"the software", nil, func(m *meta.Meta) { m.Device.Software = "6.0.0.48" }, "software", "[6.0.0.47] [6.0.0.48]",
			"Base was recorded with the software 6.0.0.47, new with the software 6.0.0.48"},
		{"a kernel that harms terminals", nil, func(m *meta.Meta) { m.Device.Kernel = "\x1b[2J" }, "kernel", "[HongMeng 1.9] [\x1b[2J]",
			`Base was recorded with the kernel HongMeng 1.9, new with the kernel "\x1b[2J"`},
		{"the refresh rate", nil, func(m *meta.Meta) { m.Device.RefreshHz = 60 }, "refresh_hz", "[120] [60]",
			"Base was recorded at 120 Hz, new at 60 Hz"},
		{"charging", nil, func(m *meta.Meta) { m.Device.Charging = &yes }, "charging", "[false] [true]",
			"Base was recorded on battery, new while charging"},
		{"charging, unknown", func(m *meta.Meta) { m.Device.Charging = nil }, nil, "", "", ""},
		{"a tag more", nil, func(m *meta.Meta) { m.Tags = []string{"sched", "ace", "graphic"} }, "tags", "[ace graphic] [ace graphic sched]",
			"Tags: only new was recorded with sched"},
		{"tags less", func(m *meta.Meta) { m.Tags = []string{"sched", "ace", "freq", "graphic"} }, nil, "tags", "[ace freq graphic sched] [ace graphic]",
			"Tags: only base was recorded with freq sched"},
		{"other tags", nil, func(m *meta.Meta) { m.Tags = []string{"graphic", "app"} }, "tags", "[ace graphic] [app graphic]",
			"Tags: only base was recorded with ace, only new was recorded with app"},
		{"the order of the tags", nil, func(m *meta.Meta) { m.Tags = []string{"ace", "graphic"} }, "", "", ""},
		{"the buffer", nil, func(m *meta.Meta) { m.BufferKB = 65536 }, "buffer_kb", "[32768] [65536]",
			"Base was recorded with a buffer of 32768 KB per CPU, new with a buffer of 65536 KB per CPU"},
		{"the clock", nil, func(m *meta.Meta) { m.Clock = "boot" }, "clock", "[mono] [boot]", "Base was recorded by the clock mono, new by the clock boot"},
		{"debug parameters", nil, func(m *meta.Meta) { m.DebugUI = []string{"persist.ace.debug.enabled=1"} }, "debug_ui", "[false] [true]",
			"Base was recorded without --debug-ui, new with --debug-ui"},
		{"the version of ohframe", nil, func(m *meta.Meta) { m.Ohframe = "0.2.0" }, "ohframe", "[0.1.0] [0.2.0]", "Base was recorded by ohframe 0.1.0, new by ohframe 0.2.0"},
		{"the day", nil, func(m *meta.Meta) { m.Begun = day(23, 10) }, "day", "[2026-11-16] [2026-11-23]",
			"Base was recorded on 2026-11-16, new on 2026-11-23: a difference of the days counts as a change of the application"},
		{"the next morning", func(m *meta.Meta) { m.Begun = day(16, 23) }, func(m *meta.Meta) { m.Begun = day(17, 5) }, "day", "[2026-11-16] [2026-11-17]",
			"Base was recorded on 2026-11-16, new on 2026-11-17: a difference of the days counts as a change of the application"},
		{"past midnight", func(m *meta.Meta) { m.Begun = day(16, 23) }, func(m *meta.Meta) { m.Begun = day(17, 4) }, "", "", ""},
		{"the hour", nil, func(m *meta.Meta) { m.Begun = day(16, 22) }, "", "", ""},
		{"the day, unknown", nil, func(m *meta.Meta) { m.Begun = time.Time{} }, "", "", ""},
		{"base is the later one", func(m *meta.Meta) { m.Begun = day(18, 3) }, nil, "day", "[2026-11-18] [2026-11-16]",
			"Base was recorded on 2026-11-18, new on 2026-11-16: a difference of the days counts as a change of the application"},
		{"the temperature", nil, func(m *meta.Meta) { m.Device.Temperature = 35 }, "temperature", "[31.0] [35.0]",
			"Base was recorded at 31.0 °C, new at 35.0 °C"},
		{"the temperature, a little", nil, func(m *meta.Meta) { m.Device.Temperature = 34.9 }, "", "", ""},
		{"the battery", nil, func(m *meta.Meta) { m.Device.Battery = 50 }, "battery", "[80] [50]",
			"Base was recorded with the battery at 80 %, new with the battery at 50 %"},
		{"the battery, a little", nil, func(m *meta.Meta) { m.Device.Battery = 51 }, "", "", ""},
		{"hot devices", func(m *meta.Meta) { m.Device.Temperature = 42.1 }, func(m *meta.Meta) { m.Device.Temperature = 44 }, "hot", "[42.1] [44.0]",
			"Base was recorded at up to 42.1 °C, new at up to 44.0 °C: devices slow down above 42 °C"},
		{"a hot device", func(m *meta.Meta) { m.Device.Temperature = 42 }, func(m *meta.Meta) { m.Device.Temperature = 42.5 }, "hot", "[] [42.5]",
			"New was recorded at up to 42.5 °C: devices slow down above 42 °C"},
	} {
		d := compare(t, recordedSide("base", phone(test.base)), recordedSide("new", phone(test.new)), Options{})
		var whats, texts, values []string
		for _, x := range d.differences() {
			whats, texts, values = append(whats, x.What), append(texts, x.Text), append(values, fmt.Sprint(x.Base, " ", x.New))
		}
		if strings.Join(whats, " ") != test.what || strings.Join(values, "; ") != test.values || strings.Join(texts, "; ") != test.text {
			t.Errorf("%s: got %q %q\n%s\nwant %s %q\n%s", test.why, whats, values, strings.Join(texts, "; "), test.what, test.values, test.text)
		}
	}
}

// Runs of a side that differ are reported, too: their differences hide those of the sides.
func TestDifferencesWithinSide(t *testing.T) {
	on := func(id string) Recording { return phone(func(m *meta.Meta) { m.Device.Model, m.Device.ID = "", id }) }
	for _, test := range []struct {
		base, new []Recording
		want      string
	}{
		{[]Recording{on("a"), on("b")}, []Recording{on("a"), on("a")}, "Base was recorded on the device a and on the device b, new on the device a"},
		{[]Recording{on("a"), on("b")}, []Recording{on("b"), on("a")}, "Each side was recorded on the device a and on the device b: the runs of a side should be alike"},
		{[]Recording{on("a"), on("b")}, []Recording{{}, {}}, "Base was recorded on the device a and on the device b: the runs of a side should be alike"},
		{[]Recording{{}, {}}, []Recording{on("a"), {}, on("b")}, "New was recorded on the device a and on the device b: the runs of a side should be alike"},
		{[]Recording{on("a"), {}}, []Recording{on("a"), {}}, ""},
		{[]Recording{on("a")}, []Recording{on("b"), on("c"), on("d"), on("e"), on("f")}, "Base was recorded on the device a, new on the device b and on the device c and on the device d and 2 more"},
	} {
		var got []string
		for _, x := range compare(t, recordedSide("base", test.base...), recordedSide("new", test.new...), Options{}).differences() {
			got = append(got, x.Text)
		}
		must.Equal(t, strings.Join(got, "; "), test.want)
	}
	// A mean: 30 and 34 against 36.
	at := func(celsius float64) Recording { return phone(func(m *meta.Meta) { m.Device.Temperature = celsius }) }
	list := compare(t, recordedSide("base", at(30), at(34)), recordedSide("new", at(36)), Options{}).differences()
	if len(list) != 1 || list[0].Text != "Base was recorded at 32.0 °C, new at 36.0 °C" {
		t.Errorf("temperatures: %+v", list)
	}
}

// Sides that were recorded in turn have the same days, and those of several sessions are tested
// with the days that they have.
func TestDifferentDays(t *testing.T) {
	in := func(session string, n int) Recording {
		r := phone(func(m *meta.Meta) { m.Begun = day(n, 12) })
		r.Session = session
		return r
	}
	for _, test := range []struct {
		why       string
		base, new []Recording
		want      string
	}{
		{"one session each", []Recording{in("a", 1), in("a", 1)}, []Recording{in("b", 2), in("b", 2)}, "[2026-11-01] [2026-11-02]"},
		{"unknown sessions", []Recording{in("", 1), in("", 3)}, []Recording{in("", 4)}, "[2026-11-01 2026-11-03] [2026-11-04]"},
		{"in turn", []Recording{in("", 1), in("", 3)}, []Recording{in("", 2), in("", 4)}, ""},
		{"a day in common", []Recording{in("", 1), in("", 3)}, []Recording{in("", 3)}, ""},
		{"one session of both sides", []Recording{in("a", 1)}, []Recording{in("a", 2)}, ""},
		{"several sessions", []Recording{in("a", 1), in("b", 2)}, []Recording{in("c", 4)}, ""},
	} {
		got := ""
		for _, x := range compare(t, recordedSide("base", test.base...), recordedSide("new", test.new...), Options{}).differences() {
			got += fmt.Sprint(x.Base, " ", x.New)
		}
		must.Equal(t, got, test.want, "%s", test.why)
	}
}
