package simulate

import "ohframe/analyzer/trace"

// Demonstration is a trace of a user's minute, made short: the user flings a gallery three
// times, of which the first is smooth, opens a picture, which answers slowly, goes home and
// starts notes.
func Demonstration() Config {
	const ms = trace.Millisecond
	fling := func(at trace.Duration) Interaction {
		return Interaction{
			Scene: "APP_LIST_FLING", Page: "pages/Index", At: at, Input: FirstMove, Delay: 35 * ms, Drag: 30 * ms,
			Length: 900 * ms, Tail: 150 * ms,
		}
	}
	vsync := func(at trace.Duration) int64 { return int64(at * 60 / trace.Second) }
	c := Config{
		Seed: 1, Era: "6.0", Duration: 6600 * ms, Rates: []Rate{{Hz: 60}}, ClockOffset: 3600 * trace.Second,
		Apps: []App{
			{Bundle: "com.example.gallery", PID: 20170, OnDemand: true, Draws: 100 * ms},
			{Bundle: "com.ohos.sceneboard", PID: 12450, OnDemand: true, Draws: 50 * ms},
			{Bundle: "com.example.notebook", PID: 21480, OnDemand: true},
		},
		Interactions: []Interaction{
			fling(300 * ms), fling(1600 * ms), fling(2900 * ms),
			{
				Scene: "ABILITY_OR_PAGE_SWITCH", Page: "pages/Picture", At: 4380 * ms, Input: LastUp, Delay: 180 * ms,
				Length: 300 * ms,
			},
			{App: 1, Scene: "LAUNCHER_APP_SWIPE_TO_HOME", Page: "pages/Desktop", At: 4900 * ms, Input: LastUp, Delay: 30 * ms, Length: 250 * ms, Silent: true},
		},
		Launches: []Launch{{
			App: 2, Launcher: 1, At: 5400 * ms, Kind: Cold, Work: 420 * ms, Draws: 300 * ms,
			Scene: "LAUNCHER_APP_LAUNCH_FROM_ICON", Delay: 40 * ms, Length: 350 * ms,
		}},
		Hangs:  []Hang{{At: 4205 * ms, Length: 160 * ms, Name: "JSMarshalling"}},
		Kernel: KernelHongMeng,
		Text:   Text{Header: HeaderNarrow},
	}
	late := func(cause Cause, at, length trace.Duration) {
		c.Injections = append(c.Injections, Injection{cause, vsync(at), length})
	}
	late("storage_s", 1900*ms, 28*ms)
	late("storage_s", 2050*ms, 45*ms)
	late("storage_s", 2051*ms+160*ms, 20*ms)
	late("binder", 3150*ms, 60*ms)
	late("gc", 3400*ms, 25*ms)
	return c
}
