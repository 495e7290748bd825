package binarytrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
	"ohframe/internal/testing/must"
)

// fuzzLimits are small, so that inputs reach them.
var fuzzLimits = trace.Limits{Threads: 50}

// checkFile checks what must be true for any file: reading ends, with one of our errors or
// with lines that the reader of text understands, as many as there are events, in the
// same way however it is read.
func checkFile(t *testing.T, file []byte) {
	t.Helper()
	r, err := Open(bytes.NewReader(file), int64(len(file)), Options{Limits: fuzzLimits})
	if err != nil {
		if e := (*Error)(nil); !errors.As(err, &e) {
			t.Fatalf("error %T %v", err, err)
		}
		return
	}
	text := must.Get(io.ReadAll(r))(t)
	if r.text == nil && checkText(t, text) {
		typed := must.Get(Open(bytes.NewReader(file), int64(len(file)), Options{Limits: fuzzLimits}))(t)
		CheckEvents(t, typed, text)
	}
	again := must.Get(Open(bytes.NewReader(file), int64(len(file)), Options{Limits: fuzzLimits}))(t)
	// Small reads end within lines.
	var pieces []byte
	for piece := make([]byte, 3*bufferSize/2); err == nil; {
		var n int
		n, err = again.Read(piece[:len(piece)-len(pieces)%len(piece)])
		pieces = append(pieces, piece[:n]...)
	}
	if err != io.EOF || !bytes.Equal(pieces, text) {
		t.Errorf("in pieces: %d bytes, %v; want %d", len(pieces), err, len(text))
	}
}

// checkText reports whether there is no odd line.
func checkText(t *testing.T, text []byte) bool {
	t.Helper()
	body, ok := bytes.CutPrefix(text, []byte(Header))
	if !ok {
		t.Fatalf("no header: %.100q", text)
	}
	plain := true
	var l hitrace.Line
	for line := range bytes.Lines(body) {
		problem := hitrace.ParseLine(bytes.TrimSuffix(line, []byte("\n")), &l)
		if problem == hitrace.Ignorable && bytes.HasPrefix(line, []byte("CPU:")) { // a note about lost events
			continue
		}
		plain = plain && !odd(line)
		if problem != hitrace.NoProblem && !odd(line) {
			t.Errorf("%q: %s", line, problem)
		}
	}
	return plain
}

// CheckEvents fails the test if a trace has other events than its text.
func CheckEvents(t *testing.T, r *Reader, text []byte) {
	t.Helper()
	got, want := eventsOf(t, r), eventsOf(t, bytes.NewReader(text))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("event %d of %d: got\n%s\nwant\n%s", i, len(want), got[i], want[i])
		}
	}
	must.Equal(t, len(got), len(want), "events")
}

// eventsOf returns all that is known of the events of a trace, and counts of its lines.
func eventsOf(t *testing.T, r io.Reader) (list []string) {
	t.Helper()
	totals := must.Get(hitrace.Run(t.Context(), r, hitrace.Options{}, hitrace.Sink{Fields: true, Track: func(_ int, b *hitrace.Batch) {
		for i := range b.Events {
			e := &b.Events[i]
			args := e.Args
			if b.Decoder != nil && e.Kind != hitrace.MarkerEvent {
				args = b.Decoder.AppendArgs(nil, args, int(e.CPU), new(kernel.Values))
			}
			fields := fmt.Sprintf("%+v", e.Fields)
			if e.Kind == hitrace.KernelEvent {
				fields = ""
			}
			l, marker := e.Line, ""
			if l.Args = nil; e.Kind == hitrace.MarkerEvent {
				marker = fmt.Sprintf("%+q", fmt.Sprintf("%+v", e.Marker))
			}
			list = append(list, fmt.Sprintf("%d %d %+q %t %q %s %s %d", e.Number, e.Kind, fmt.Sprintf("%+v", l), e.Lost, bytes.TrimSpace(args), fields, marker, e.Process))
		}
	}}))(t)
	totals.Longest = hitrace.Longest{}
	return append(list, fmt.Sprintf("%+v", *totals))
}

// odd reports whether a line has a name of a thread or an event that text cannot have.
func odd(line []byte) bool {
	return bytes.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\n' || c > '~' }) ||
		bytes.Count(line, []byte("[")) > 1 || !bytes.Contains(line, []byte(": "))
}

// sysFile returns a .sys file with one event in a page.
func sysFile(kernel byte, formats, comms string, pages []byte) []byte {
	file := []byte{0x49, 0xdf, kernel, 0, 1, 0, 0, 0, 2, 0, 0, 0}
	for _, s := range []struct {
		kind    byte
		content string
	}{{1, formats}, {4, string(pages)}, {2, comms}, {3, "7 70\n"}} {
		file = binary.LittleEndian.AppendUint32(append(file, s.kind, 0, 0, 0), uint32(len(s.content)))
		file = append(file, s.content...)
	}
	return file
}

const printFormat = "name: print\nID: 300\nformat:\n" + commonFields + "\tfield:__data_loc char[] buffer;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"%s\", __get_str(buffer)\n"

// printRecord is a record of that format.
func printRecord(text string) []byte {
	b := []byte{300 & 0xff, 300 >> 8, 0, 0, 7, 0, 0, 0}
	b = binary.LittleEndian.AppendUint32(b, uint32(12|(len(text)+1)<<16))
	return append(append(b, text...), 0)
}

