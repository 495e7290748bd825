package pftrace

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// fuzzNames is how many names of functions encoders remember here: so few that
// they forget.
const fuzzNames = 3

// seedTexts calls add with small traces: those of the goldens, the one that the
// command's tests use, and one that has every event of the kernel there is a form
// for.
func seedTexts(f *testing.F, add func(text []byte)) {
	paths, err := filepath.Glob("../../testdata/frames/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		archive := must.Get(txtar.ParseFile(path))(f)
		for _, file := range archive.Files {
			if file.Name == "trace" {
				add(file.Data)
			}
		}
	}
	text := must.Get(os.ReadFile("../../cmd/ohframe/testdata/frames.ftrace"))(f)
	add(text)
	// The cases of package ftrace's tests.
	text = must.Get(os.ReadFile("../internal/ftrace/kernelevents_test.go"))(f)
	var kernel []byte
	list := regexp.MustCompile(`(?m)^\t\{"(\w+)", ("(?:[^"\\]|\\.)*"),`).FindAllSubmatch(text, -1)
	if len(list) < 100 {
		f.Fatalf("%d cases of kernel events", len(list))
	}
	for i, c := range list {
		event := c[1]
		args := must.Get(strconv.Unquote(string(c[2])))(f)
		kernel = fmt.Appendf(kernel, " some thread-%d (  7) [%03d] d..2 1.%06d: %s: %s\n", i%3, i%2, i/2, event, args)
		kernel = fmt.Appendf(kernel, " some thread-%d (  7) [%03d] d..2 1.%06d: sched_switch: prev_comm=a prev_pid=%d prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=%d next_prio=-1\n",
			i%3, i%2, i/2, i%3, (i+2)%3)
		kernel = fmt.Appendf(kernel, " b-%d (  7) [%03d] d..2 1.%06d: sched_waking: comm=a pid=%d prio=120 target_cpu=001\n", (i+2)%3, i%2, i/2, i%3)
	}
	add(kernel)
}

// maxPads is how many blocks a script may put into a trace.
const maxPads = 2

// mutated returns a trace with what a script does to its lines, three bytes of it
// at a time: what, where, and how.
func mutated(text, script []byte) []byte {
	lines := bytes.SplitAfter(bytes.Clone(text), []byte("\n"))
	pads := 0
	for ; len(script) >= 3; script = script[3:] {
		at, how := int(script[1])*len(lines)/256, int(script[2])
		line := lines[at]
		column := how * len(line) / 256
		switch script[0] % 10 {
		case 0: // lose a line
			lines = append(lines[:at:at], lines[at+1:]...)
		case 1: // double it
			lines = append(lines[:at+1:at+1], lines[at:]...)
		case 2: // swap it with another
			other := how * len(lines) / 256
			lines[at], lines[other] = lines[other], lines[at]
		case 3: // flip a bit
			if len(line) > 0 {
				line = bytes.Clone(line)
				line[column] ^= 1 << (script[0] / 10 % 8)
				lines[at] = line
			}
		case 4: // lose its end
			lines[at] = append(line[:column:column], '\n')
		case 5: // and its line feed with it
			lines[at] = line[:column:column]
		case 6: // end it with the end of another
			other := lines[(at+int(script[0]/10))%len(lines)]
			lines[at] = append(line[:column:column], other[min(column, len(other)):]...)
		case 7: // end or begin the trace there
			if script[0] < 128 {
				lines = lines[:at+1]
			} else {
				lines = lines[at:]
			}
		case 8: // change a digit
			for i := column; i < len(line); i++ {
				if line[i] >= '0' && line[i] <= '9' {
					line = bytes.Clone(line)
					line[i] = '0' + script[0]/10%10
					lines[at] = line
					break
				}
			}
		case 9: // move what follows to another block
			if pads < maxPads {
				pads++
				lines = append(lines[:at:at], append([][]byte{block}, lines[at:]...)...)
			}
		}
		if len(lines) == 0 {
			return nil
		}
	}
	return bytes.Join(lines, nil)
}

// block is as many lines without an event as are read at a time.
var block = bytes.Repeat(append(bytes.Repeat([]byte("#"), 60<<10), '\n'), 5)

// fuzzOptions are the options of a conversion that the bits of a number stand for.
func fuzzOptions(how byte) Options {
	var o Options
	o.NoEvents = how&1 != 0
	o.AllEvents = !o.NoEvents
	if how&16 != 0 {
		o.Reader.Window.From, _ = trace.ParseEdge("+5ms")
		o.Reader.Window.To, _ = trace.ParseEdge("+15ms")
	}
	if how&64 != 0 {
		o.Analyzer.ClockOffset = new(trace.Duration)
	}
	if how&128 != 0 {
		few := trace.Limits{Threads: 4, Strings: fuzzNames, Nesting: 2, Async: 2, Frames: 3, Records: 3}
		o.Reader.Limits, o.Analyzer.Limits = few, few
	}
	return o
}

