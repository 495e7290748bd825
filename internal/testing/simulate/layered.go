package simulate

import "ohframe/analyzer/trace"

// layeredApps are applications that draw nothing of their own: their layers do.
func layeredApps() []App {
	return []App{
		{Bundle: "com.example.video", PID: 20170, OnDemand: true},
		{Bundle: "com.example.game", PID: 21170, OnDemand: true},
		{Bundle: "com.example.player", PID: 22170, OnDemand: true},
		{Bundle: "com.example.pages", PID: 23170, OnDemand: true},
	}
}

// The applications of the traces here, by their index in Apps.
const (
	videoApp = iota
	gameApp
	androidApp
	pagesApp
)

// Layered is a trace in which all kinds of producers show their buffers at once, with what can
// go wrong with them.
func Layered() Config {
	c := Default()
	c.Apps = layeredApps()
	c.Kernel = KernelHongMeng
	c.Duration = 1500 * ms
	c.Layers = []Layer{
		{Name: "video node Surface", FPS: 30, At: 20 * ms, Slots: 4, Work: 2 * ms, Troubles: []Trouble{{10, TroubleWork, 40 * ms}, {20, TroubleGPU, 30 * ms}}},
		{Name: "previewSurface", App: videoApp, Service: "camera_host", FPS: 25, At: 33 * ms, Slots: 5, Work: 3 * ms, GPU: ms},
		{Name: "gameSurface", App: gameApp, Producer: Game, At: 40 * ms, Work: 5 * ms, GPU: 4 * ms, Troubles: []Trouble{{15, TroubleWork, 22 * ms}, {30, TroubleGPU, 25 * ms}, {44, TroubleEmpty, 0}}},
		{Name: "oh_flutter_1Surface", App: pagesApp, Producer: Flutter, At: 50 * ms, Work: 3 * ms, GPU: 2 * ms, Troubles: []Trouble{{12, TroubleWork, 30 * ms}, {33, TroubleDraw, 24 * ms}, {40, TroubleEmpty, 0}}},
		{Name: "RosenWeb", App: pagesApp, Producer: Web, At: 60 * ms, Length: 800 * ms, Work: 4 * ms, GPU: 2 * ms, Troubles: []Trouble{{9, TroubleWork, 30 * ms}, {20, TroubleEmpty, 0}}},
		{Name: "ShellAssistantAnco_200097Surface", App: androidApp, Producer: Android, At: 15 * ms, FPS: 60, Work: 3 * ms, GPU: 2 * ms, Troubles: []Trouble{{22, TroubleBusy, 60 * ms}, {30, TroubleEmpty, 0}}},
		{Name: "ShellAssistantAnco_162014756339724_10aa7df SurfaceView[com.example.[...]]#1313_137Surface", App: androidApp, Producer: AndroidVideo, At: 25 * ms, FPS: 30, Slots: 4, Work: 2 * ms},
	}
	return c
}

// Playback is a trace of one video on a display.
func Playback(hz, fps int) Config {
	c := Default()
	c.Rates = []Rate{{Hz: hz}}
	c.Apps = layeredApps()[:1]
	c.Duration = 2 * trace.Second
	c.Layers = []Layer{{Name: "playerSurface", FPS: fps, At: 20 * ms, Slots: 4, Work: 2 * ms}}
	return c
}

