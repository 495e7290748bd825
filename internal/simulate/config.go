package simulate

import "ohframe/analyzer/trace"

// Config configures a simulation. [Default] returns one to start from.
type Config struct {
	// Seed chooses among the traces that the rest of the configuration allows.
	Seed uint64
	// Era is the release whose spelling the markers have; see [Eras].
	Era string

	// Duration is the length of the trace. Frames begun within it are finished.
	Duration trace.Duration
	// Size, when not zero, replaces Duration: the trace ends with the vsync in
	// which it grew beyond Size bytes.
	Size int64

	// Rates is the display's refresh rate over time. The first must be From 0.
	Rates []Rate
	// ClockOffset is how far the trace's clock is ahead of the monotonic clock
	// that vsync times are in: the time the device was suspended.
	ClockOffset trace.Duration
	// AppPhase is the time from render_service's vsync to the applications'.
	AppPhase trace.Duration

	Apps    []App
	Chances Chances

	// GPU makes render_service queue GPU work (`M: Frame queued`).
	GPU bool
	// PresentFences makes the display report when it shows a frame.
	PresentFences bool
	// NoDebugMarkers leaves out the markers that are written only while a debug
	// property is set: ProcessCommandUni in 4.0.
	NoDebugMarkers bool
	// Detail adds markers of the pipeline that are no part of a frame's rules:
	// transactions arriving, acquire fences, animations.
	Detail bool

	// CutStart begins the trace and CutEnd ends it in the middle of frames, as
	// a ring buffer does.
	CutStart, CutEnd bool

	// Kernel is the spelling of the scheduler's lines. If it is empty, they are left out.
	Kernel Kernel
	// Background is how many lines a second are filled up to with the work of
	// other processes, in the proportions of a real capture.
	Background int

	Text Text
}

// Rate is a refresh rate from some time after the first vsync on.
type Rate struct {
	From trace.Duration
	Hz   int
}

// App is an application.
type App struct {
	// Bundle is its name. The kernel keeps the last 15 bytes of it.
	Bundle string
	PID    trace.PID
	// PayloadPID is the pid that the process writes into its own markers, where
	// that is another than PID: in a container. Zero means PID.
	PayloadPID trace.PID
	// Interval makes it draw on every Interval-th vsync only; zero means one.
	Interval int64
	// Instances is the number of UI instances on its main thread, each with an
	// OnVsyncEvent and a transaction of its own; zero means one.
	Instances int
	// Workers is the number of UI threads besides the main one.
	Workers int
	// Native applications draw without ArkUI: their frames have no OnVsyncEvent.
	Native bool
	// VsyncThread adds a thread that receives vsyncs but makes no frames.
	VsyncThread bool
}

// Text is how lines look, apart from the markers' own spelling.
type Text struct {
	Header Header
	TGID   TGID
	// Mark is the name of the event that carries markers; the default depends on the era.
	Mark Mark
	// Flags is the number of flag characters, from 4 to 8; zero means 4.
	Flags int
	// Nanoseconds writes times with nine digits of fraction in place of six.
	Nanoseconds bool
	CRLF        bool
	// NoClockSync leaves out the two markers that hitrace writes first.
	NoClockSync bool
}

// Default is a second of one application at 60 Hz in the 6.0 spelling, with
// nothing going wrong and no lines but the pipeline's.
func Default() Config {
	return Config{
		Seed:          1,
		Era:           "6.0",
		Duration:      trace.Second,
		Rates:         []Rate{{Hz: 60}},
		Apps:          []App{{Bundle: "com.example.gallery", PID: 20000}},
		PresentFences: true,
		Text:          Text{Header: HeaderNarrow},
	}
}
