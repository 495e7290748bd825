package simulate

import (
	"slices"

	"ohframe/analyzer/trace"
)

const ms = trace.Millisecond

// The applications of the traces here, by their index in Apps.
const (
	galleryApp = iota
	launcherApp
	notesApp
)

func interactiveApps() []App {
	return []App{
		galleryApp:  {Bundle: "com.example.gallery", PID: 20170, OnDemand: true, Draws: 100 * ms},
		launcherApp: {Bundle: "com.ohos.sceneboard", PID: 12450, OnDemand: true, Draws: 50 * ms},
		notesApp:    {Bundle: "com.example.notebook", PID: 21480, OnDemand: true, Draws: 50 * ms},
	}
}

// Demonstration is a trace of what a user does in a few seconds: three flings of a gallery, of
// which the first is smooth, a picture that opens slowly, the way home and the launch of
// another application.
func Demonstration() Config {
	c := Default()
	c.Duration, c.ClockOffset, c.Kernel = 6600*ms, 3600*trace.Second, KernelHongMeng
	c.Apps = interactiveApps()
	c.Apps[notesApp].Draws = 0 // nothing of it exists
	for _, at := range []trace.Duration{300 * ms, 1600 * ms, 2900 * ms} {
		c.Interactions = append(c.Interactions, Interaction{
			Scene: "APP_LIST_FLING", Page: "pages/Index", At: at, Input: FirstMove, Delay: 35 * ms, Drag: 30 * ms,
			Length: 900 * ms, Tail: 150 * ms,
		})
	}
	c.Interactions = append(c.Interactions,
		Interaction{Scene: "ABILITY_OR_PAGE_SWITCH", Page: "pages/Picture", At: 4380 * ms, Input: LastUp, Delay: 180 * ms, Length: 300 * ms},
		Interaction{App: launcherApp, Scene: "LAUNCHER_APP_SWIPE_TO_HOME", Page: "pages/Desktop", At: 4900 * ms, Input: LastUp, Delay: 30 * ms, Length: 250 * ms, Silent: true},
	)
	c.Hangs = []Hang{{At: 4205 * ms, Length: 160 * ms, Name: "JSMarshalling"}}
	c.Launches = []Launch{{
		App: notesApp, Launcher: launcherApp, At: 5400 * ms, Kind: Cold, Work: 420 * ms, Draws: 300 * ms,
		Scene: "LAUNCHER_APP_LAUNCH_FROM_ICON", Delay: 40 * ms, Length: 350 * ms,
	}}
	for _, late := range []struct {
		cause      Cause
		at, length trace.Duration
	}{
		{"storage_s", 1900 * ms, 28 * ms},
		{"storage_s", 2050 * ms, 45 * ms},
		{"storage_s", 2211 * ms, 20 * ms},
		{"binder", 3150 * ms, 60 * ms},
		{CauseGC, 3400 * ms, 25 * ms},
	} {
		c.Injections = append(c.Injections, Injection{Cause: late.cause, Vsync: int64(late.at * 60 / trace.Second), Length: late.length})
	}
	return c
}

// Scenes is a trace with scenes of all kinds, one after the other, each with the input that it
// counts from, and with hangs between them.
func Scenes() Config {
	c := Default()
	c.Apps = interactiveApps()
	at := 400 * ms
	add := func(in Interaction) {
		in.At, in.Page = at, "pages/Index"
		c.Interactions = append(c.Interactions, in)
		at += in.Length + 350*ms
	}
	add(Interaction{Scene: "APP_LIST_FLING", Input: FirstMove, Delay: 35 * ms, Drag: 30 * ms, Length: 600 * ms, Tail: 120 * ms})
	add(Interaction{Scene: "APP_SWIPER_SCROLL", Input: FirstMove, Delay: 70 * ms, Length: 200 * ms, InFrame: true})
	add(Interaction{Scene: "ABILITY_OR_PAGE_SWITCH", Input: LastUp, Delay: 200 * ms, Length: 200 * ms})
	add(Interaction{Scene: "ABILITY_OR_PAGE_SWITCH", Length: 200 * ms})
	add(Interaction{Scene: "APP_TAB_SWITCH", Input: LastUp, Delay: 60 * ms, Length: 150 * ms, InFrame: true})
	add(Interaction{Scene: "WINDOW_RECT_RESIZE", Input: LastDown, Delay: 40 * ms, Length: 150 * ms})
	add(Interaction{Scene: "PRIVATE_ANIMATION_7", Input: LastUp, Delay: 250 * ms, Length: 150 * ms})
	add(Interaction{Scene: "PRIVATE_ANIMATION_8", Input: LastUp, Delay: 700 * ms, Length: 150 * ms})
	add(Interaction{App: launcherApp, Scene: "LAUNCHER_APP_SWIPE_TO_HOME", Input: LastUp, Delay: 25 * ms, Length: 300 * ms, Silent: true})
	for i, length := range []trace.Duration{249 * ms, 251 * ms, 600 * ms} {
		c.Hangs = append(c.Hangs, Hang{App: notesApp, At: at + trace.Duration(i)*700*ms, Length: length, Name: "JSONParse"})
	}
	c.Duration = at + 2200*ms
	return c
}

// Launches is a trace with a cold, a warm and a hot launch of one application.
func Launches() Config {
	c := Default()
	c.Apps = interactiveApps()
	c.Apps[notesApp].Draws = 0
	at := 300 * ms
	for _, kind := range []LaunchKind{Cold, Warm, Hot} {
		c.Launches = append(c.Launches, Launch{
			App: notesApp, Launcher: launcherApp, At: at, Kind: kind, Work: 300 * ms, Draws: 150 * ms,
			Scene: "LAUNCHER_APP_LAUNCH_FROM_ICON", Delay: 45 * ms, Length: 250 * ms,
		})
		at += 1100 * ms
	}
	c.Duration = at
	return c
}