// BadLayers are traces whose layers have something wrong, missing or unusual, by what that is.
func BadLayers() map[string]Config {
	list := map[string]Config{}
	add := func(name string, change func(c *Config, l *Layer)) {
		c := Default()
		c.Apps, c.Kernel = layeredApps(), KernelHongMeng
		c.Duration = 900 * ms
		c.Layers = []Layer{{Name: "playerSurface", FPS: 30, At: 20 * ms, Slots: 4, Work: 2 * ms}}
		change(&c, &c.Layers[0])
		list[name] = c
	}
	also := func(c *Config, l Layer) { c.Layers = append(c.Layers, l) }
	burst := []Trouble{{8, TroubleBurst, 0}, {9, TroubleBurst, 0}, {15, TroubleBurst, 0}, {16, TroubleBurst, 0}, {17, TroubleBurst, 0}}
	add("same names", func(c *Config, l *Layer) {
		other := *l
		other.App, other.At = gameApp, 31*ms
		also(c, other)
	})
	add("queue id again", func(c *Config, l *Layer) {
		l.Length = 350 * ms
		also(c, Layer{Name: "nextSurface", App: gameApp, At: 480 * ms, FPS: 30, Slots: 4, Work: 2 * ms, QueueOf: 1})
	})
	add("no flush", func(_ *Config, l *Layer) { l.NoFlush = true })
	add("attached", func(c *Config, l *Layer) { l.Attached = true })
	add("service", func(_ *Config, l *Layer) { l.Service = "camera_host" })
	add("private", func(c *Config, l *Layer) {
		also(c, Layer{Name: "textureSurface", App: gameApp, At: 41 * ms, FPS: 30, Slots: 4, Work: 2 * ms, Private: true})
	})
	add("direct", func(c *Config, l *Layer) { c.Direct = true })
	add("no name", func(c *Config, l *Layer) { l.Name = "" })
	add("odd name", func(c *Config, l *Layer) { l.Name = "a queueId: 5 sequence: 7, name: b|c SurfaceView[x]#1" })
	add("no fences", func(c *Config, l *Layer) { c.NoFences = true })
	add("no kernel", func(c *Config, l *Layer) { c.Kernel = KernelNone })
	add("begin cut", func(c *Config, l *Layer) { c.CutStart = true })
	add("end cut", func(c *Config, l *Layer) {
		c.CutEnd, l.Troubles = true, []Trouble{{24, TroubleBurst, 0}, {25, TroubleBurst, 0}}
	})
	add("both cut", func(c *Config, l *Layer) { c.CutStart, c.CutEnd = true, true })
	add("slept", func(c *Config, l *Layer) { c.ClockOffset = 86400 * trace.Second })
	add("burst", func(c *Config, l *Layer) { l.Troubles = burst })
	add("burst of three", func(c *Config, l *Layer) { l.Troubles, l.Slots = burst, 3 })
	add("drop newest", func(c *Config, l *Layer) { l.Troubles, l.Drops, l.Slots = burst, DropNewest, 5 })
	add("drop frame", func(c *Config, l *Layer) { l.Troubles, l.Drops = burst, DropFrame })
	add("drop twice", func(c *Config, l *Layer) { l.Troubles, l.Drops, l.Slots = burst, DropTwice, 5 })
	add("taken back", func(c *Config, l *Layer) { l.Troubles, l.Drops, l.Slots = burst, DropReused, 2 })
	add("no free buffer", func(c *Config, l *Layer) {
		l.Troubles, l.Slots = burst, 2
		c.Rates = []Rate{{Hz: 60}, {From: 300 * ms, Hz: 90}}
	})
	add("pauses", func(c *Config, l *Layer) {
		c.Duration = 2600 * ms
		l.Troubles = []Trouble{{5, TroublePause, 600 * ms}, {10, TroublePause, 1200 * ms}}
	})
	add("freeze", func(c *Config, l *Layer) {
		c.Duration = 2600 * ms
		l.Troubles = []Trouble{{12, TroubleGPU, 1300 * ms}}
	})
	add("2-4-3", func(c *Config, l *Layer) {
		c.Rates, l.FPS, l.Pattern = []Rate{{Hz: 90}}, 0, []int64{2, 4, 3}
	})
	add("no cadence", func(c *Config, l *Layer) {
		c.Rates, l.FPS, l.Pattern = []Rate{{Hz: 120}}, 0, []int64{2, 9, 3, 6, 12, 4}
	})
	add("game at 60 of 120", func(c *Config, l *Layer) {
		c.Rates = []Rate{{Hz: 120}}
		*l = Layer{Name: "gameSurface", App: gameApp, Producer: Game, At: 20 * ms, Interval: 2, Work: 6 * ms, GPU: 3 * ms, Troubles: []Trouble{{7, TroubleWork, 30 * ms}, {20, TroubleGPU, 20 * ms}}}
	})
	add("late compositor", func(c *Config, l *Layer) {
		c.Chances.RenderLate, c.Chances.RenderGPULate, c.Chances.CommitLate, c.GPU = 0.15, 0.1, 0.1, true
	})
	add("busy device", func(c *Config, l *Layer) {
		c.Apps[gameApp].OnDemand, c.Apps[gameApp].Interval = false, 2
		c.Chances = Chances{AppLate: 0.1, AppEmpty: 0.1, RenderLate: 0.08, RenderGPULate: 0.05, Held: 0.05, CommitLate: 0.05, RenderSkip: 0.5, RenderInvalid: 0.05}
		c.GPU, c.Detail = true, true
	})
	return list
}

