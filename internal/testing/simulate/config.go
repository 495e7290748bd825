package simulate

import (
	"errors"
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
)

// Config configures a simulation. Start from [Default], [Everything] or [Capture].
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

	Apps    []App
	Chances Chances

	// Interactions, Launches and Hangs are what the user does and waits for. Injections are late frames of
	// the first application.
	Interactions []Interaction
	Launches     []Launch
	Hangs        []Hang
	Injections   []Injection

	// Layers are the queues of buffers that render_service shows beside the applications'
	// own frames.
	Layers []Layer
	// Direct has render_service leave the composition of frames that only layers changed to
	// the display.
	Direct bool

	// GPU makes render_service queue GPU work (`M: Frame queued`).
	GPU bool
	// Detail adds markers of the pipeline that are no part of a frame's rules:
	// transactions arriving, acquire fences, animations.
	Detail bool

	// NoFences leaves the present fences out.
	NoFences bool

	// CutStart begins the trace and CutEnd ends it in the middle of frames, as
	// a ring buffer does.
	CutStart, CutEnd bool

	// Kernel is the spelling of the kernel's lines. If it is empty, they are left out.
	Kernel Kernel
	// Background is how many lines a second are filled up to with the work of
	// other processes, in the proportions of a real capture. It needs HongMeng.
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
	// Interval makes it draw on every Interval-th vsync only; zero means one.
	Interval int64
	// Own makes it ask for these vsyncs only: each frame has until the next of them.
	Own bool
	// Pauses are times in which it draws nothing.
	Pauses []Pause
	// Instances is the number of UI instances on its main thread, each with an
	// OnVsyncEvent and a transaction of its own; zero means one.
	Instances int
	// Workers is the number of UI threads besides the main one.
	Workers int
	// VsyncThread adds a thread that receives vsyncs but makes no frames.
	VsyncThread bool
	// Asks makes render_service write when it asks for a vsync, after each frame.
	Asks bool
	// OnDemand makes it draw only during interactions and for the time Draws after the first
	// vsync.
	OnDemand bool
	Draws    trace.Duration
	// DisplaySyncs are its requests for vsyncs, which each of its frames serves.
	DisplaySyncs []DisplaySync
	// Timers are its loops that draw without vsyncs.
	Timers []Timer
}

// DisplaySync is a request for every Rate-th vsync. Type is ArkUI's number of who made it.
type DisplaySync struct {
	ID   int64
	Type int
	Rate int64
	// VsyncRate is the display's rate in a frame that serves it, and Skipped that it is not called in that frame.
	VsyncRate int
	Skipped   bool
}

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

	RenderLate    float64 // render_service's main thread overruns its deadline
	RenderGPULate float64 // the GPU work of the frame does
	RenderInvalid float64 // the frame processes no commands at all
	RenderSkip    float64 // a frame without commands draws nothing
	Unchanged     float64 // a frame draws nothing, because its commands change nothing
	GPUOutside    float64 // GPU work is queued after the frame's end; from 5.0.0 on
	CommitLate    float64 // the commit ends only after the display showed the frame
}

// Text is how lines look, apart from the markers' own spelling.
type Text struct {
	Header Header
	TGID   TGID
	// Flags is the number of flag characters, from 4 to 8; zero means 4.
	Flags int
	// Nanoseconds writes times with nine digits of fraction in place of six.
	Nanoseconds bool
	CRLF        bool
}

// Header is the kind of header before the first line.
type Header string

const (
	HeaderNone   Header = ""
	HeaderNarrow Header = "narrow"
	HeaderTrace  Header = "trace" // a line `TRACE:` first, as hitrace 3.2 and 4.0 write it
)

// write returns the header of a trace with that many lines and processors.
func (h Header) write(lines int64, cpus int, newline string) string {
	if h == HeaderNone {
		return ""
	}
	text := fmt.Sprintf(`# tracer: nop
#
# entries-in-buffer/entries-written: %d/%d   #P:%d
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
`, lines, lines, cpus)
	if h == HeaderTrace {
		text = "TRACE:\n" + text
	}
	return strings.ReplaceAll(text, "\n", newline)
}

// TGID is the kind of column that names a thread's process.
type TGID string

const (
	TGIDNarrow TGID = ""       // (12345)
	TGIDWide   TGID = "wide"   // (  12345)
	TGIDAbsent TGID = "absent" // no column
	TGIDDashes TGID = "dashes" // (-----)
)

// Kernel is a kernel's way to write its lines.
type Kernel string

const (
	KernelNone     Kernel = ""
	KernelLinux    Kernel = "linux"
	KernelHongMeng Kernel = "hongmeng"
)

// Default is a second of one application at 60 Hz in the 6.0 spelling, with
// nothing going wrong and no lines but the pipeline's.
func Default() Config {
	return Config{
		Seed:     1,
		Era:      "6.0",
		Duration: trace.Second,
		Rates:    []Rate{{Hz: 60}},
		Apps:     []App{{Bundle: "com.example.gallery", PID: 20000}},
		Text:     Text{Header: HeaderNarrow},
	}
}

// Everything is a trace with every kind of problem that a frame can have: a gallery is
// scrolled at 120 Hz, then slower at 60 Hz, while notes are typed, on a device that has
// slept for an hour.
func Everything() Config {
	return Config{
		Seed:        1,
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
			GPUOutside: 0.02, CommitLate: 0.03,
		},
		GPU:    true,
		CutEnd: true,
		Kernel: KernelHongMeng,
		Text:   Text{Header: HeaderNarrow},
	}
}

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
		},
		Detail:     true,
		Kernel:     KernelHongMeng,
		Background: captureLines,
		Text:       Text{CRLF: true},
	}
}

func (c *Config) check() error {
	switch {
	case findEra(c.Era) == nil:
		return fmt.Errorf("no era is called %q; there are %s", c.Era, strings.Join(Eras(), " "))
	case c.Kernel != KernelNone && c.Kernel != KernelLinux && c.Kernel != KernelHongMeng:
		return fmt.Errorf("no kernel is called %q", c.Kernel)
	case c.Background > 0 && c.Kernel != KernelHongMeng:
		return errors.New("background work is that of HongMeng")
	}
	return nil
}
