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
	HTML
	Gzip
	Zlib
	Zip
	Zstandard
	PerfettoTrace
	Htrace // SmartPerf's binary form
	UTF16
	Bzip2
	XZ
	Sys // the kernel's raw buffers, as HarmonyOS dumps them
	formatsCount
)

var formatTexts = [formatsCount]struct{ name, hint string }{
	UnknownFormat: {"", "a text trace is what hitrace writes: hdc shell \"hitrace -t 5 graphic ace app sched -o /data/local/tmp/trace.ftrace\""},
	TextTrace:     {"text trace", ""},
	PNG:           {"PNG image", ""},
	JSON:          {"JSON", ""},
	HTML:          {"HTML page", ""},
	Gzip:          {"gzip file", "gunzip it first"},
	Zlib:          {"zlib stream", "record without -z, or inflate it first"},
	Zip:           {"zip archive", "unzip it first"},
	Zstandard:     {"zstd file", "unzstd it first"},
	PerfettoTrace: {"Perfetto trace", "open it in ui.perfetto.dev as it is"},
	Htrace:        {"binary htrace", "record text instead: hdc shell \"hitrace -t 5 graphic ace app sched -o /data/local/tmp/trace.ftrace\""},
	UTF16:         {"UTF-16 text", "PowerShell's > writes UTF-16: let hitrace write a file (-o) and fetch it with hdc file recv"},
	Bzip2:         {"bzip2 file", "bunzip2 it first"},
	XZ:            {"xz file", "unxz it first"},
	Sys:           {"raw kernel trace", "turn it into text with hitrace_converter.py"},
}

// magics are the bytes that formats begin with.
var magics = []struct {
	prefix string
	format Format
}{
	{"\x89PNG\r\n", PNG},
	{"\x1f\x8b", Gzip},
	{"\x78\x01", Zlib},
	{"\x78\x9c", Zlib},
	{"\x78\xda", Zlib},
	{"PK\x03\x04", Zip},
	{"\x28\xb5\x2f\xfd", Zstandard},
	{"OHOSPROF", Htrace},
	{"\xff\xfe", UTF16},
	{"\xfe\xff", UTF16},
	{"BZh", Bzip2},
	{"\xfd7zXZ\x00", XZ},
	{"\x49\xdf", Sys},
}

// Sniff tells a file's format from its first bytes; a few hundred are enough.
func Sniff(head []byte) Format {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.format
		}
	}
	// Trace.packet, and in it a field that packets begin with.
	if len(head) > 2 && head[0] == 0x0a && !isText(head) {
		return PerfettoTrace
	}
	text := bytes.TrimSpace(head)
	switch {
	case bytes.HasPrefix(text, []byte("# tracer")), bytes.HasPrefix(text, []byte("TRACE:")), bytes.HasPrefix(text, []byte("# TRACE:")):
		return TextTrace
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return JSON
	case bytes.HasPrefix(bytes.ToLower(text), []byte("<!doctype html")), bytes.HasPrefix(bytes.ToLower(text), []byte("<html")):
		return HTML
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
