package report

import (
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// Requesters of whose vsyncs most led to nothing are shown, and callbacks at a rate of their own.
func TestRequesters(t *testing.T) {
	r := func(name string, unused, judged int) stats.Requester {
		return stats.Requester{Name: name, PID: 20170, Process: "example.gallery", NothingSent: unused, VsyncUse: stats.VsyncUse{
			Received: judged, Judged: judged, Unused: unused, Share: new(float64(unused) / float64(judged)),
		}}
	}
	ticker, few, used := r("Ticker", 596, 600), r("Few", 9, 9), r("Used", 100, 201)
	ticker.Asked, ticker.CPU, ticker.Ratio = new(600), new(52*trace.Millisecond), new(5.17)
	ticker.NothingSent, ticker.NothingShown, ticker.DisplaySync = 590, 6, &stats.UnusedSync{ID: 3, Type: new("callback"), Unused: 590}
	animated := r("WM_20170", 50, 60)
	animated.Asked, animated.AskedIn = new(60), []stats.AskedIn{{Slice: "FlushAnimation", Asked: 55}, {Slice: "Other", Asked: 5}}
	in := idler()
	in.Stats.Requesters = []stats.Requester{ticker, few, used, animated}
	callback := stats.Callback{PID: 20170, Process: "example.gallery", ID: 3, Type: new("callback"), Rate: new(60), Vsync: new(120), Every: new(2), Frames: 600, Calls: 300, Total: 3 * trace.Second}
	every, rare := callback, callback
	every.ID, every.Every, rare.ID, rare.Calls = 4, new(1), 5, 9
	in.Stats.Callbacks = []stats.Callback{callback, every, rare}
	got := squeezed(write(t, []Input{in}, "table", Options{}))
	for _, line := range []string{
		"Unused vsyncs PID Connection Requests Unused CPU ms CPU ms/s Why unused",
		"example.gallery 20170 Ticker 600 596 of 600 52.0 5.2 nothing to draw 590, unchanged 6; own callback 3 asks, 60 of 120 Hz",
		"example.gallery 20170 WM_20170 60 50 of 60 – – nothing to draw; asks in FlushAnimation",
		"example.gallery 20170 own callback 3 60 of 120 Hz 300 of 600 – – 3000.0 –",
	} {
		must.Contain(t, got, line)
	}
	for _, other := range []string{"Few", "Used", "own callback 4", "own callback 5", "Other"} {
		must.Lack(t, got, other)
	}
	if page := write(t, []Input{in}, "html", Options{}); !strings.Contains(page, define("unused vsync")) {
		t.Error("the page does not explain unused vsyncs")
	}
	if page := write(t, []Input{idler()}, "html", Options{}); strings.Contains(page, define("unused vsync")) {
		t.Error("a page without unused vsyncs explains them")
	}
}

// If no frame is late, the vsyncs that drew nothing are what a report says first.
func TestUnusedFirst(t *testing.T) {
	in := idler()
	in.Stats.Requesters = []stats.Requester{{Name: "UITicker", PID: 20170, Process: "example.gallery", NothingSent: 119, VsyncUse: stats.VsyncUse{
		Received: 120, Judged: 119, Unused: 119, Share: new(1.0),
	}}}
	const words = "example.gallery: 119 of 119 vsyncs of UITicker drew nothing"
	if out := squeezed(write(t, []Input{in}, "table", Options{})); strings.Contains(out, words) {
		t.Errorf("before late frames: %.100s", out)
	}
	for _, p := range in.Stats.Processes {
		p.Frames.Late = 0
	}
	if out := squeezed(write(t, []Input{in}, "table", Options{})); !strings.HasPrefix(out, words) {
		t.Errorf("not first: %.100s", out)
	}
	in.Stats.Requesters[0].Share = new(.8)
	if out := squeezed(write(t, []Input{in}, "table", Options{})); strings.Contains(out, words) {
		t.Errorf("of some: %.100s", out)
	}
}
