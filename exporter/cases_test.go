package exporter

import "fmt"

// frameTruth is what Perfetto should show of one actual frame, known from how
// its markers were written and from Perfetto's rules, by none of our code.
type frameTruth struct {
	start      int64 // microseconds
	pid        int
	jank       string
	present    string
	onTime     bool
	prediction string
	severity   string
	render     int64 // start of the render frame that took it, 0 for none
	arrow      bool  // the two are joined by an arrow
}

// The display refreshes every 10 ms. An application should be done within one
// period, render_service within two less 5 ms; render_service is to take an
// application's frame on the next vsync.
const (
	casePeriod = 10_000
	caseStart  = 10_000_000
)

// due returns when vsync k is due.
func due(k int64) int64 { return caseStart + k*casePeriod }

func appVsync(k, id int64) vsync    { return vsync{id: id, now: due(k), end: due(k + 1)} }
func renderVsync(k, id int64) vsync { return vsync{id: id, now: due(k), end: due(k+2) - 5_000} }

// casesTrace returns a trace with a frame of every kind and what is to be shown
// of each.
func casesTrace() (string, []frameTruth) {
	const (
		none = "None"
		ok   = "On-time Present"
		late = "Late Present"
		soon = "Early Present"
		dark = "Unknown Present"
		good = "Valid Prediction"
		free = "Unknown Prediction"
		some = "Partial"
		full = "Full"

		appLate   = "App Deadline Missed"
		cpuLate   = "SurfaceFlinger CPU Deadline Missed"
		gpuLate   = "SurfaceFlinger GPU Deadline Missed"
		scheduled = "SurfaceFlinger Scheduling"
		still     = "Non Animating"
	)
	x := &textTrace{}
	var truth []frameTruth
	appIs := func(start int64, t frameTruth) {
		t.start = start
		if t.pid == 0 {
			t.pid = app.pid
		}
		truth = append(truth, t)
	}
	renderIs := func(start int64, t frameTruth) {
		t.start, t.pid = start, rs.pid
		truth = append(truth, t)
	}
	onTime := frameTruth{jank: none, present: dark, onTime: true, prediction: good, severity: none}

	// Ends of what began before the trace.
	x.mark(due(0)-50, app, "E|200|I39")
	x.mark(due(0)-40, rs, "F|100|H:M: Frame queued|99|M0538")

	// On time, with GPU work, and shown.
	x.appFrame(app, due(0)+100, due(0)+5_000, appVsync(0, 1), 1)
	x.renderFrame(due(1)+200, due(1)+6_000, renderVsync(1, 51), due(1)+1_000, " [200,1]")
	x.gpu(due(1)+300, due(1)+6_500, 1)
	x.present(due(1)+7_000, due(3), renderVsync(1, 51), 1)
	shown := onTime
	shown.render, shown.arrow = due(1)+200, true
	seen := shown
	seen.present = ok
	appIs(due(0)+100, seen)
	seen.render, seen.arrow = 0, false
	renderIs(due(1)+200, seen)

	// The application is late by half a period; render_service waits for it. It is shown
	// a vsync after the one at which it should be.
	x.appFrame(app, due(2)+100, due(3)+5_000, appVsync(2, 2), 2)
	x.renderFrame(due(3)+5_200, due(3)+8_000, renderVsync(3, 52), due(3)+6_000, " [200,2]")
	x.present(due(3)+8_500, due(6), renderVsync(3, 52), 2)
	appIs(due(2)+100, frameTruth{0, 0, appLate, late, false, good, some, due(3) + 5_200, true})
	seen.present = late
	renderIs(due(3)+5_200, seen)

	// The application is late by a whole period. It is shown before it should be.
	x.appFrame(app, due(5)+100, due(7), appVsync(5, 3), 3)
	x.renderFrame(due(7)+200, due(7)+4_000, renderVsync(6, 53), due(7)+1_000, " [200,3]")
	x.present(due(7)+4_200, due(7)+5_000, renderVsync(6, 53), 3)
	appIs(due(5)+100, frameTruth{0, 0, appLate, soon, false, good, full, due(7) + 200, true})
	seen.present = soon
	renderIs(due(7)+200, seen)

	// render_service is late by just less than a period.
	x.appFrame(app, due(8)+100, due(8)+3_000, appVsync(8, 4), 4)
	x.renderFrame(due(9)+100, due(11)+4_999, renderVsync(9, 54), due(9)+1_000, " [200,4]")
	appIs(due(8)+100, frameTruth{0, 0, cpuLate, dark, true, good, some, due(9) + 100, true})
	renderIs(due(9)+100, frameTruth{0, 0, cpuLate, dark, false, good, some, 0, false})

	// render_service and its GPU work are late, the latter by more than a period.
	x.appFrame(app, due(12)+100, due(12)+3_000, appVsync(12, 5), 5)
	x.renderFrame(due(13)+100, due(15), renderVsync(13, 55), due(13)+1_000, " [200,5]")
	x.gpu(due(13)+200, due(15)+5_001, 2)
	appIs(due(12)+100, frameTruth{0, 0, cpuLate, dark, true, good, full, due(13) + 100, true})
	renderIs(due(13)+100, frameTruth{0, 0, cpuLate, dark, false, good, full, 0, false})

	// Only the GPU work is late.
	x.appFrame(app, due(17)+100, due(17)+3_000, appVsync(17, 6), 6)
	x.renderFrame(due(18)+100, due(18)+4_000, renderVsync(18, 56), due(18)+1_000, " [200,6]")
	x.gpu(due(18)+200, due(19)+5_001, 3)
	appIs(due(17)+100, frameTruth{0, 0, gpuLate, dark, true, good, some, due(18) + 100, true})
	renderIs(due(18)+100, frameTruth{0, 0, gpuLate, dark, false, good, some, 0, false})

	// render_service takes the frame a vsync later than it was made for.
	x.appFrame(app, due(20)+100, due(20)+3_000, appVsync(20, 7), 7)
	x.renderFrame(due(22)+100, due(22)+4_000, renderVsync(22, 57), due(22)+1_000, " [200,7]")
	appIs(due(20)+100, frameTruth{0, 0, scheduled, dark, true, good, some, due(22) + 100, true})
	renderIs(due(22)+100, frameTruth{0, 0, scheduled, dark, true, good, some, 0, false})

	// The same, and it is late as well.
	x.appFrame(app, due(23)+100, due(23)+3_000, appVsync(23, 8), 8)
	x.renderFrame(due(25)+100, due(26)+5_500, renderVsync(25, 58), due(25)+1_000, " [200,8]")
	appIs(due(23)+100, frameTruth{0, 0, scheduled + ", " + cpuLate, dark, true, good, some, due(25) + 100, true})
	renderIs(due(25)+100, frameTruth{0, 0, scheduled + ", " + cpuLate, dark, false, good, some, 0, false})

	// Nothing to draw, of either kind; how long it took then does not matter.
	x.appFrame(app, due(28)+100, due(28)+1_000, appVsync(28, 9))
	x.renderFrame(due(29)+100, due(30)+6_000, renderVsync(29, 59), 0, "")
	appIs(due(28)+100, frameTruth{0, 0, still, dark, true, good, none, 0, false})
	renderIs(due(29)+100, frameTruth{0, 0, still, dark, true, good, none, 0, false})

	// Markers that say neither when a frame should end nor which it is.
	x.appFrame(app, due(31)+100, due(31)+3_000, vsync{now: due(31)}, 10)
	x.renderFrame(due(32)+100, due(32)+4_000, vsync{now: due(32)}, due(32)+1_000, " [200,10]")
	unknown := onTime
	unknown.prediction = free
	renderIs(due(32)+100, unknown)
	unknown.render, unknown.arrow = due(32)+100, true
	appIs(due(31)+100, unknown)

	// Two UI threads.
	x.appFrame(app, due(33)+100, due(33)+4_000, appVsync(33, 11), 11)
	x.workerFrame(uiWorker, due(33)+150, due(33)+3_000, appVsync(33, 11), 12)
	x.renderFrame(due(34)+100, due(34)+4_000, renderVsync(34, 60), due(34)+1_000, " [200,11] [200,12]")
	shown.render, unknown.render = due(34)+100, due(34)+100
	appIs(due(33)+100, shown)
	appIs(due(33)+150, unknown)
	renderIs(due(34)+100, onTime)

	// render_service's vsync id comes again.
	x.appFrame(app, due(36)+100, due(36)+3_000, appVsync(36, 12), 13)
	x.renderFrame(due(37)+100, due(37)+4_000, renderVsync(37, 60), due(37)+1_000, " [200,13]")
	shown.render = due(37) + 100
	appIs(due(36)+100, shown)
	renderIs(due(37)+100, onTime)

	// One vsync is handled twice by an application.
	x.appFrame(app, due(38)+100, due(38)+1_000, appVsync(38, 13), 14)
	x.appFrame(app, due(38)+2_000, due(38)+3_000, appVsync(38, 13), 15)
	x.renderFrame(due(39)+100, due(39)+4_000, renderVsync(39, 62), due(39)+1_000, " [200,14] [200,15]")
	shown.render = due(39) + 100
	appIs(due(38)+100, shown)
	appIs(due(38)+2_000, shown)
	renderIs(due(39)+100, onTime)

	// The application begins after the render frame that takes its frame …
	x.renderFrame(due(41)+100, due(41)+9_000, renderVsync(41, 63), due(41)+5_000, " [200,16]")
	x.appFrame(app, due(41)+2_000, due(41)+4_000, appVsync(40, 14), 16)
	appIs(due(41)+2_000, frameTruth{0, 0, appLate, dark, false, good, some, due(41) + 100, false})
	renderIs(due(41)+100, onTime)

	// … or at the same time.
	x.renderFrame(due(44)+100, due(44)+5_000, renderVsync(44, 64), due(44)+3_000, " [200,17]")
	x.appFrame(app, due(44)+100, due(44)+2_000, appVsync(43, 15), 17)
	appIs(due(44)+100, frameTruth{0, 0, appLate, dark, false, good, some, due(44) + 100, true})
	renderIs(due(44)+100, onTime)

	// Sent, and taken by nobody.
	x.appFrame(app, due(45)+100, due(45)+2_000, appVsync(45, 16), 18)
	appIs(due(45)+100, onTime)

	// Of two applications one is taken on its vsync and one is not.
	x.appFrame(app, due(46)+100, due(46)+3_000, appVsync(46, 17), 19)
	x.appFrame(other, due(47)+100, due(47)+2_000, appVsync(47, 1), 1)
	x.renderFrame(due(48)+100, due(48)+4_000, renderVsync(48, 65), due(48)+1_000, " [200,19] [300,1]")
	appIs(due(46)+100, frameTruth{0, 0, scheduled, dark, true, good, some, due(48) + 100, true})
	shown.render, shown.pid = due(48)+100, other.pid
	appIs(due(47)+100, shown)
	renderIs(due(48)+100, frameTruth{0, 0, scheduled, dark, true, good, some, 0, false})

	// The trace ends within a render frame and an application's next one.
	x.appFrame(app, due(50)+100, due(50)+3_000, appVsync(50, 18), 20)
	x.renderFrame(due(51)+100, 0, renderVsync(51, 66), due(51)+1_000, " [200,20]")
	x.mark(due(51)+150, app, "B|200|H:"+appVsync(51, 19).name()+"|M0538")
	appIs(due(50)+100, onTime)

	otherMarkers(x, due(3))
	return x.String(), truth
}