// framesAndNames describes a timeline in text.
func framesAndNames(t *analyzer.Timeline) string {
	var b strings.Builder
	b.WriteString(t.String())
	for _, p := range t.Processes {
		fmt.Fprintf(&b, "%d %q %q\n", p.PID, p.Name, p.Threads)
	}
	return b.String()
}

// Whatever the text, the outcome is the same to the byte for any number of workers
// and any source; the timeline is valid and that of the analyzer; each line is
// accounted for; and the output is packets as the schema has them.
func FuzzConvert(f *testing.F) {
	seedTexts(f, func(text []byte) { f.Add(text, []byte{}, byte(0)) })
	f.Add([]byte(longTrace()[:8000]), []byte{9, 50, 0, 9, 150, 0}, byte(4))
	f.Fuzz(func(t *testing.T, text, script []byte, how byte) {
		if len(text) > 30_000 || len(script) > 90 {
			return
		}
		text = mutated(text, script)
		options := fuzzOptions(how)
		run := func(r io.Reader, workers int) ([]byte, *Summary) {
			options := options
			options.Reader.Workers = workers
			var out bytes.Buffer
			summary := must.Get(Convert(t.Context(), r, &out, options))(t)
			return out.Bytes(), summary
		}
		want, summary := run(bytes.NewReader(text), 1)
		timeline := framesAndNames(summary.Timeline)
		must.NoError(t, summary.Timeline.Validate())
		checkCounts(t, string(text), want, summary)
		for _, p := range packetsOf(t, want) {
			checkKnown(t, p.ProtoReflect())
			checkText(t, p.ProtoReflect())
		}
		sources := map[int]io.Reader{2: iotest.HalfReader(bytes.NewReader(text)), 3: iotest.DataErrReader(bytes.NewReader(text)), 8: bytes.NewReader(text)}
		if len(text) < 4000 {
			sources[3] = iotest.OneByteReader(bytes.NewReader(text))
		}
		for workers, source := range sources {
			got, other := run(source, workers)
			if !bytes.Equal(got, want) {
				t.Errorf("%d workers: other bytes", workers)
			}
			must.Equal(t, framesAndNames(other.Timeline), timeline, "%d workers", workers)
		}
		analyzed := must.Get(analysis.Run(t.Context(), bytes.NewReader(text), options.Reader, options.Analyzer, analysis.Options{}))(t).Timeline
		must.Equal(t, framesAndNames(analyzed), timeline, "analyzed")
	})
}

// checkText fails the test for strings that are no text: some readers would refuse
// the whole trace.
func checkText(t *testing.T, m protoreflect.Message) {
	t.Helper()
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		values := []protoreflect.Value{value}
		if field.IsList() {
			values = nil
			for i := range value.List().Len() {
				values = append(values, value.List().Get(i))
			}
		}
		for _, v := range values {
			switch {
			case field.Message() != nil:
				checkText(t, v.Message())
			case field.Kind() == protoreflect.StringKind && !utf8.ValidString(v.String()):
				t.Errorf("%s is no text: %q", field.FullName(), v.String())
			}
		}
		return true
	})
}

// Traces in which fuzzing found a defect.

// A thread has the name that its last line states, also if lines before that are
// left out, as ends without a begin are.
func TestNameOfLinesLeftOut(t *testing.T) {
	_, summary := convert(t, " before-100 (100) [000] .... 1.000200: print: E|100|\n after-100 (100) [000] .... 1.000300: print: B|100|H:x|M62\n", Options{})
	if name := summary.Timeline.Processes[0].Name; name != "after" || summary.Unmatched != 1 {
		t.Errorf("the process is %q", name)
	}
}

// Names that the kernel cut in the middle of a character are text in all packets.
func TestNamesCutInACharacter(t *testing.T) {
	const cut = "\xe7\x9b\xb8\xe5"
	line := func(at int, who, event string) string {
		return fmt.Sprintf(" %s [000] d..2 1.%06d: %s\n", who, at, event)
	}
	data, _ := convert(t,
		line(1, "a-1 (1)", "sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm="+cut+" next_pid=2 next_prio=120")+
			line(2, cut+"-2 (2)", "sched_waking: comm="+cut+" pid=1 prio=120 target_cpu=000")+
			line(3, cut+"-2 (2)", "sched_switch: prev_comm="+cut+" prev_pid=2 prev_prio=120 prev_state=S ==> next_comm="+cut+" next_pid=1 next_prio=120")+
			line(4, cut+"-1 (1)", "print: B|1|"+cut)+line(5, cut+"-1 (1)", "binder_lock: tag="+cut)+line(6, cut+"-1 (1)", cut+": "+cut+"="+cut),
		Options{})
	for _, p := range packetsOf(t, data) {
		checkText(t, p.ProtoReflect())
	}
	if n := bytes.Count(data, []byte("相\uFFFD")); n < 6 {
		t.Errorf("the name is there %d times", n)
	}
}
