package condition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/diag"
	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
)

// describe returns all fields of a condition.
func describe(c *Condition) string {
	return fmt.Sprintf("%s|%s above:%v %g relative:%v %s:%d", c.Process, c, c.Above, c.Limit, c.Relative, c.File, c.Line)
}

func descriptions(list Conditions) (lines []string) {
	for i := range list {
		lines = append(lines, describe(&list[i]))
	}
	return lines
}

func parsed(t *testing.T, s string, kind Kind) Conditions {
	t.Helper()
	list := must.Get(Parse(s, kind))(t)
	return list
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text string
		kind Kind
		want string
	}{
		{"jank_rate>+2%,fps<-5%", OfChanges, "|jank_rate>+2% above:true 0.02 relative:true :0; |fps<-5% above:false -0.05 relative:true :0"},
		{"jank_rate>+2pp", OfChanges, "|jank_rate>+2pp above:true 0.02 relative:false :0"},
		{"jank_rate > + 0.05", OfChanges, "|jank_rate>+0.05 above:true 0.05 relative:false :0"},
		{" p95_ms>+1.50 ,\tp99_ms > -3 % ", OfChanges, "|p95_ms>+1.50 above:true 1.5 relative:false :0; |p99_ms>-3% above:true -0.03 relative:true :0"},
		{"wait.cpu.preempted.lost_ms_per_s>+5%", OfChanges, "|wait.cpu.preempted.lost_ms_per_s>+5% above:true 0.05 relative:true :0"},
		{"jank_rate>5%,jank_rate>0.5,fps<55", OfValues, "|jank_rate>5% above:true 0.05 relative:false :0; |jank_rate>0.5 above:true 0.5 relative:false :0; |fps<55 above:false 55 relative:false :0"},
		// What can be negative, or above 1, can be beyond any limit.
		{"overrun_p95_ms<0, page.p90<0, fps_of_refresh>100%", OfValues, "|overrun_p95_ms<0 above:false 0 relative:false :0; |page.p90<0 above:false 0 relative:false :0; |fps_of_refresh>100% above:true 1 relative:false :0"},
		{"overrun_p95_ms<-100%, page.sum<-200%, fps_of_refresh>+100pp", OfChanges,
			"|overrun_p95_ms<-100% above:false -1 relative:true :0; |page.sum<-200% above:false -2 relative:true :0; |fps_of_refresh>+100pp above:true 1 relative:false :0"},
		// A process is for what follows, until there is another one. It may have colons itself.
		{"fps<5, gall*: fps<6,fps<7 ,a:b:p95_ms>8, 42 : fps<9", OfValues,
			"|fps<5 above:false 5 relative:false :0; gall*|fps<6 above:false 6 relative:false :0; gall*|fps<7 above:false 7 relative:false :0; " +
				"a:b|p95_ms>8 above:true 8 relative:false :0; 42|fps<9 above:false 9 relative:false :0"},
		{"launch.first_frame_ms>680, a.b.c: tap.jank_rate>5%", OfValues,
			"|launch.first_frame_ms>680 above:true 680 relative:false :0; a.b.c|tap.jank_rate>5% above:true 0.05 relative:false :0"},
		{"refresh.below(90)>20%, render_service: refresh.below( 59.5 )>0.5", OfValues, "|refresh.below(90)>20% above:true 0.2 relative:false :0; render_service|refresh.below(59.5)>0.5 above:true 0.5 relative:false :0"},
		{"layer.uneven>5%, p: layer(Surface[a.b:c,d](X)#1*).fps < 29", OfValues,
			"|layer.uneven>5% above:true 0.05 relative:false :0; p|layer(Surface[a.b:c,d](X)#1*).fps<29 above:false 29 relative:false :0"},
		{"SCENE_2.late>+1, fling.jank_rate>+2pp", OfChanges,
			"|SCENE_2.late>+1 above:true 1 relative:false :0; |fling.jank_rate>+2pp above:true 0.02 relative:false :0"},
	} {
		must.Equal(t, strings.Join(descriptions(parsed(t, test.text, test.kind)), "; "), test.want, "%q", test.text)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		text string
		kind Kind
		want string
	}{
		{"", OfValues, "position 1: expected the name of a measure"},
		{"  ", OfValues, "position 3: expected the name of a measure"},
		{"fps<5,", OfValues, "position 7: expected the name of a measure"},
		{"gallery:", OfValues, "position 9: expected the name of a measure"},
		{" : fps<5", OfValues, "position 2: the name of the process is empty"},
		{"fps<5,[: fps<5", OfValues, `position 7: "[" is no pattern such as com.example.* and no process id`},
		{"FPS<5", OfValues, `position 1: unknown measure "FPS"; did you mean fps?`},
		{"hitch>5", OfValues, `position 1: unknown measure "hitch"; did you mean hitch_ratio?`},
		// No number is advised: 1 s are not 1 ms.
		{"p95_ms>16ms", OfValues, "position 10: write a number without a unit: p95_ms is in ms"},
		{"p95_ms>1s", OfValues, "position 9: write a number without a unit: p95_ms is in ms"},
		{"p95_ms>+500us", OfChanges, "position 12: write a number without a unit: p95_ms is in ms"},
		{"fps<60 Hz, jank_rate>5%", OfValues, "position 8: write a number without a unit: fps is in Hz"},
		{"hitch_ratio>5ms/s", OfValues, "position 14: write a number without a unit: hitch_ratio is in ms/s"},
		{"page.p90>5MB", OfValues, "position 11: write a number without a unit: page.p90 is in the unit of its values"},
		{"hitch_ratio>+5%ms", OfChanges, "position 16: expected a comma or the end, not 'm'"},
		{"jank_rate>5percent", OfValues, "position 11: jank_rate is a share, 0 to 1: write 5% for percent"},
		{"jank_rate>0.05percent", OfValues, "position 15: expected a comma or the end, not 'p'"},
		// What follows is no unit if it is not the last: a comma is missing.
		{"fps<60 jank_rate>5%", OfValues, "position 8: expected a comma or the end, not 'j'"},
		{"fps<60 layer(a).fps<5", OfValues, "position 8: expected a comma or the end, not 'l'"},
		{"fps<60 and p95_ms>5", OfValues, "position 8: expected a comma or the end, not 'a'"},
		{"a: jank<5", OfValues, `position 4: unknown measure "jank"; did you mean jank_rate?`},
		{"fps<5, junk>1", OfValues, `position 8: unknown measure "junk"`},
		{"wait.what.lost_ms_per_s>+5", OfChanges, `position 1: unknown measure "wait.what.lost_ms_per_s"`},
		{"wait.ios.lost_ms_per_s>+5", OfChanges, `position 1: unknown measure "wait.ios.lost_ms_per_s"; did you mean wait.io.lost_ms_per_s?`},
		{"lost_ms_per>+5", OfChanges, `position 1: unknown measure "lost_ms_per"; did you mean lost_ms_per_s?`},
		{"jank_rate", OfValues, "position 10: expected > or < after jank_rate"},
		{"jank_rate=2%", OfValues, "position 10: expected > or < after jank_rate"},
		{"jank_rate >= 2%", OfValues, "position 11: expected >, not >=: a value equal to the limit passes"},
		{"fps<", OfValues, "position 5: expected a number"},
		{"fps<-", OfChanges, "position 6: expected a number"},
		{"fps<-.5", OfChanges, "position 6: expected a number"},
		{"fps<--5", OfChanges, "position 6: expected a number"},
		{"fps<NaN", OfValues, "position 5: expected a number"},
		{"fps<5.%", OfValues, "position 6: expected a comma or the end, not '.'"},
		{"fps<1e3", OfValues, "position 6: expected a comma or the end, not 'e'"},
		{"fps<5→", OfValues, "position 6: expected a comma or the end, not '→'"},
		{"fps<" + strings.Repeat("9", 400), OfValues, "position 5: the number is too large"},
		{"fps<-5pp", OfChanges, "position 6: pp is for shares: fps is not a share"},
		{"fps<55%", OfValues, "position 5: % is for shares: fps is not a share"},
		{"jank_rate>5pp", OfValues, "position 11: pp is for changes: write 5%"},
		{"jank_rate>5", OfValues, "position 11: jank_rate is a share, 0 to 1: write 5% for percent"},
		{"jank_rate>+2", OfChanges, "position 12: jank_rate is a share, 0 to 1: write +2pp for percentage points or +2% for a relative change"},
		{"jank_rate>+5%", OfValues, "position 11: expected a number without a sign: a sign makes it a limit on a change, which diff checks"},
		{"fps<-1,jank_rate>5%", OfChanges, "position 18: expected + or -: without a sign it is a limit on a value, which report checks"},
		{"lost_ms_per_s>5", OfChanges, "position 15: expected a change such as +5: lost_ms_per_s is a measure of causes, which only diff compares"},
		{"fps<5, flng.hitch>5", OfValues, `position 8: unknown group of interactions "flng"; did you mean fling?`},
		{"a.hitch>5", OfValues, `position 1: unknown group of interactions "a"`},
		{"tap.respons_ms>5", OfValues, `position 1: unknown measure "respons_ms" of interactions; did you mean tap.response_ms?`},
		{"tap.hitch_ratio>5", OfValues, `position 1: unknown measure "hitch_ratio" of interactions; did you mean tap.hitch?`},
		{"tap.>5", OfValues, `position 1: unknown measure "" of interactions`},
		{"fling>5", OfValues, "position 1: fling needs a measure: write fling.response_ms"},
		{"launch.response_ms>5", OfValues, "position 1: launch has no measure response_ms; did you mean launch.first_frame_ms?"},
		{"fling.late_frames>5", OfValues, `position 1: unknown measure "late_frames" of interactions; did you mean fling.late?`},
		{"fling.hitch_ms_per_s>5", OfValues, `position 1: unknown measure "hitch_ms_per_s" of interactions; did you mean fling.hitch?`},
		{"layer>5", OfValues, "position 1: layer needs a measure: write layer.fps"},
		{"fps<5, layer.queue_ms>5", OfValues, `position 8: unknown measure "queue_ms" of layers; did you mean layer.queue_p50_ms?`},
		{"layer(a.b).uneven_rate>5%", OfValues, `position 1: unknown measure "uneven_rate" of layers; did you mean layer.uneven?`},
		{"layer.>5", OfValues, `position 1: unknown measure "" of layers`},
		{"refresh.below>5%", OfValues, "position 1: refresh.below needs a refresh rate in hertz: write refresh.below(90)"},
		{"refresh.below(x)>5%", OfValues, "position 1: refresh.below needs a refresh rate in hertz: write refresh.below(90)"},
		{"refresh.below(90>5%", OfValues, "position 1: refresh.below needs a refresh rate in hertz: write refresh.below(90)"},
		{"refresh.below(90)>20", OfValues, "position 19: refresh.below(90) is a share, 0 to 1: write 20% for percent"},
		{"layer(a.fps>5", OfValues, "position 1: expected ) and a measure after the name of the layer"},
		{"layer().fps>5", OfValues, "position 1: the name of the layer is empty"},
		{"layers.fps>5", OfValues, `position 1: unknown group of interactions "layers"; did you mean layer?`},
		{"layer.uneven>5", OfValues, "position 14: layer.uneven is a share, 0 to 1: write 5% for percent"},
		{"launch>5", OfValues, "position 1: launch needs a measure: write launch.first_frame_ms"},
		{"cold.fps<5", OfValues, "position 1: cold has no measure fps; did you mean fps, fling.fps or layer.fps?"},
		{"layer.jank_rate>5%", OfValues, `position 1: unknown measure "jank_rate" of layers; did you mean jank_rate or fling.jank_rate?`},
		{"first_frame_ms>5", OfValues, `position 1: unknown measure "first_frame_ms"; did you mean launch.first_frame_ms?`},
		{"display.lowered_rate_share>5%", OfValues, `position 1: unknown group of interactions "display"; did you mean lowered_rate_share?`},
		{"frames.late>5", OfValues, `position 1: unknown group of interactions "frames"; did you mean late_frames?`},
		{"jank_rate>200%", OfValues, "position 11: jank_rate is never above 100 %"},
		{"a:fling.jank_rate>100%", OfValues, "position 19: fling.jank_rate is never above 100 %"},
		{"layer.late<0", OfValues, "position 12: layer.late is never below 0"},
		{"fps<0", OfValues, "position 5: fps is never below 0"},
		{"a:hangs<0.0, fps<5", OfValues, "position 9: hangs is never below 0"},
		{"page.count<0", OfValues, "position 12: page.count is never below 0"},
		{"jank_rate<-100pp", OfChanges, "position 11: jank_rate never changes by more than 100 pp"},
		{"jank_rate>>+100pp", OfChanges, "position 12: jank_rate never changes by more than 100 pp"},
		{"fps<-100%", OfChanges, "position 5: fps never falls by more than 100 %"},
		{"fling.first_frame_ms>5", OfValues, "position 1: fling has no measure first_frame_ms; did you mean fling.response_ms?"},
		{"fling.hitch>+5", OfValues, "position 13: expected a number without a sign: a sign makes it a limit on a change, which diff checks"},
	} {
		list, err := Parse(test.text, test.kind)
		if e := (*diag.Error)(nil); !errors.As(err, &e) || e.What != test.want || e.Hint == "" || list != nil {
			t.Errorf("%q: %v, %v, want %s", test.text, list, err, test.want)
		}
	}
}

