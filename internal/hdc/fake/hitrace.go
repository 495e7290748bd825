//go:build unix

package fake

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/simulate"
)

// mode is what a call of hitrace does.
type mode string

// options are the options of hitrace.
type options struct {
	mode   mode // "begin", "dump", "finish", "finish_nodump", "list"
	clock  string
	kb     int
	output string
	tags   []string
}

// tracer is a run of hitrace.
type tracer struct {
	*world
	d       *Device
	profile profile
	options
}

func hitrace(w *world, d *Device, args []string) int {
	t := &tracer{world: w, d: d, profile: findProfile(d.System)}
	w.log(append([]string{"hitrace"}, args...))
	defer w.log([]string{"hitrace ended"})
	if !t.parse(args) {
		return 255
	}
	if a := d.Hitrace[string(t.mode)]; a != (Answer{}) {
		w.state.Matched[string(t.mode)]++
		if a.Times == 0 || w.state.Matched[string(t.mode)] <= a.Times {
			if err := w.unlocked(func() { time.Sleep(time.Duration(a.MS) * time.Millisecond) }); err != nil {
				return 255
			}
			switch {
			case strings.TrimSpace(a.Fail) != "":
				return t.complain("%s", a.Fail)
			case a.Fail != "":
				return 255
			}
		}
	}
	defer w.writeOn(d)
	switch t.mode {
	case "list":
		return t.listTags()
	case "begin":
		return t.begin()
	case "dump", "finish":
		return t.read()
	case "finish_nodump":
		return t.drop()
	}
	return t.complain("this mode is not imitated")
}

// say prints a line as the version does, with the device's time from 4.1 on.
func (t *tracer) say(format string, values ...any) {
	if !t.profile.legacy {
		fmt.Print("2025/06/01 10:00:00 ")
	}
	fmt.Printf(format+"\n", values...)
}

// complain prints an error.
func (t *tracer) complain(format string, values ...any) int {
	text := fmt.Sprintf(format, values...)
	if t.profile.legacy {
		fmt.Fprintln(os.Stderr, "Error: "+text)
	} else {
		t.say("error: %s", text)
	}
	return 255
}

func (t *tracer) parse(args []string) bool {
	t.options = options{clock: "boot", kb: 18432}
	if t.profile.legacy {
		t.kb = 2048
	}
	for i := 0; i < len(args); i++ {
		value := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			return ""
		}
		switch arg := args[i]; arg {
		case "-l":
			t.mode = "list"
		case "--trace_begin", "--trace_dump", "--trace_finish", "--trace_finish_nodump":
			if t.mode != "" {
				t.complain("the parameter is set incorrectly, %s and %s cannot coexist.", t.mode, arg)
				return false
			}
			t.mode = mode(strings.TrimPrefix(arg, "--trace_"))
		case "--trace_clock":
			t.clock = value()
		case "-b":
			t.kb, _ = strconv.Atoi(value())
		case "-o":
			t.output = value()
		default:
			t.tags = append(t.tags, arg)
		}
	}
	for _, tag := range t.tags {
		if slices.Contains(tagsOf(t.d), tag) {
			continue
		}
		if t.profile.legacy {
			t.complain("%q is not support category on this device", tag)
		} else {
			t.complain("%s is not support category on this device.", tag)
			t.complain("parsing args failed, exit.")
		}
		return false
	}
	if t.kb < 256 || t.kb > 307200 {
		t.complain("buffer size must be from 256 KB to 300 MB. eg: \"--buffer_size 18432\"")
		return false
	}
	return true
}

func (t *tracer) listTags() int {
	if !t.profile.legacy {
		t.say("hitrace enter, running_state is SHOW_LIST_CATEGORY")
	}
	fmt.Println("tagName:   description:")
	for _, tag := range tagsOf(t.d) {
		fmt.Printf("%16s - %s\n", tag, strings.ToUpper(tag[:1])+tag[1:])
	}
	return 0
}

func (t *tracer) session() *session { return t.state.Sessions[t.d.Key] }

// start opens a session. It fails if there is one, from 4.1 on.
func (t *tracer) start() bool {
	if !t.profile.legacy && t.session() != nil {
		t.complain("OpenRecording failed, errorCode(%d)", t.profile.busy)
		return false
	}
	if len(t.tags) == 0 {
		t.complain("tag is empty, please add.")
		return false
	}
	clock := t.clock
	if clock == "mono" && t.d.NoMono {
		clock = "boot"
	}
	if err := t.writeClock(t.d, clock); err != nil {
		t.complain("%v", err)
		return false
	}
	t.state.Sessions[t.d.Key] = &session{Owner: "command", Begun: time.Now().UnixNano(), Clock: clock, KB: t.kb, Tags: t.tags}
	return true
}

