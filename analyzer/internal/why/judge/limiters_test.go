package judge

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// The level is the last one before the end of the frame, and the event is the closest to the change, at
// most 1 s away. Other events and domains do not count, and parameters are as they are spelled.
func TestLimiters(t *testing.T) {
	const start, unix = 100 * trace.Second, 1_700_000_000_000
	line := func(ms int, domain, name, members string) []byte {
		return fmt.Appendf(nil, `{"domain_":%q,"name_":%q,"time_":%d,"pid_":7%s}`, domain, name, unix+ms, members)
	}
	long := strings.Repeat("长", 100)
	events := must.Get(Limiters(func(yield func([]byte)) error {
		for _, l := range [][]byte{
			line(5000, "THERMAL", "THERMAL_LEVEL_CHANGED", `,"LEVEL":0`),
			line(1000, "THERMAL", "THERMAL_LEVEL_CHANGED", `,"LEVEL":3`),
			line(2001, "OTHER", "LIMIT_REQUEST", ""), line(2001, "RSS", "OTHER", ""), []byte("{"),
			line(3000, "RSS", "LIMIT_REQUEST", `,"RES_ID":"0x1","CLIENT_ID":12,"CONFIG":[1,2]`),
			line(2000, "RSS", "LIMIT_FREQUENCY", `,"A":"`+long+`"`),
		} {
			yield(l)
		}
		return nil
	}))(t)
	timeline := &analyzer.Timeline{Wall: analyzer.WallClock{At: trace.Time(start), Unix: unix * 1_000_000}}
	r := &threads.Record{Cooling: []threads.Cooling{{At: trace.Time(start + 8*trace.Second), Text: "cdev_update type=x target=1"}}}
	l := newLimiters(r, timeline, events)
	cut := "RSS/LIMIT_FREQUENCY A=" + long[:3*59] + "…" // 200 bytes have 59 of these
	for _, test := range []struct {
		since, end int // ms
		want       string
	}{
		{900, 1000, ""},
		{999, 1001, "thermal level 3"},
		{1000, 1001, "thermal level 3; " + cut},
		{2499, 2600, "thermal level 3; " + cut},
		{2501, 2600, "thermal level 3; RSS/LIMIT_REQUEST CLIENT_ID=12 CONFIG=[1,2] RES_ID=0x1"},
		{4000, 5000, "thermal level 3; RSS/LIMIT_REQUEST CLIENT_ID=12 CONFIG=[1,2] RES_ID=0x1"},
		{4001, 5001, ""},
		{7500, 7600, "cdev_update type=x target=1"},
	} {
		at := func(ms int) trace.Time { return trace.Time(start + trace.Duration(ms)*trace.Millisecond) }
		must.Equal(t, l.reason(at(test.since), at(test.end)), test.want, "since %d to %d", test.since, test.end)
	}
}