const file = "# Limits of the release.\njank_rate>5%, jank_rate>+2pp\r\n\n" +
	"gall*: fps<55,fps < -5%\t# of the animation\n  # indented\nrender#1: hitch_ratio>10\nfps<5"

// Each condition has its line. A process is for the rest of its line.
func TestParseFile(t *testing.T) {
	for kind, want := range map[Kind][]string{
		OfValues: {
			"|jank_rate>5% above:true 0.05 relative:false b.txt:2", "gall*|fps<55 above:false 55 relative:false b.txt:4",
			"render#1|hitch_ratio>10 above:true 10 relative:false b.txt:6", "|fps<5 above:false 5 relative:false b.txt:7",
		},
		OfChanges: {"|jank_rate>+2pp above:true 0.02 relative:false b.txt:2", "gall*|fps<-5% above:false -0.05 relative:true b.txt:4"},
	} {
		list, err := ParseFile(strings.NewReader("\ufeff"+file), "b.txt", kind)
		if got := descriptions(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
		}
	}
}

// A typo is an error with its line, never a condition that is not checked.
func TestParseFileErrors(t *testing.T) {
	for _, test := range []struct {
		text string
		kind Kind
		want string
	}{
		{"fps<5\n# c\n fps<5, jank_rat>5%", OfValues, `line 3: position 9: unknown measure "jank_rat"; did you mean jank_rate?`},
		{"fps<5\nfps>+x", OfValues, "line 2: position 6: expected a number"}, // of the other kind
		{"", OfValues, "no budgets"},
		{"# fps<5\n\n", OfValues, "no budgets"},
		{"fps<5", OfChanges, "no conditions on changes, only on values, which report checks"},
		{"fps<-5", OfValues, "no conditions on values, only on changes, which diff checks"},
		{strings.Repeat("#", maxFile+1), OfValues, "more than 1048576 bytes, which is no file of budgets"},
	} {
		list, err := ParseFile(strings.NewReader(test.text), "b.txt", test.kind)
		if e := (*diag.Error)(nil); !errors.As(err, &e) || err.Error() != test.want || list != nil {
			t.Errorf("%.20q: %v, %v, want %s", test.text, list, err, test.want)
		}
	}
}

