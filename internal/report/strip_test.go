package report

import (
	"encoding/json"
	"testing"

	"ohframe/analyzer/stats"
)

func TestStrip(t *testing.T) {
	moments := []stats.Moment{
		{From: 1000, To: 1100, WithDeadline: 10, Late: 5, FPS: known(60.0), Refresh: 60},
		{From: 1100, To: 1200, WithDeadline: 4, Refresh: 120},
		{From: 1200, To: 1300},
		{From: 1300, To: 1400, FPS: known(30.0)},
	}
	// The tops are 50 % and, above 1.05 · 120, 150 Hz.
	got, want := newStrip(moments, 1000, 1400), strip{
		Jank: "M0.0 100V0.0H250.0V100Z", FPS: "M0.0 60.0H250.0M750.0 80.0H1000.0", Refresh: "M0.0 60.0H250.0V20.0H500.0",
		JankTop: "50 %", RateTop: "150 Hz", Length: 100,
	}
	if *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
	if newStrip(nil, 0, 1) != nil {
		t.Error("nothing has a drawing")
	}
	rows, err := json.Marshal([]momentRow{{moments[0]}, {moments[1]}})
	if err != nil || string(rows) != "[[5,10,60.0,60],[0,4,null,120]]" {
		t.Errorf("%s, %v", rows, err)
	}
}

func TestRoundUp(t *testing.T) {
	for x, want := range map[float64]float64{.05: .05, .051: .07, 126: 150, 10.5: 15, 99: 100, 1: 1} {
		if got := roundUp(x); got < want*.999 || got > want*1.001 {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
}
