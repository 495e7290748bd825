package simulate

import "ohframe/analyzer/trace"

// Demo is the trace of the README: a gallery is scrolled at 120 Hz, then slower at 60 Hz,
// while notes are typed, on a device that has slept for an hour. It has every kind of
// problem that a frame can have.
func Demo() Config {
	return Config{
		Seed:        DemoSeed,
		Era:         "6.0",
		Duration:    530 * trace.Millisecond,
		Rates:       []Rate{{Hz: 120}, {From: 290 * trace.Millisecond, Hz: 60}},
		ClockOffset: 3600 * trace.Second,
		Apps: []App{
			{Bundle: "com.example.gallery", PID: 20170, Workers: 1},
			{Bundle: "com.example.notes", PID: 20480, Interval: 3},
		},
		Chances: Chances{
			AppLate: 0.06, AppStuck: 0.015, AppBlocked: 0.5, AppEmpty: 0.06, AppPause: 0.03,
			Worker: 0.12, SplitData: 0.04, LateFlush: 0.03,
			Held: 0.04, Lost: 0.012,
			RenderLate: 0.03, RenderGPULate: 0.05, RenderInvalid: 0.015, RenderSkip: 0.5,
			GPUOutside: 0.02, CommitLate: 0.03, FrequencyNoise: 0.12,
		},
		GPU:           true,
		PresentFences: true,
		CutEnd:        true,
		Kernel:        KernelHongMeng,
		Text:          Text{Header: HeaderNarrow, Mark: MarkPrint},
	}
}

// DemoSeed was chosen so that Demo has every kind of frame within a few hundred
// kilobytes. The test of the demo lists them.
const DemoSeed = 38603

// Capture is a trace of any size with the mix of lines of a real capture of HarmonyOS 6.1
// at 90 Hz, for benchmarks of readers.
func Capture(size int64) Config {
	return Config{
		Seed:  1,
		Era:   "harmonyos-6.1",
		Size:  size,
		Rates: []Rate{{Hz: 90}},
		Apps: []App{
			{Bundle: "com.example.video", PID: 20170, VsyncThread: true},
			{Bundle: "com.example.launcher", PID: 12450, Workers: 1, Interval: 2},
			{Bundle: "com.example.systemui", PID: 12480, Interval: 3, Instances: 2},
		},
		Chances: Chances{
			AppLate: 0.02, AppStuck: 0.003, AppBlocked: 0.3, AppEmpty: 0.03, AppPause: 0.01,
			Worker: 0.2, SplitData: 0.03, LateFlush: 0.01, NoExpectedEnd: 0.001,
			Held: 0.02, Lost: 0.002,
			RenderLate: 0.01, RenderInvalid: 0.002, RenderSkip: 0.2, CommitLate: 0.01,
			FrequencyNoise: 0.05,
		},
		PresentFences: true,
		Detail:        true,
		Kernel:        KernelHongMeng,
		Background:    captureLines,
		Text:          Text{CRLF: true},
	}
}