// BadScenes are traces with scenes of which something is wrong or missing, by what that is.
func BadScenes() map[string]Config {
	fling := Interaction{Scene: "APP_LIST_FLING", Page: "pages/Index", At: 300 * ms, Input: FirstMove, Delay: 50 * ms, Length: 500 * ms}
	list := map[string]Config{}
	add := func(name string, change func(c *Config, in *Interaction)) {
		c := Default()
		c.Apps, c.Interactions = interactiveApps(), []Interaction{fling}
		c.Duration = 1200 * ms
		change(&c, &c.Interactions[0])
		list[name] = c
	}
	also := func(c *Config, in Interaction) { c.Interactions = append(slices.Clone(c.Interactions), in) }
	add("no begin", func(_ *Config, in *Interaction) { in.NoBegin = true })
	add("no end", func(_ *Config, in *Interaction) { in.NoEnd = true })
	add("timed out", func(c *Config, in *Interaction) {
		in.NoEnd, c.Duration = true, 11500*ms
		c.Apps[notesApp].OnDemand, c.Apps[notesApp].Interval = false, 30
	})
	add("begin cut", func(c *Config, in *Interaction) {
		in.At, in.Input, c.CutStart = 20*ms, NoInput, true
	})
	add("input cut", func(c *Config, in *Interaction) { in.At, in.Delay, c.CutStart = 70*ms, 60*ms, true })
	add("end cut", func(c *Config, in *Interaction) { c.CutEnd, c.Duration = true, 600*ms })
	add("both cut", func(c *Config, in *Interaction) {
		in.At, in.Input, c.CutStart, c.CutEnd, c.Duration = 20*ms, NoInput, true, true, 400*ms
	})
	add("interrupted", func(c *Config, in *Interaction) {
		also(c, Interaction{Scene: "ABILITY_OR_PAGE_SWITCH", Page: "pages/Picture", At: in.At + 300*ms, Input: LastUp, Delay: 40 * ms, Length: 350 * ms})
	})
	add("end lost", func(c *Config, in *Interaction) {
		in.NoEnd, in.Length = true, 200*ms
		other := *in
		for range 2 {
			other.At, other.NoEnd = other.At+400*ms, false
			also(c, other)
		}
		c.Duration = 1600 * ms
	})
	add("both interrupted", func(c *Config, in *Interaction) {
		other := *in
		other.App, other.At, other.Page = notesApp, in.At+50*ms, "pages/Notes"
		also(c, other)
		also(c, Interaction{App: launcherApp, Scene: "LAUNCHER_APP_SWIPE_TO_HOME", Page: "pages/Desktop", At: in.At + 350*ms, Input: LastUp, Delay: 40 * ms, Length: 350 * ms, Silent: true})
	})
	add("two at once", func(c *Config, in *Interaction) {
		other := *in
		other.App, other.At, other.Page = notesApp, in.At+50*ms, "pages/Notes"
		also(c, other)
	})
	add("silent", func(_ *Config, in *Interaction) {
		in.Scene, in.Input, in.Silent = "LAUNCHER_APP_BACK_TO_HOME", LastUp, true
	})
	add("no fences", func(c *Config, in *Interaction) { c.NoFences, in.Tail = true, 120*ms })
	add("launch cut", func(c *Config, _ *Interaction) {
		c.Apps[notesApp].Draws = 0
		c.Launches = []Launch{{App: notesApp, Launcher: launcherApp, At: 800 * ms, Kind: Cold, Work: 200 * ms, Draws: 200 * ms}}
		c.CutEnd, c.Duration = true, 1000*ms
	})
	add("launches at once", func(c *Config, _ *Interaction) {
		c.Apps[notesApp].Draws = 0
		c.Apps = append(c.Apps, App{Bundle: "com.example.mail", PID: 22480, OnDemand: true})
		for n, app := range []int{notesApp, len(c.Apps) - 1} {
			c.Launches = append(c.Launches, Launch{
				App: app, Launcher: launcherApp, At: 800*ms + trace.Duration(n)*60*ms, Kind: Cold, Work: 200 * ms, Draws: 200 * ms,
			})
		}
		c.Duration = 1600 * ms
	})
	add("nothing drawn", func(c *Config, in *Interaction) {
		in.Scene, in.App, in.Input, in.NoDraw = "ABILITY_OR_PAGE_SWITCH", notesApp, LastUp, true
	})
	add("long frame", func(c *Config, in *Interaction) {
		c.Injections = []Injection{{Cause: "more_work", Vsync: 30, Length: 300 * ms}}
	})
	add("troubled", func(c *Config, _ *Interaction) {
		c.Chances = Chances{AppLate: 0.1, AppStuck: 0.02, AppEmpty: 0.06, RenderLate: 0.05, RenderGPULate: 0.05, Held: 0.04, CommitLate: 0.03}
		c.GPU, c.Kernel, c.Duration = true, KernelLinux, 2400*ms
		for n := range 3 {
			in := fling
			in.At += trace.Duration(n+1) * 650 * ms
			in.Tail = trace.Duration(n) * 100 * ms
			if n == 1 {
				in.Scene, in.Input, in.Tail = "APP_TAB_SWITCH", LastUp, 0
			}
			also(c, in)
		}
	})
	add("slept", func(c *Config, _ *Interaction) { c.ClockOffset = 86400 * trace.Second })
	return list
}
