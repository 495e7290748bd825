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
	add(Interaction{Scene: "APP_LIST_FLING", Input: FirstMove, Delay: 90 * ms, Length: 250 * ms, NowTime: true})
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
	add("no reports", func(_ *Config, in *Interaction) { in.NoReports = true })
	add("contradicting", func(_ *Config, in *Interaction) { in.Contradict = true })
	add("timed out", func(c *Config, in *Interaction) {
		in.NoEnd, c.Duration = true, 11500*ms
		c.Apps[notesApp].OnDemand, c.Apps[notesApp].Interval = false, 30
	})
	add("again", func(_ *Config, in *Interaction) { in.Again = 200 * ms })
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

// Anything is a trace in which a user does this and that, some of it at the same time, on a
// device that is slow at times.
func Anything(seed uint64) Config {
	r := newRandom(seed, 7)
	chance := func(n int64) bool { return r.below(n) == 0 }
	between := func(from, to int64) trace.Duration { return r.between(trace.Duration(from)*ms, trace.Duration(to)*ms) }
	c := Default()
	c.Seed, c.Apps, c.Duration, c.TouchReports = seed, interactiveApps(), 5000*ms, seed%2 == 0
	c.Rates = []Rate{{Hz: []int{60, 90, 120}[r.below(3)]}}
	c.ClockOffset = trace.Duration(r.below(3)) * 1234 * trace.Second
	c.CutStart, c.CutEnd, c.NoFences = chance(4), chance(4), chance(8)
	c.Kernel = []Kernel{KernelNone, KernelLinux, KernelHongMeng}[r.below(3)]
	c.Text = Text{Header: HeaderTrace, Flags: 4 + int(r.below(5)), Nanoseconds: chance(3), CRLF: chance(3)}
	c.GPU, c.Detail = chance(2), chance(2)
	if chance(2) {
		c.Chances = Chances{
			AppLate: 0.08, AppStuck: 0.02, AppBlocked: 0.5, AppEmpty: 0.05, RenderLate: 0.04, RenderGPULate: 0.04,
			Held: 0.04, Lost: 0.01, CommitLate: 0.03,
		}
	}
	if chance(3) {
	}
	for i := range c.Apps {
		c.Apps[i].OnDemand = !chance(3)
	}
	apps := int64(len(c.Apps))
	if chance(3) {
		apps = notesApp // which is launched instead
		c.Apps[notesApp].Draws, c.Apps[notesApp].OnDemand = 0, true
		for n, kind := range []LaunchKind{Cold, []LaunchKind{Warm, Hot}[r.below(2)]} {
			at := between(200, 1500) + trace.Duration(n)*1900*ms
			c.Launches = append(c.Launches, Launch{
				App: notesApp, Launcher: launcherApp, At: at, Kind: kind, Work: between(20, 700), Draws: between(100, 300),
			})
		}
	}
	inputs := map[string]Input{
		"APP_LIST_FLING": FirstMove, "APP_SWIPER_FLING": FirstMove, "APP_SWIPER_SCROLL": FirstMove, "WINDOW_RECT_RESIZE": LastDown,
	}
	scenes := append(slices.Clone(knownScenes), "PRIVATE_ANIMATION_7", "DIALOG_ANI")
	busy := map[int]trace.Duration{} // until when a scene of the application lasts
	for range 3 + r.below(8) {
		app := int(r.below(apps))
		in := Interaction{
			App: app, Scene: scenes[r.below(int64(len(scenes)))], Page: "pages/Index",
			At: between(5, 4500), Length: between(100, 700), Delay: between(5, 550),
			InFrame: chance(4), NoEnd: chance(10), NoBegin: chance(12), NoReports: chance(8), NowTime: chance(8), Contradict: chance(10),
		}
		if in.At-in.Delay < busy[app]+100*ms {
			continue
		}
		busy[app] = in.At + in.Length
		if in.Input = inputs[in.Scene]; in.Input == NoInput {
			in.Input = LastUp
		}
		switch in.Scene {
		case "APP_LIST_FLING", "APP_SWIPER_FLING":
			in.Tail, in.Drag, in.NoEnd = between(0, 90), between(0, 40), false // or the tail could be another one's
		case "LAUNCHER_APP_SWIPE_TO_HOME", "DIALOG_ANI":
			in.Silent = chance(2)
		}
		c.Interactions = append(c.Interactions, in)
	}
	return c
}

// Freezes is a trace whose begin or end cuts a freeze of the gallery, in a frame or outside, or a
// task or a frame that is not long enough for one. The notes go on.
func Freezes(seed uint64) Config {
	r := newRandom(seed, 9)
	between := func(from, to int64) trace.Duration { return r.between(trace.Duration(from)*ms, trace.Duration(to)*ms) }
	c := Default()
	c.Seed, c.Duration = seed, 4000*ms
	c.Era = Eras()[r.below(int64(len(Eras())))]
	c.Apps = []App{{Bundle: "com.example.gallery", PID: 20170}, {Bundle: "com.example.notes", PID: 20480, Interval: 1 + r.below(3)}}
	hz := []int{60, 90, 120}[r.below(3)]
	c.Rates = []Rate{{Hz: hz}}
	c.ClockOffset = trace.Duration(r.below(3)) * 1234 * trace.Second
	c.Kernel = []Kernel{KernelNone, KernelLinux, KernelHongMeng}[r.below(3)]
	c.Text = Text{Header: HeaderNarrow, Nanoseconds: r.below(3) == 0}
	at, seen := between(900, 1500), between(300, 2000)
	if r.below(4) == 0 {
		seen = between(5, 200) // of the freeze
	}
	length := seen + between(300, 1500)
	if r.below(2) == 0 {
		c.Hangs = []Hang{{At: at, Length: length, Name: "JSCrunch"}}
	} else {
		causes := []Cause{"more_work", "storage_s", CauseStorageD, "binder", "binder_chain", "lock", "other_process", "fence"}
		c.Injections = []Injection{{Cause: causes[r.below(int64(len(causes)))], Vsync: int64(at * trace.Duration(hz) / trace.Second), Length: length}}
	}
	if r.below(2) == 0 {
		c.To = at + seen
	} else {
		c.From = at + length - seen
	}
	return c
}
