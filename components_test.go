package ohframe_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

// componentLabels are the labels of items, as the releases write them.
var componentLabels = []struct{ release, build, reuse string }{
	{"4.1", "CustomNode:BuildItem %s", "CustomNode:BuildRecycle %s"},
	{"5.0", "CustomNode:BuildItem [%s][self:38][parent:37]", "CustomNode:BuildRecycle %s"},
	{"master", "CustomNode:BuildItem [%s][self:38][parent:37]", "CustomNode:BuildRecycle [%s][self:38][parent:37][reuseId:card][parentCustomNode:Index[3]]"},
}

// The numbers of items are those of the lines of the trace.
func TestComponents(t *testing.T) {
	names := []string{"ProductCard", "价格", "<b>Row</b>"}
	for _, l := range componentLabels {
		var trace strings.Builder
		at := 0
		line := func(format string, args ...any) {
			at += 500
			fmt.Fprintf(&trace, "example-200 (200) [001] .... 1.%06d: print: %s\n", at, fmt.Sprintf(format, args...))
		}
		for i := range 60 {
			label := l.build
			if i%3 == 2 && i%len(names) != 0 || i > 50 {
				label = l.reuse
			}
			line("B|200|H:"+label, names[i%len(names)])
			if i%2 == 0 { // an item in an item
				line("B|200|H:"+l.build, "Price")
				line("E|200")
			}
			line("E|200")
		}
		line("B|200|H:ViewPU.viewPropertyHasChanged ProductCard price 3")
		line("E|200")
		line("B|200|H:ViewPU.viewPropertyHasChanged ProductCard price 5")
		line("E|200")
		line("B|200|H:ViewPU.viewPropertyHasChanged ProductCard price x") // damaged
		line("E|200")
		line("B|200|H:"+l.build, "Cut")
		in := must.Get(ohframe.Read(t.Context(), strings.NewReader(trace.String()), ohframe.Options{}))(t)
		r := stats.Compute(in.Timeline, stats.Options{})
		found := map[string]stats.Component{}
		for _, c := range r.Components {
			if c.Name == nil {
				t.Fatalf("%s: %+v has no name", l.release, c)
			}
			found[*c.Name] = c
		}
		for _, name := range append(names, "Price") {
			built, reused := grep(trace.String(), "BuildItem", name), grep(trace.String(), "BuildRecycle", name)
			c := found[name]
			if c.Built != built || c.Reused != reused || built+reused == 0 || c.NeverReused != (built >= stats.LeastBuilt && reused == 0) {
				t.Errorf("%s: %s has %d built, %d reused, never reused %t; grep counts %d and %d", l.release, name, c.Built, c.Reused, c.NeverReused, built, reused)
			}
		}
		if len(found) != len(names)+1 || !found["Price"].NeverReused {
			t.Errorf("%s: %d components: %v", l.release, len(found), found)
		}
		// Items without one inside take 0.5 ms, and 1.5 ms with one.
		if c := found["Price"]; c.Build.P50.Milliseconds() != 0.5 || c.Total.Milliseconds() != 0.5*float64(c.Built) {
			t.Errorf("%s: %+v", l.release, c)
		}
		if len(r.StateVariables) != 1 || r.StateVariables[0] != (stats.StateVariable{Source: r.StateVariables[0].Source, PID: 200, Process: "example", Component: "ProductCard", Variable: "price", Changes: 2, Nodes: 8, Most: 5}) {
			t.Errorf("%s: %+v", l.release, r.StateVariables)
		}
	}
}

// grep counts the lines of a trace that have a word and a name.
func grep(trace, word, name string) (n int) {
	for line := range strings.Lines(trace) {
		if strings.Contains(line, word) && (strings.Contains(line, " "+name+"\n") || strings.Contains(line, "["+name+"]")) {
			n++
		}
	}
	return n
}

// Nodes that a frame measures and lays out count for it, those outside of frames do not.
func TestNodesOfFrames(t *testing.T) {
	var trace strings.Builder
	at := 0
	line := func(text string) {
		at += 100
		fmt.Fprintf(&trace, "example-200 (200) [001] .... 1.%06d: print: %s\n", at, text)
	}
	slice := func(text string, n int) {
		for range n {
			line("B|200|H:" + text)
			line("E|200")
		}
	}
	slice("Measure[Text][self:1][parent:0][key:]", 5)
	for i, n := range []int{3, 0, 7, 1} {
		line(fmt.Sprintf("B|200|H:ReceiveVsync name:ui dataCount: 24bytes now:%d expectedEnd: %d vsyncId:%d", 1_000_000_000+at*1000, 1_016_000_000+at*1000, i+1))
		line("B|200|H:OnVsyncEvent")
		slice("Measure[Text][self:12][parent:7][key:]", n)
		slice("Layout[Text][self:12][parent:7][key:]", 2*n)
		slice("CreateTaskMeasure[List][self:86][parent:85]", 1)
		line("E|200")
		line("E|200")
	}
	in := must.Get(ohframe.Read(t.Context(), strings.NewReader(trace.String()), ohframe.Options{}))(t)
	want := stats.Nodes{Frames: 3, MeasuredP50: 3, MeasuredMax: 7, LaidOutP50: 6, LaidOutMax: 14}
	if p := stats.Compute(in.Timeline, stats.Options{}).Processes; len(p) != 1 || p[0].Nodes == nil || *p[0].Nodes != want {
		t.Errorf("%+v", p)
	}
}
