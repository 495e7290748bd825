package diff

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
)

func TestParseConditions(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"jank_rate>+2%,fps<-5%", "jank_rate>+2% true 0.02 true; fps<-5% false -0.05 true"},
		{"jank_rate>+2pp", "jank_rate>+2pp true 0.02 false"},
		{"jank_rate > + 0.05", "jank_rate>+0.05 true 0.05 false"},
		{" p95_ms>+1.50 ,\tp99_ms > -3 % ", "p95_ms>+1.50 true 1.5 false; p99_ms>-3% true -0.03 true"},
		{"lost_frames>+0", "lost_frames>+0 true 0 false"},
		{"vsync_to_received_p50_ms<-0.25", "vsync_to_received_p50_ms<-0.25 false -0.25 false"},
		{"fps<-5%,fps<-5%", "fps<-5% false -0.05 true; fps<-5% false -0.05 true"},
	} {
		list, err := ParseConditions(test.text)
		var got []string
		for _, c := range list {
			got = append(got, fmt.Sprint(c, c.Above, c.Limit, c.Relative))
		}
		if g := strings.Join(got, "; "); err != nil || g != test.want {
			t.Errorf("%q: got %q, %v, want %q", test.text, g, err, test.want)
		}
	}
}

func TestParseConditionsErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "position 1: expected the name of a measure"},
		{"  ", "position 3: expected the name of a measure"},
		{"fps<-5%,", "position 9: expected the name of a measure"},
		{",fps<-5%", "position 1: expected the name of a measure"},
		{"FPS<-5%", `position 1: unknown measure "FPS"; did you mean fps?`},
		{"jank<-5%", `position 1: unknown measure "jank"; did you mean jank_rate?`},
		{"fps<-5%, junk>+1", `position 10: unknown measure "junk"`},
		{"jank_rate", "position 10: expected > or < after jank_rate"},
		{"jank_rate=+2%", "position 10: expected > or < after jank_rate"},
		{"jank_rate>=+2%", "position 10: expected >, not >=: a value equal to the limit passes"},
		{"jank_rate>2%", "position 11: expected + or -: the limit applies to the change of jank_rate, not to its value"},
		{"fps<", "position 5: expected a change such as +5 after fps<"},
		{"fps<-", "position 6: expected a number"},
		{"fps<-x", "position 6: expected a number"},
		{"fps<-.5", "position 6: expected a number"},
		{"fps<--5", "position 6: expected a number"},
		{"fps<-NaN", "position 6: expected a number"},
		{"fps<-Inf", "position 6: expected a number"},
		{"fps<-5.%", "position 7: expected a comma or the end, not '.'"},
		{"fps<-1e3", "position 7: expected a comma or the end, not 'e'"},
		{"fps<-5%%", "position 8: expected a comma or the end, not '%'"},
		{"fps<-5%;jank_rate>+1%", "position 8: expected a comma or the end, not ';'"},
		{"fps<-5%→", "position 8: expected a comma or the end, not '→'"},
		{"fps<-" + strings.Repeat("9", 400), "position 5: the number is too large"},
		{"fps<-5pp", "position 5: pp is for shares: fps is not a share"},
		{"jank_rate>+2", "position 11: jank_rate is a share, 0 to 1: write +2pp for percentage points or +2% for a relative change"},
		{"empty_rate<-1", "position 12: empty_rate is a share, 0 to 1: write -1pp for percentage points or -1% for a relative change"},
	} {
		list, err := ParseConditions(test.text)
		if e := (*SyntaxError)(nil); !errors.As(err, &e) || e.Error() != test.want || list != nil {
			t.Errorf("%q: %v, %v, want %s", test.text, list, err, test.want)
		}
	}
}

// The measures of gallery are those of TestCompare; of the render service
// nothing but its frame rate changes.
func TestConditions(t *testing.T) {
	for _, test := range []struct {
		text      string
		app       Status
		rendering Status
	}{
		{"jank_rate>+29%", Failed, Passed},
		{"jank_rate>+30%", Passed, Passed}, // exactly is not beyond
		{"jank_rate>+31%", Passed, Passed},
		{"jank_rate>+14pp", Failed, Passed},
		{"jank_rate>+15pp", Passed, Passed}, // though 0.65 − 0.5 is not 0.15 to a computer
		{"jank_rate>+0.14", Failed, Passed},
		{"jank_rate>+0.15", Passed, Passed},
		{"jank_rate<-1%", Passed, Passed},
		{"jank_rate>-1%", Failed, Failed}, // must fall by a percent
		{"fps_all<-19%", Failed, Failed},
		{"fps_all<-20%", Passed, Passed},
		{"fps_all<-9", Failed, Failed},
		{"fps_all<-10", Passed, Passed},
		{"fps_all>+0", Passed, Passed},
		{"p95_ms>+2.99", Failed, Passed},
		{"p95_ms>+3", Passed, Passed},
		{"p95_ms>+15.7%", Failed, Passed},
		{"p95_ms>+15.8%", Passed, Passed},
		{"empty_rate>+0%", Passed, Passed},     // none, and none
		{"ui_work_p50_ms>+1", Failed, Unknown}, // rendering has no such stage
		{"ui_work_p50_ms<-1%", Passed, Unknown},
	} {
		conditions, err := ParseConditions(test.text)
		if err != nil {
			t.Fatal(err)
		}
		d := compare(t, before(), after(), Options{FailOn: conditions, Any: true})
		if len(d.Outcomes) != 2 || d.Outcomes[0].Status != test.app || d.Outcomes[1].Status != test.rendering {
			t.Errorf("%s: %s, %s, want %s, %s", test.text, d.Outcomes[0].Status, d.Outcomes[1].Status, test.app, test.rendering)
		}
	}
}