// longTrace returns a trace of many blocks, with slices across their ends.
func longTrace() string {
	x := &textTrace{}
	x.mark(caseStart, other, "B|300|all the time")
	for k := range int64(1_500) {
		v := appVsync(k, k+1)
		x.appFrame(app.on(int(k%4)), due(k)+100, due(k)+5_000, v, int(k))
		x.appFrame(other.on(int(k%3)), due(k)+200, due(k)+5_000+k, v, int(k))
		x.renderFrame(due(k+1)+200, due(k+1)+6_000, renderVsync(k+1, k+50), due(k+1)+1_000, fmt.Sprintf(" [200,%d] [300,%d]", k, k))
		x.gpu(due(k+1)+300, due(k+1)+6_000+5*k, int(k%7))
	}
	x.mark(due(1_600), other, "E|300|")
	return x.String()
}

// otherMarkers adds markers that have nothing to do with frames.
func otherMarkers(x *textTrace, at int64) {
	t := thread{"busy thread", 310, 300, 0}
	// Slices that begin and end at the same time, on several processors.
	x.mark(at+10, t.on(1), "B|300|outer|with bars|in it")
	x.mark(at+20, t.on(1), "B|300|H:first|I39")
	x.mark(at+30, t.on(1), "E|300|I39")
	x.mark(at+30, t.on(0), "B|300|H:second|I39")
	x.mark(at+30, t.on(3), "B|300|H:third|I39")
	x.mark(at+30, t.on(2), "E|300|I39")
	x.mark(at+40, t.on(0), "E|300|I39")
	x.mark(at+40, t.on(2), "B|300|H:fourth|I39")
	x.mark(at+40, t.on(0), "E|300|I39")
	x.mark(at+40, t.on(1), "I|300|instant|with a bar")
	x.mark(at+40, t.on(1), "I|300|another")
	x.mark(at+50, t.on(1), "B|300|")
	x.mark(at+60, t.on(1), "E|300|")
	x.mark(at+70, t.on(1), "E|300|")

	// Counters and asynchronous slices. In a container the process id of the
	// payload is the container's own.
	x.mark(at+10, t, "C|9|counter|-5")
	x.mark(at+11, t, "C|9|counter|9223372036854775807")
	x.mark(at+12, t, "C|300|H:left|right|7|M62")
	x.mark(at+13, t, "C|300|H:old style 8")
	x.mark(at+20, t, "S|300|H:async|1|M62")
	x.mark(at+21, t, "S|300|H:async|2|M62")
	x.mark(at+22, other, "F|300|H:async|1|M62")
	x.mark(at+23, other, "F|300|H:async|2|M62")
	x.mark(at+24, other, "F|300|H:async|2|M62") // once too often
	x.mark(at+25, t, "S|9|H:old style 3")
	x.mark(at+26, t, "F|9|H:old style 3")
	x.mark(at+30, t, "G|300|track|one|1")
	x.mark(at+31, t, "G|300|track|two|2")
	x.mark(at+32, t, "H|300|track|1")
	x.mark(at+33, t, "H|300|track|two|2")
	x.mark(at+34, t, "H|300|track|2") // once too often
	x.mark(at+35, t, "N|300|track|instant|of a track")
	x.mark(at+36, t, "S|300|never ends|1")

	// A thread of which no line says the process.
	unknown := thread{"<...>", 400, 0, 2}
	x.mark(at+50, unknown, "B|399|H:somewhere|M62")
	x.mark(at+60, unknown, "E|M62")
	x.mark(at+60, unknown, "trace_event_clock_sync: realtime_ts=1700000000123")
	x.mark(at+70, unknown, "trace_event_clock_sync: parent_ts=10.030070")
}