func (t *tracer) begin() int {
	if !t.profile.legacy {
		t.say("hitrace enter, running_state is RECORDING_LONG_BEGIN")
		t.say("args: tags:%s bufferSize:%d overwrite:1", strings.Join(t.tags, ","), t.kb)
	}
	if !t.start() {
		return 255
	}
	if t.profile.legacy {
		t.say("capturing trace...")
	} else {
		t.say("OpenRecording done.")
	}
	return 0
}

// read writes the trace, and ends the session unless it is a dump.
func (t *tracer) read() int {
	s := t.session()
	if s == nil && t.profile.checksOn {
		t.say("Warning: tracing on is closed, no trace can be read.")
		return 0
	}
	if s == nil {
		s = &session{} // of which nothing is in the buffer
	}
	if !t.profile.legacy {
		t.say("start to read trace.")
	}
	if t.mode == "finish" {
		delete(t.state.Sessions, t.d.Key)
	}
	t.write(s)
	if t.profile.checksOn && t.mode == "finish" {
		t.say("Trace Closed.")
	}
	return 0
}

// write writes the trace of a session to the file, or prints it.
func (t *tracer) write(s *session) {
	text, err := t.trace(s)
	if err != nil {
		t.complain("%v", err)
		return
	}
	if t.output == "" {
		os.Stdout.Write(text)
		return
	}
	if t.d.Errno != 0 {
		if t.profile.legacy {
			t.complain("Failed to open file '%s', err=%d", t.output, t.d.Errno)
		} else {
			t.complain("opening %s, errno: %d", t.output, t.d.Errno)
			t.say("trace read done, output: %s", t.output)
		}
		return
	}
	if err := os.WriteFile(t.output, text, 0o666); err != nil {
		t.complain("opening %s, errno: 2", t.output)
	}
	if t.profile.legacy {
		t.say("write trace to %s", t.output)
	} else {
		t.say("trace read done, output: %s", t.output)
	}
}

func (t *tracer) drop() int {
	delete(t.state.Sessions, t.d.Key)
	if !t.profile.legacy {
		t.say("hitrace enter, running_state is RECORDING_LONG_FINISH_NODUMP")
	}
	t.say("end capture trace.")
	return 0
}

// suspended is how long the devices have slept since they were started.
const suspended = 3600 * trace.Second

// trace generates the trace of a session.
func (t *tracer) trace(s *session) ([]byte, error) {
	if s.Begun == 0 {
		return []byte("# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:8\n#\n"), nil
	}
	length := trace.Duration(time.Now().UnixNano() - s.Begun)
	if t.d.Seconds != 0 {
		length = trace.Duration(t.d.Seconds * float64(trace.Second))
	}
	t.state.Records[t.d.Key]++
	c := simulate.Default()
	c.Era, c.Duration = t.profile.era, max(length, 100*trace.Millisecond)
	c.Seed = cmp.Or(t.d.Seed, 1) + uint64(t.state.Records[t.d.Key])
	c.Rates = []simulate.Rate{{Hz: 120}}
	c.Kernel, c.GPU = simulate.KernelLinux, true
	c.Chances = simulate.Chances{AppLate: 0.04, AppStuck: 0.005, AppEmpty: 0.03, AppPause: 0.01, RenderLate: 0.01, CommitLate: 0.01}
	if s.Clock != "mono" {
		c.ClockOffset = suspended
	}
	c.Apps = nil
	for i := range t.d.Apps {
		if a := &t.d.Apps[i]; t.isRunning(t.d, a) {
			c.Apps = append(c.Apps, simulate.App{Bundle: a.Bundle, PID: trace.PID(a.PID)})
		}
	}
	if len(c.Apps) == 0 {
		c.Apps = []simulate.App{{Bundle: "com.ohos.sceneboard", PID: 15000}}
	}
	if t.profile.legacy {
		c.Text.Header = simulate.HeaderTrace
	}
	var text bytes.Buffer
	if _, err := simulate.Write(&text, c); err != nil {
		return nil, err
	}
	out := text.Bytes()
	if t.d.Overflow {
		out = overflow(out)
	}
	if t.d.Cut {
		out = out[:len(out)-20]
	}
	return out, nil
}

var entries = regexp.MustCompile(`entries-written: (\d+)/(\d+)`)

// overflow removes the first 60 % of the lines and reports it in the header.
func overflow(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	head := slices.IndexFunc(lines, func(line []byte) bool { return !bytes.HasPrefix(line, []byte("#")) && string(line) != "TRACE:\n" })
	body := lines[head:]
	kept := body[len(body)*6/10:]
	header := entries.ReplaceAll(bytes.Join(lines[:head], nil), fmt.Appendf(nil, "entries-written: %d/$2", len(kept)-1))
	return append(header, bytes.Join(kept, nil)...)
}
