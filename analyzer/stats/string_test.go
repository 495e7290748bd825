package stats

import (
	"fmt"
	"testing"

	"ohframe/internal/testing/must"
)

// A line has the known values. It has no addresses of pointers, and leaves out unknown values.
func TestString(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	count := func(n int) *int { return &n }
	for want, subject := range map[string]fmt.Stringer{
		"a: not measured": &Process{Name: "a"},
		"a: 1 of 4 frames late, 59.9 fps, hitch 2.5 ms/s": &Process{
			Name: "a", Frames: Counts{Judged: 4, Late: 1}, FPS: &FPS{Rate: number(59.94)}, Hitches: &Hitches{Ratio: number(2.5)},
		},
		"a: 1 of 4 frames late":      &Process{Name: "a", Frames: Counts{Judged: 4, Late: 1}, FPS: &FPS{}, Hitches: &Hitches{}},
		"2 FLING of a: not measured": &Interaction{ID: 2, Scene: "FLING", Process: "a"},
		"2 FLING of a: response 85.2 ms, 6 of 50 frames late, 51.2 fps": &Interaction{
			ID: 2, Scene: "FLING", Process: "a", Response: number(85.2), Frames: count(50), Late: count(6), FPS: number(51.2),
		},
		"video: not measured":                   &Layer{Name: "video"},
		"video: 2 of 44 buffers late, 30.0 fps": &Layer{Name: "video", Late: count(2), Judged: 44, FPS: number(30)},
	} {
		must.Equal(t, fmt.Sprint(subject), want)
	}
}
