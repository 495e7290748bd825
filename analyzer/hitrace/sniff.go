package hitrace

import "bytes"

// Format is what a file looks like from its first bytes.
type Format uint8

// The formats that are mistaken for text traces most often.
const (
	UnknownFormat Format = iota
	TextTrace
	PNG
	JSON
	PerfettoTrace
	Htrace // SmartPerf's binary form
	Bzip2
	XZ
	Tar
	Sys // the kernel's raw buffers, as HarmonyOS dumps them
	formatsCount
)

var formatTexts = [formatsCount]struct {
	name, hint string
	binary     bool
}{
	UnknownFormat: {hint: "a text trace is what hitrace writes: " + recordText},
	TextTrace:     {name: "text trace"},
	PNG:           {name: "PNG image", binary: true},
	JSON:          {name: "JSON"},
	PerfettoTrace: {name: "Perfetto trace", hint: "open it in ui.perfetto.dev as it is"},
	Htrace:        {name: "binary htrace", hint: "record text instead: " + recordText, binary: true},
	Bzip2:         {name: "bzip2 file", hint: "bunzip2 it first", binary: true},
	XZ:            {name: "xz file", hint: "unxz it first", binary: true},
	Tar:           {name: "tar archive", hint: "unpack it first: tar xf", binary: true},
	Sys:           {name: "raw kernel trace", hint: "turn it into text with hitrace_converter.py", binary: true},
}

const recordText = `hdc shell "hitrace -t 5 graphic ace app sched -o /data/local/tmp/trace.ftrace"`

// magics are the bytes by which formats are known, and where they are.
var magics = []struct {
	at     int
	bytes  string
	format Format
}{
	{0, "\x89PNG\r\n", PNG},
	{0, "OHOSPROF", Htrace},
	{4, "1AY&SY", Bzip2}, // behind BZh and its level
	{0, "\xfd7zXZ\x00", XZ},
	{0, "\x49\xdf", Sys},
	{257, "ustar", Tar}, // behind the name and the attributes of the first file
}

// Sniff tells a file's format from its first bytes; a few hundred are enough.
func Sniff(head []byte) Format {
	for _, m := range magics {
		if len(head) > m.at && bytes.HasPrefix(head[m.at:], []byte(m.bytes)) {
			return m.format
		}
	}
	// Trace.packet, and in it a field that packets begin with.
	if len(head) > 2 && head[0] == 0x0a && !isText(head) {
		return PerfettoTrace
	}
	text := bytes.TrimSpace(head)
	switch {
	case bytes.HasPrefix(text, []byte("# tracer")), bytes.HasPrefix(text, []byte("TRACE:")), bytes.HasPrefix(text, []byte("# TRACE:")), bytes.HasPrefix(text, []byte("cpus=")):
		return TextTrace
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return JSON
	}
	return UnknownFormat
}

// isText reports whether no byte is one that text does not have.
func isText(head []byte) bool {
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// Description returns " (PNG image)", or nothing for an unknown format.
func (f Format) Description() string {
	if name := formatTexts[f].name; name != "" {
		return " (" + name + ")"
	}
	return ""
}

// Hint returns what to do with a file of this format, if there is anything.
func (f Format) Hint() string { return formatTexts[f].hint }

// IsBinary reports whether a file of this format has no lines to be read.
func (f Format) IsBinary() bool { return formatTexts[f].binary }
