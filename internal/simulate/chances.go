package simulate

import (
	"fmt"
	"slices"
	"strings"
)

// Chances are probabilities, from 0 to 1, each of one thing in one frame.
type Chances struct {
	AppLate       float64 // an application frame overruns its deadline
	AppStuck      float64 // it overruns so far that further vsyncs queue up behind it
	AppBlocked    float64 // a late application frame spends the time asleep, waiting for storage
	AppEmpty      float64 // it sends nothing
	AppPause      float64 // the application then draws nothing for some vsyncs
	Worker        float64 // a worker UI thread makes a frame too
	SplitData     float64 // it sends its transaction in several parts
	LateFlush     float64 // its thread sends one more transaction after the frame has ended
	NoExpectedEnd float64 // the vsync came without a usable expected end

	Held float64 // render_service picks a transaction up one frame later than it could
	Lost float64 // a transaction never arrives

	RenderLate     float64 // render_service's main thread overruns its deadline
	RenderGPULate  float64 // the GPU work of the frame does
	RenderInvalid  float64 // the frame processes no commands at all
	RenderSkip     float64 // a frame without commands draws nothing
	GPUOutside     float64 // GPU work is queued after the frame's end; from 5.0.0 on
	CommitLate     float64 // the commit ends only after the display showed the frame
	FrequencyNoise float64 // a processor changes its frequency when a thread starts on it
}

// byName lists the chances for [Chances.Set].
func (c *Chances) byName() map[string]*float64 {
	return map[string]*float64{
		"app-late": &c.AppLate, "app-stuck": &c.AppStuck, "app-blocked": &c.AppBlocked,
		"app-empty": &c.AppEmpty, "app-pause": &c.AppPause, "worker": &c.Worker,
		"split-data": &c.SplitData, "late-flush": &c.LateFlush, "no-expected-end": &c.NoExpectedEnd,
		"held": &c.Held, "lost": &c.Lost,
		"render-late": &c.RenderLate, "render-gpu-late": &c.RenderGPULate,
		"render-invalid": &c.RenderInvalid, "render-skip": &c.RenderSkip,
		"gpu-outside": &c.GPUOutside, "commit-late": &c.CommitLate,
		"frequency-noise": &c.FrequencyNoise,
	}
}

// Set changes the chance of that name, which is the field's in lower case with
// dashes: "app-late".
func (c *Chances) Set(name string, p float64) error {
	field, ok := c.byName()[name]
	if !ok {
		return fmt.Errorf("no chance is called %q; there are %s", name, strings.Join(ChanceNames(), ", "))
	}
	if !(p >= 0 && p <= 1) {
		return fmt.Errorf("%s: %v is not a probability", name, p)
	}
	*field = p
	return nil
}

// ChanceNames lists the names for [Chances.Set], in alphabetical order.
func ChanceNames() []string {
	var names []string
	for name := range new(Chances).byName() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