// YAML is refused as such: its forms of texts, lists and anchors, and numbers as values.
func TestParseFileYAML(t *testing.T) {
	for _, line := range []string{
		"budgets: >", "a.b: >-", "a.b: |", "a.b:", "a.b: &x", "a.b: *x", "a.b: [fps<40]", `a.b: "fps<40"`, `"fps<40"`, "- fps<40", "--- # budgets", "fps: 40", "jank_rate: 5%", `{"fps": 40}`,
	} {
		_, err := ParseFile(strings.NewReader("fps<5\n"+line+"\n  fps<40\n"), "b.txt", OfValues)
		if e := (*diag.Error)(nil); !errors.As(err, &e) || e.What != "budgets are lines of conditions, not YAML" || e.Line != 2 || !strings.Contains(e.Hint, "com.example.gallery: jank_rate>30%, fps<40") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{"fps<x", "a.b: fps<", "a.b: jank_rat>5%"} {
		if _, err := ParseFile(strings.NewReader(line), "b.txt", OfValues); err == nil || strings.Contains(err.Error(), "YAML") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A file is refused, or has conditions that say the same when they are parsed again.
func FuzzParseFile(f *testing.F) {
	f.Add(file, true)
	f.Add("a:b: wait.io.lost_ms_per_s > + 5 %", false)
	f.Add("fling.hitch>5, a: APP_LIST_FLING.fps < 55", true)
	f.Fuzz(func(t *testing.T, text string, values bool) {
		kind := OfChanges
		if values {
			kind = OfValues
		}
		list, err := ParseFile(strings.NewReader(text), "", kind)
		if e := (*diag.Error)(nil); err != nil && !errors.As(err, &e) || (err == nil) != (len(list) > 0) {
			t.Fatalf("%d conditions, %T: %v", len(list), err, err)
		}
		for i := range list {
			again, err := Parse(list[i].String(), kind)
			if err != nil || again[0].Limit != list[i].Limit || again[0].Above != list[i].Above || again[0].Relative != list[i].Relative {
				t.Errorf("%s: %v", describe(&list[i]), err)
			}
		}
	})
}

func TestParseLimits(t *testing.T) {
	tested := []string{"jank_rate", "p95_ms", "fps"}
	got, err := ParseLimits("jank_rate=2pp, p95_ms = 0.5,fps=3%", tested)
	if err != nil || len(got) != 3 || got["jank_rate"] != (Limit{0.02, false}) || got["p95_ms"] != (Limit{0.5, false}) || got["fps"] != (Limit{0.03, true}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, test := range []struct{ text, want string }{
		{"", "position 1: expected the name of a measure"},
		{"p95_ms", "position 7: expected = after p95_ms"},
		{"p95_ms=+1", "position 8: expected a number"},
		{"p95_ms=1pp", "position 8: pp is for shares: p95_ms is not a share"},
		{"jank_rate=2", "position 11: jank_rate is a share, 0 to 1: write 2pp for percentage points or 2% for a relative change"},
		{"fps=1, max_ms=1", "position 8: max_ms is not tested; these are: jank_rate, p95_ms, fps"},
		{"fps=3 jank_rate=2pp", "position 7: expected a comma or the end, not 'j'"},
		{"p95_ms=1 s", "position 10: write a number without a unit: p95_ms is in ms"},
		{"p95_ms=1;", "position 9: expected a comma or the end, not ';'"},
	} {
		if _, err := ParseLimits(test.text, tested); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

func known(x float64) *float64 { return &x }

// A change is three units against three, with a variance of spread² on each side: the standard error is
// spread·√(2/3), and t has 4 degrees of freedom. Its one-sided p-value is (1 − x(3 − x²)/2)/2 with
// x = t/√(4 + t²). What is equal to the limit is not beyond it, though 0.65 − 0.5 is not 0.15 to a
// computer.
func TestDecide(t *testing.T) {
	for _, test := range []struct {
		condition         string
		base, new, spread float64
		status            Status
		text              string
	}{
		// t = 9.186, p 0.00039
		{"jank_rate>+9pp", .5, .65, .02, Failed, "50.0 % → 65.0 %, +15.0 pp (p 0.00039)"},
		{"jank_rate>+0.15", .5, .65, .02, Passed, "50.0 % → 65.0 %, +15.0 pp (p 0.00039; within the limit)"},
		{"jank_rate>+29%", .5, .65, .02, Failed, "50.0 % → 65.0 %, +30.0 % (p 0.00039)"},
		{"jank_rate>+30%", .5, .65, .02, Passed, "50.0 % → 65.0 %, +30.0 % (p 0.00039; within the limit)"},
		// For a fall p is 0.99961. The t of p 0.04 is 2.333, that of p 0.2 is 0.941: a fall of
		// 3.274 standard errors, enlarged by 1/8 as they are estimated, is 6.0 points.
		{"jank_rate<-1%", .5, .65, .02, Passed, "50.0 % → 65.0 %, +30.0 % (p 1; −12.0 % would have been found)"},
		// From the limit of 9 points t is 3.674, p 0.0107. 15 − 2.333 standard errors are 11.2.
		{"jank_rate>>+9pp", .5, .65, .02, Failed, "50.0 % → 65.0 %, +15.0 pp (p 0.011; surely beyond +11.2 pp)"},
		// From that of 12 points t is 1.837, p 0.070.
		{"jank_rate>>+12pp", .5, .65, .02, Passed, "50.0 % → 65.0 %, +15.0 pp (p 0.07: may be chance that it is beyond; N runs on each side would decide)"},
		// t = 0.919, p 0.205
		{"jank_rate>+2pp", .5, .65, .2, Passed, "50.0 % → 65.0 %, +15.0 pp (p 0.21: may be chance; N runs on each side would decide)"},
		{"fps<-9", 50, 40, .5, Failed, "50.0 → 40.0, −10.0 (p < 0.0001)"},
		{"fps<-10", 50, 40, .5, Passed, "50.0 → 40.0, −10.0 (p < 0.0001; within the limit)"},
		{"fps>-10%", 50, 50, .5, Failed, "50.0 → 50.0, 0 % (p 0.00013)"},                      // must fall by 10 %: t = 5/0.408 = 12.25
		{"fps>-10%", 50, 49, 10, Passed, "50.0 → 49.0, −2.0 % (p 0.32; −10.0 % is possible)"}, // t = 4/8.165 = 0.490
		{"fps>+1000000%", 0, 1, .01, Failed, "0.0 → 1.0, from zero (p < 0.0001)"},
		{"fps>+0%", 0, 0, 0, Passed, "0.0 → 0.0, from zero (p 0.5)"},
		{"fps<-1%", 0, 0, 0, Passed, "0.0 → 0.0, from zero (p 0.5)"},
	} {
		c := &parsed(t, test.condition, OfChanges)[0]
		change := func() *Change {
			delta, s := test.new-test.base, test.spread
			units := func(x float64) []significance.UnitValue {
				return []significance.UnitValue{significance.Exactly(x - s), significance.Exactly(x), significance.Exactly(x + s)}
			}
			return &Change{
				Condition: c, Base: &test.base, New: &test.new, Delta: &delta, Advice: Advice{UnitName: "run", Longer: 1, Most: 50},
				Series: &significance.Series{Base: units(test.base), New: units(test.new)},
			}
		}
		tested, untested := change(), change()
		untested.Series = nil
		Decide([]*Change{tested, untested})
		want := test.text
		if n := tested.UnitsNeeded; n != nil {
			want = strings.Replace(want, "N runs", fmt.Sprintf("%d runs", *n), 1)
		}
		if tested.Status != test.status || tested.Text != want {
			t.Errorf("%s: %s, %s, want %s, %s", c, tested.Status, tested.Text, test.status, want)
		}
		// What is beyond the limit by chance is undecided if a number of runs would decide.
		few := change()
		few.Advice.Most = 2
		Decide([]*Change{few})
		for _, x := range []*Change{tested, few} {
			var check Check
			check.SetResult(x)
			if want := x == tested && strings.Contains(test.text, "would decide"); check.Undecided != want || check.Status != x.Status || check.Text != x.Text {
				t.Errorf("%s: %+v, undecided %t", c, check, want)
			}
		}
		if untested.Status != Unknown || untested.Text != "" {
			t.Errorf("%s: %s, %s without a test", c, untested.Status, untested.Text)
		}
	}
	unknown := &Change{Condition: &parsed(t, "fps<-1%", OfChanges)[0]}
	if Decide([]*Change{unknown}); unknown.Status != Unknown {
		t.Errorf("%+v", unknown)
	}
	// Two conditions on one change are tested together only if they ask something else: the same
	// p-value for both.
	x, y := .5, .65
	delta := y - x
	pair := func(first, second string) (p [2]float64) {
		series := &significance.Series{
			Base: []significance.UnitValue{significance.Exactly(.48), significance.Exactly(.5), significance.Exactly(.52)},
			New:  []significance.UnitValue{significance.Exactly(.63), significance.Exactly(.65), significance.Exactly(.67)},
		}
		var list []*Change
		for _, s := range []string{first, second} {
			list = append(list, &Change{Condition: &parsed(t, s, OfChanges)[0], Base: &x, New: &y, Delta: &delta, Series: series, Advice: Advice{UnitName: "run", Longer: 1, Most: 50}})
		}
		Decide(list)
		return [2]float64{list[0].Test.P, list[1].Test.P}
	}
	if same, other := pair("jank_rate>+1pp", "jank_rate>+2pp"), pair("jank_rate>+1pp", "jank_rate>>+2pp"); same[0] != same[1] || other[0] <= 1.9*same[0] {
		t.Errorf("p-values %v of the same hypothesis, %v of two", same, other)
	}
}

// A condition on FPS or hitches is not on a process that shows frames with pauses between them, if
// it names none and is on others.
func TestStillProcess(t *testing.T) {
	still := &stats.Process{Name: "clock", PID: 1, Frames: stats.Counts{Complete: 20}, FPS: &stats.FPS{All: 1}, Hitches: &stats.Hitches{}}
	moving := &stats.Process{Name: "gallery", PID: 2, Frames: stats.Counts{Complete: 20}, FPS: &stats.FPS{Rate: known(60.0)}, Hitches: &stats.Hitches{Ratio: known(0.0)}}
	const why = "unknown: no two frames were shown without a pause between them"
	for _, test := range []struct {
		conditions string
		processes  []*stats.Process
		want       string
	}{
		{"fps<55,hitch_ratio>10", []*stats.Process{still, moving}, "gallery: fps<55: 60.0 gallery: hitch_ratio>10: 0.0 ms/s"},
		{"clock:fps<55,gallery:fps<55", []*stats.Process{still, moving}, "clock: fps<55: " + why + " gallery: fps<55: 60.0"},
		{"hitch_ratio>10", []*stats.Process{still}, "clock: hitch_ratio>10: " + why},
	} {
		conditions := must.Get(Parse(test.conditions, OfValues))(t)
		var got []string
		for _, c := range conditions.CheckReport("", &stats.Report{Processes: test.processes}, []*analyzer.Process{{PID: 1, Name: "clock"}, {PID: 2, Name: "gallery"}}) {
			got = append(got, c.String())
		}
		must.Equal(t, strings.Join(got, " "), test.want, "%s", test.conditions)
	}
}

// A condition for one process is not checked for others. It is unknown if no selected process matches. A value that is printed like the limit has more digits.
func TestCheckReport(t *testing.T) {
	all := []*analyzer.Process{{PID: 1, Name: "gallery"}, {PID: 2, Name: "render_service"}}
	report := &stats.Report{Processes: []*stats.Process{
		{Name: "gallery", PID: 1, Frames: stats.Counts{Complete: 20}, JankRate: known(.5), FPS: &stats.FPS{Rate: known(100.0)}},
		{Name: "render_service", PID: 2, Frames: stats.Counts{Complete: 20}, FPS: &stats.FPS{Rate: known(100.0)}},
		{Name: "idle", PID: 3},
	}}
	check := func(conditions, input string, r *stats.Report, all []*analyzer.Process, want ...string) {
		t.Helper()
		var got []string
		for _, c := range parsed(t, conditions, OfValues).CheckReport(input, r, all) {
			got = append(got, fmt.Sprintf("%s: %s", c.Status, c))
		}
		must.EqualSlices(t, got, want, "checks")
	}
	check("jank_rate>49.9%, fps<100.001, fps<100", "", report, all,
		"failed: gallery: jank_rate>49.9%: 50.0 %", "failed: gallery: fps<100.001: 100.000", "passed: gallery: fps<100: 100.0",
		"unknown: render_service: jank_rate>49.9%: unknown: no frame is judged: deadlines are unknown", "failed: render_service: fps<100.001: 100.000", "passed: render_service: fps<100: 100.0")
	check("gallery: fps<100.5, camera: fps<10, render*: fps<10", "", report, all,
		"failed: gallery: fps<100.5: 100.0", "passed: render_service: fps<10: 100.0",
		"unknown: camera: fps<10: no process with frames matches; the trace has gallery, render_service")
	only := &stats.Report{Processes: report.Processes[:1]}
	check("gallery: fps<100, render*: fps<10", "a", only, all, "passed: a: gallery: fps<100: 100.0", "unknown: a: render*: fps<10: not among the selected processes")
	check("fps<100", "a", &stats.Report{}, all, "unknown: a: complete frames: none in the selected processes")
	check("fps<100", "a", &stats.Report{Processes: report.Processes[2:]}, nil, "unknown: a: complete frames: none")
}

// If no frame of a process can be judged, there is no jank to check: the condition is unknown
// only if it selects no other process. Unknown deadlines of a framework's frames are a reason.
func TestNeverJudged(t *testing.T) {
	compositor := &stats.Process{Name: "surfaceflinger", PID: 1, Frames: stats.Counts{Complete: 20, Framework: 20}}
	app := &stats.Process{Name: "app", PID: 2, Frames: stats.Counts{Complete: 20, Judged: 20}, JankRate: known(.1)}
	cut := &stats.Process{Name: "cut", PID: 3, Frames: stats.Counts{Complete: 8, Framework: 8, Unjudged: 3, Late: 1, Judged: 5}}
	none := &stats.Process{Name: "none", PID: 4, Frames: stats.Counts{Complete: 20}}
	render := &stats.Process{Name: "render_service", PID: 5, Kind: stats.RenderService, Frames: stats.Counts{Complete: 20}}
	pooled := &stats.Process{Name: "render_service", Kind: stats.RenderService, Frames: render.Frames, Pool: &stats.Pool{Name: "render_service"}, Display: &stats.Display{Share: known(.3)}}
	hangs := &stats.Process{Name: "hangs", PID: 6, Kind: stats.Application, Frames: stats.Counts{Complete: 20}, Hangs: &stats.Hangs{Ratio: known(40)}}
	hung := &stats.Process{Name: "hung", PID: 7, Kind: stats.Application, Hangs: &stats.Hangs{Ratio: known(30)}} // without frames
	for _, test := range []struct {
		conditions string
		list       []*stats.Process
		want       []string
	}{
		{"jank_rate>5%", []*stats.Process{compositor, app}, []string{"failed: app: jank_rate>5%: 10.0 %"}},
		{"jank_rate>5%", []*stats.Process{compositor}, []string{"unknown: jank_rate>5%: no frame of the selected processes can be late or on time"}},
		{"surface*: jank_rate>5%", []*stats.Process{compositor, app}, []string{"unknown: surface*: jank_rate>5%: no frame of the selected processes can be late or on time"}},
		{"surface*: late_frames>5", []*stats.Process{compositor}, []string{"passed: surfaceflinger: late_frames>5: 0"}},
		{"cut: jank_rate>5%, p95_ms>5, fps<5", []*stats.Process{cut}, []string{
			"unknown: cut: jank_rate>5%: unknown: 3 of 8 frames that drew not judged", "unknown: cut: p95_ms>5: unknown: fewer than 20 frames",
			"unknown: cut: fps<5: unknown: fewer than two frames are known to have been shown",
		}},
		{"jank_rate>5%", []*stats.Process{none}, []string{"unknown: none: jank_rate>5%: unknown: no frame is judged: deadlines are unknown"}},
		{"jank_rate>5%", []*stats.Process{cut, app}, []string{"failed: app: jank_rate>5%: 10.0 %"}},
		{"jank_rate>5%, p99_ms>5, late_frames>5", []*stats.Process{cut}, []string{
			"passed: cut: late_frames>5: 1", "unknown: jank_rate>5%: too few frames: no process has more than 8, and 20 are needed",
			"unknown: p99_ms>5: too few frames: no process has more than 8, and 100 are needed",
		}},
		{"hang_ratio>20", []*stats.Process{render, hangs}, []string{"failed: hangs: hang_ratio>20: 40.0 ms/s"}},
		{"refresh.below(90)>20%", []*stats.Process{render}, []string{"unknown: render_service: refresh.below(90)>20%: unknown"}},
		{"refresh.below(90)>20%, lowered_rate_share>20%", []*stats.Process{pooled}, []string{
			"unknown: render_service: refresh.below(90)>20%: unknown: a dataset of several traces has only lowered_rate_share", "failed: render_service: lowered_rate_share>20%: 30.0 %",
		}},
		{"hang_ratio>20", []*stats.Process{render}, []string{"unknown: hang_ratio>20: no application"}},
		{"render_service: hang_ratio>20", []*stats.Process{render, hangs}, []string{"unknown: render_service: hang_ratio>20: unknown"}},
		{"hang_ratio>20", []*stats.Process{hangs, hung}, []string{"failed: hangs: hang_ratio>20: 40.0 ms/s", "failed: hung: hang_ratio>20: 30.0 ms/s"}},
		{"hung: hang_ratio>20", []*stats.Process{hangs, hung}, []string{"failed: hung: hang_ratio>20: 30.0 ms/s"}},
		{"hang_ratio>30, late_frames>5", []*stats.Process{hung}, []string{"passed: hung: hang_ratio>30: 30.0 ms/s", "unknown: late_frames>5: no complete frames"}},
		{"jank_rate>5%, late_frames>5", []*stats.Process{app, hung}, []string{"failed: app: jank_rate>5%: 10.0 %", "passed: app: late_frames>5: 0"}},
		{"hung: late_frames>5", []*stats.Process{app, hung}, []string{"unknown: hung: late_frames>5: no complete frames"}},
	} {
		var all []*analyzer.Process
		for _, p := range test.list {
			all = append(all, &analyzer.Process{PID: p.PID, Name: p.Name})
		}
		var got []string
		for _, c := range parsed(t, test.conditions, OfValues).CheckReport("", &stats.Report{Processes: test.list}, all) {
			got = append(got, fmt.Sprintf("%s: %s", c.Status, c))
		}
		must.EqualSlices(t, got, test.want, "%s", test.conditions)
	}
}