// hongmengPage returns a page with the records, 1 µs apart.
func hongmengPage(records ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, 5e9)
	b = binary.LittleEndian.AppendUint64(b, 4046)
	b = append(b, 3)
	for i, r := range records {
		b = binary.LittleEndian.AppendUint32(b, uint32(i)*1000)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(r)))
		b = append(b, r...)
		for ; len(r)%4 != 0; r = append(r, 0) {
			b = append(b, 0)
		}
	}
	return append(b, make([]byte, pageSize-len(b))...)
}

// linuxPage returns a page with the records, 1 µs apart.
func linuxPage(records ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, 5e9)
	b = binary.LittleEndian.AppendUint64(b, 0)
	for _, r := range records {
		for ; len(r)%4 != 0; r = append(r, 0) {
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(len(r)/4)|1000<<5)
		b = append(b, r...)
	}
	binary.LittleEndian.PutUint64(b[8:], uint64(len(b)-16))
	return append(b, make([]byte, pageSize-len(b))...)
}

// htraceFile returns an .htrace file with the segments.
func htraceFile(segments ...[]byte) []byte {
	file := make([]byte, htraceHeaderSize)
	copy(file, htraceMagic)
	for _, s := range segments {
		file = append(binary.LittleEndian.AppendUint32(file, uint32(len(s))), s...)
	}
	binary.LittleEndian.PutUint64(file[htraceLength:], uint64(len(file)))
	return file
}

// bytesField returns a field of bytes.
func bytesField[T string | []byte](number int, data T) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, protowire.Number(number), protowire.BytesType), []byte(data))
}

// ftraceSegment returns a segment of ftrace-plugin.
func ftraceSegment(result []byte) []byte {
	return append(bytesField(pluginName, "ftrace-plugin"), bytesField(pluginData, result)...)
}

// Any .sys file: the walk over sections, with pages of both kinds in it.
func FuzzSections(f *testing.F) {
	f.Add(sysFile(1, printFormat, "7 seven\n", hongmengPage(printRecord("B|70|H:a"), printRecord("E|70|")))[2:])
	f.Add(sysFile(0, printFormat, "7 seven\n", linuxPage(printRecord("B|70|H:a"), printRecord("E|70|")))[2:])
	f.Fuzz(func(t *testing.T, b []byte) { checkFile(t, append([]byte(sysMagic), b...)) })
}

// Any HongMeng page.
func FuzzHongMengPage(f *testing.F) {
	f.Add(hongmengPage(printRecord("B|70|H:a"), printRecord("E|70|"))[:200])
	f.Fuzz(func(t *testing.T, b []byte) {
		page := make([]byte, pageSize)
		copy(page, b)
		checkFile(t, sysFile(1, printFormat, "7 seven\n", page))
	})
}

// Any Linux page, with either size of the commit.
func FuzzLinuxPage(f *testing.F) {
	f.Add(linuxPage(printRecord("B|70|H:a"), printRecord("E|70|"))[:200])
	f.Fuzz(func(t *testing.T, b []byte) {
		page := make([]byte, pageSize)
		copy(page, b)
		checkFile(t, sysFile(0, printFormat, "7 seven\n", page))
	})
}

// Any text of formats, for a record.
func FuzzFormats(f *testing.F) {
	f.Add([]byte(printFormat))
	f.Add([]byte("name: x\nID: 300\nformat:\n" + testFields + "\nprint fmt: \"%d %s\", REC->number, __print_symbolic(REC->byte, { 200, \"A\" })\n"))
	f.Add([]byte("name: cpu_frequency\nID: 300\nformat:\n" + commonFields + "\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: \"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned long)REC->cpu_id\n"))
	f.Add([]byte("name: ipi_raise\nID: 300\nformat:\n" + commonFields + "\tfield:__data_loc unsigned long[] target_cpus;\toffset:40;\tsize:4;\tsigned:0;\n\tfield:const char * reason;\toffset:24;\tsize:8;\tsigned:0;\n\nprint fmt: \"target_mask=%s (%s)\", __get_bitmask(target_cpus), REC->reason\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkFile(t, sysFile(1, string(b), "7 seven\n", hongmengPage(testRecord())))
	})
}

// Any segments of an .htrace file.
func FuzzSegments(f *testing.F) {
	event := append([]byte{eventTimestamp << 3, 100, eventTGID << 3, 7}, bytesField(eventCommon, []byte{commonPID << 3, 7})...)
	marker := append(event, bytesField(printMessage, bytesField(2, "B|7|H:a"))...)
	detail := append([]byte{detailCPU << 3, 3}, bytesField(detailEvent, marker)...)
	f.Add(htraceFile(ftraceSegment(bytesField(resultDetail, detail)))[htraceHeaderSize:])
	f.Add(htraceFile(append(bytesField(pluginName, "bytrace_plugin"), bytesField(pluginData, " a-1 (1) [000] .... 1.0: print: E|1\n")...))[htraceHeaderSize:])
	f.Fuzz(func(t *testing.T, b []byte) {
		file := append(htraceFile(), b...)
		binary.LittleEndian.PutUint64(file[htraceLength:], uint64(len(file)))
		checkFile(t, file)
	})
}

// Any events in a message of an .htrace file.
func FuzzEvents(f *testing.F) {
	for number, text := range map[int]string{printMessage: "\x12\x03E|7", 2417: "\x0a\x01a\x10\x07\x22\x00", idleMessage: "\x08\x01\x10\xff\xff\xff\xff\x0f", blockedMessage: "\x10\x07\x22\x02fn", 2200: "\x08\x07\x10\x01\x10\x02"} {
		event := append([]byte{eventTimestamp << 3, 100}, bytesField(number, text)...)
		f.Add(bytesField(detailEvent, event))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkFile(t, htraceFile(ftraceSegment(bytesField(resultDetail, b)))) })
}