// AnyLayers is a trace with random layers.
func AnyLayers(seed uint64) Config {
	r := newRandom(seed, 9)
	chance := func(n int64) bool { return r.below(n) == 0 }
	between := func(from, to int64) trace.Duration { return r.between(trace.Duration(from)*ms, trace.Duration(to)*ms) }
	c := Default()
	c.Seed, c.Apps, c.Duration = seed, layeredApps(), between(600, 2500)
	c.Rates = []Rate{{Hz: []int{60, 90, 120}[r.below(3)]}}
	if chance(4) {
		c.Rates = append(c.Rates, Rate{From: 400 * ms, Hz: []int{60, 90, 120}[r.below(3)]})
	}
	c.ClockOffset = trace.Duration(r.below(3)) * 1234 * trace.Second
	c.CutStart, c.CutEnd, c.NoFences = chance(4), chance(4), chance(8)
	c.Kernel = []Kernel{KernelNone, KernelLinux, KernelHongMeng}[r.below(3)]
	c.Text = Text{Header: HeaderTrace, Flags: 4 + int(r.below(5)), Nanoseconds: chance(3), CRLF: chance(3)}
	c.GPU, c.Detail, c.Direct = chance(2), chance(2), chance(3)
	if chance(2) {
		c.Apps[gameApp].OnDemand = false
		c.Chances = Chances{AppLate: 0.08, AppEmpty: 0.05, RenderLate: 0.04, RenderGPULate: 0.04, Held: 0.04, CommitLate: 0.03, RenderSkip: 0.5}
	}
	producers := []struct {
		app int
		is  Producer
	}{{videoApp, Decoder}, {videoApp, Decoder}, {gameApp, Game}, {pagesApp, Flutter}, {pagesApp, Web}, {androidApp, Android}, {androidApp, AndroidVideo}}
	kinds := []TroubleKind{TroubleWork, TroubleDraw, TroubleGPU, TroubleBurst, TroublePause, TroubleBusy, TroubleEmpty}
	used := map[Producer]bool{}
	layers := 1 + r.below(5)
	if c.Kernel == KernelNone {
		layers = 1 // nothing tells apart whose calls are served at the same time
	}
	for n := range layers {
		p := producers[r.below(int64(len(producers)))]
		if used[p.is] && p.is != Decoder {
			continue
		}
		used[p.is] = true
		l := Layer{
			Name: []string{"aSurface", "b Surface", "layer#5", "c", ""}[n], App: p.app, Producer: p.is,
			At: between(5, 300), FPS: []int{24, 25, 30, 60}[r.below(4)], Interval: 1 + r.below(2), Slots: int(2 + r.below(4)),
			Work: between(1, 7), GPU: between(0, 6), Drops: Drops(r.below(5)),
		}
		switch p.is {
		case Decoder:
			if chance(4) {
				l.Service = "camera_host"
			}
		case Android:
			l.FPS, l.Drops = 60, DropNone
		default:
			l.Drops = DropNone
		}
		if chance(4) {
			l.Length = between(200, 700)
		}
		if l.Slots == 2 && (l.Drops == DropNewest || l.Drops == DropTwice) {
			l.Slots = 3
		}
		for range r.below(8) {
			l.Troubles = append(l.Troubles, Trouble{int(r.below(60)), kinds[r.below(int64(len(kinds)))], between(5, 60)})
		}
		c.Layers = append(c.Layers, l)
	}
	return c
}

// ManyLayers is a trace with n layers. Each is shown for a short time.
func ManyLayers(n int) Config {
	c := Default()
	c.Rates = []Rate{{Hz: 120}}
	c.Apps = layeredApps()
	c.Text.Header = HeaderNone
	const step, length = 4 * ms, 60 * ms
	for i := range n {
		at := 10*ms + trace.Duration(i)*step
		c.Layers = append(c.Layers, Layer{Name: "list item Surface", App: i % len(c.Apps), At: at, Length: length, FPS: 60, Work: ms})
	}
	c.Duration = 100*ms + trace.Duration(n)*step + length
	return c
}
