package ohframe_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/internal/diag"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// Events of the system between the lines of a text trace, and in a file beside it, are instants at their time
// of day, and say why a CPU was limited. Without a time of day they are counted.
func TestSystemEventsOfText(t *testing.T) {
	var scene bytes.Buffer
	must.Get((simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: simulate.CauseCapped}).Generate(&scene))(t)
	text := regexp.MustCompile(`(?m)^.* cdev_update: .*\n`).ReplaceAllString(scene.String(), "")
	first := regexp.MustCompile(`(?m)^.*\] +\S+ +(\d+)\.(\d+): .*\n`).FindStringSubmatch(text)
	sync := fmt.Sprintf("a-1 (1) [000] .... %s.%s: print: trace_event_clock_sync: realtime_ts=1700000000000\n", first[1], first[2])
	const (
		inside = `{"domain_":"RSS","name_":"LIMIT_FREQUENCY","time_":1700000000001,"MSG":"a-1 (1) [000] .... 1.000000: print: B|1|x"}` + "\r\n"
		beside = "\n" + `{"domain_":"THERMAL","name_":"THERMAL_LEVEL_CHANGED","type_":2,"time_":1700000000002,"tz_":"+0800","LEVEL":3}` + "\nnone\n"
	)
	convert := func(text string, events io.Reader) ([]byte, *ohframe.Summary) {
		var out bytes.Buffer
		s := must.Get(ohframe.Convert(t.Context(), strings.NewReader(text), &out, ohframe.ConvertOptions{Options: ohframe.Options{Causes: true, Recording: ohframe.Recording{SystemEvents: events}}}))(t)
		return out.Bytes(), s
	}
	out, s := convert(sync+inside+text, strings.NewReader(beside))
	if s.Lines.Logged != 1 || s.Lines.NotUnderstood != 0 {
		t.Errorf("%d lines of logs, %d not understood, want 1 and 0", s.Lines.Logged, s.Lines.NotUnderstood)
	}
	if want := "1 event of the system not understood, skipped"; !slices.Contains(diag.Texts(s.Warnings), want) {
		t.Errorf("no warning %q in %q", want, s.Warnings)
	}
	for _, w := range s.Details {
		if strings.Contains(w.Text, "hilog") {
			t.Errorf("%q, but it is an event", w.Text)
		}
	}
	reasons := 0
	for _, f := range s.Timeline.Frames {
		if strings.Contains(s.Why(f).String(), "(thermal level 3") {
			reasons++
		}
	}
	if reasons == 0 {
		t.Error("no frame was slow at thermal level 3")
	}
	session := enginetest.Load(t, out)
	enginetest.CheckGate(t, session)
	got := fmt.Sprint(enginetest.Query(t, session, `SELECT s.ts - (SELECT min(ts) FROM ftrace_event) AS ts, s.name, extract_arg(arg_set_id, 'debug.LEVEL') AS level,
		extract_arg(arg_set_id, 'debug.tz_') AS zone FROM slice s JOIN track k ON k.id = s.track_id WHERE k.name = 'System events' ORDER BY s.ts`).Rows)
	must.Equal(t, got, fmt.Sprint([][]string{{"1000000", "LIMIT_FREQUENCY", "<nil>", "<nil>"}, {"2000000", "THERMAL_LEVEL_CHANGED", "3", "+0800"}}))
	_, s = convert(inside+text, strings.NewReader(beside))
	if want := "2 events of the system not exported: the trace does not state the time of day"; !slices.Contains(diag.Texts(s.Warnings), want) {
		t.Errorf("no warning %q in %q", want, s.Warnings)
	}
}