func TestConditionsFromZero(t *testing.T) {
	length := func(frames int) Side {
		return gallery("gallery", "render_service", 20, 20, func(i int) int {
			if i < frames {
				return 11
			}
			return 5
		}).side("")
	}
	conditions, err := ParseConditions("jank_rate>+1000000%,jank_rate<-1%,jank_rate>+4pp,jank_rate>+5pp")
	if err != nil {
		t.Fatal(err)
	}
	status := func(base, new int) (list []Status) {
		for _, o := range compare(t, length(base), length(new), Options{FailOn: conditions, Any: true}).Outcomes[:4] {
			list = append(list, o.Status)
		}
		return list
	}
	for _, test := range []struct {
		base, new int
		want      string
	}{
		{0, 0, "[passed passed passed passed]"},
		{0, 1, "[failed passed failed passed]"}, // 1 of 20
		{1, 0, "[passed failed passed passed]"},
	} {
		if got := fmt.Sprint(status(test.base, test.new)); got != test.want {
			t.Errorf("from %d late to %d: %s, want %s", test.base, test.new, got, test.want)
		}
	}
}

func TestOutcomeText(t *testing.T) {
	conditions, err := ParseConditions("jank_rate>+2%, jank_rate>+2pp, fps_all<-5%, p95_ms>+1, longest_streak>+1, empty_rate>-1%, hitch_ms>+1%, ui_work_p50_ms>+1")
	if err != nil {
		t.Fatal(err)
	}
	photos := gallery("photos", "render_service", 20, 25, func(i int) int { return 4 + i }).side("after")
	d := compare(t, before(), photos, Options{FailOn: conditions, Any: true, Map: []Mapping{{"gallery", "photos"}}})
	want := []string{
		"gallery → photos: jank_rate>+2%: 50.0 % → 65.0 %, +30.0 %",
		"gallery → photos: jank_rate>+2pp: 50.0 % → 65.0 %, +15.0 pp",
		"gallery → photos: fps_all<-5%: 50.00 → 40.00, −20.0 %",
		"gallery → photos: p95_ms>+1: 19.00 → 22.00, +3.00",
		"gallery → photos: longest_streak>+1: 10 → 13, +3",
		"gallery → photos: empty_rate>-1%: 0 % → 0 %, from zero",
		"gallery → photos: hitch_ms>+1%: 0.00 → 0.00, from zero",
		"gallery → photos: ui_work_p50_ms>+1: 10.00 → 13.00, +3.00",
	}
	for i, o := range d.Outcomes[:len(want)] {
		if got := o.String(); got != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
	rendering := d.Outcomes[len(want):]
	if got, want := rendering[7].String(), "render_service: ui_work_p50_ms>+1: unknown in both traces"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if failed := d.Failed(); len(failed) != 9 || len(d.Unknown()) != 1 { // all but hitch_ms of the application, fps and empty_rate of rendering
		t.Errorf("failed: %v, unknown: %v", failed, d.Unknown())
	}
}

// A condition fails if the whole interval is beyond the limit, and is unknown if nothing
// is known of it or a process is gone.
func TestConditionsSignificant(t *testing.T) {
	shuffled := func(longer int) func(int) int { return func(i int) int { return 1 + longer + i*7%20 } }
	base := gallery("gallery", "render_service", 60, 20, shuffled(0))
	base.frame(analyzer.ApplicationFrame, base.process(300, "gone"), 1000, 5)
	new := gallery("gallery", "render_service", 60, 20, shuffled(8))
	conditions, err := ParseConditions("p50_ms>+1,p50_ms>+8,p50_ms>+7.9,p50_ms<-1,p50_ms>+10%,max_ms>+1,p99_ms>+1,hitch_ratio>+1")
	if err != nil {
		t.Fatal(err)
	}
	d := compare(t, base.side(""), new.side(""), Options{FailOn: conditions})
	m := d.Pairs[0].measure("p50_ms")
	if *m.Low <= 1 || *m.Low >= 7.9 {
		t.Fatalf("the conditions do not fit: %s", m.finding())
	}
	want := []string{
		"failed ", "passed ", "passed ", "passed ", "failed ",
		"unknown not tested for significance; --fail-on-any compares the values", "unknown too few frames: each run needs 100",
		"passed ",
	}
	for i, o := range d.Outcomes[:len(want)] {
		if got := string(o.Status) + " " + o.Reason(); got != want[i] {
			t.Errorf("%s: %s, want %s", o.Condition, got, want[i])
		}
	}
	last := d.Outcomes[len(d.Outcomes)-1]
	if got, want := last.String(), "gone: hitch_ratio>+1: the process is not in the new trace"; got != want || last.Status != Unknown {
		t.Errorf("got %s, want %s", got, want)
	}
}
