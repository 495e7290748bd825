package inputs

import (
	"bytes"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ohframe/internal/record/meta"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
)

// Stem returns a path without the extension, or without both of a name such as a.ftrace.gz.
// Traces of one stem in a folder are forms of one trace.
func Stem(name string) string {
	folder, base := filepath.Split(name)
	if packed, ok := unpacked(base); ok {
		if !slices.Contains(traceExtensions, extension(packed)) {
			return folder + packed
		}
		base = packed
	}
	return folder + strings.TrimSuffix(base, path.Ext(base))
}

// unpacked returns a name without the extension of a container, and whether it has one.
func unpacked(base string) (string, bool) {
	if ext := path.Ext(base); slices.Contains(containerExtensions, strings.ToLower(ext)) {
		return strings.TrimSuffix(base, ext), true
	}
	return base, false
}

// extension returns the last extension in lower case.
func extension(base string) string { return strings.ToLower(path.Ext(base)) }

var containerExtensions = []string{".gz", ".zst", ".zlib", ".zip", ".bz2", ".xz", ".tar", ".tgz"}

// traceExtensions are the extensions that are removed together with that of the
// container. Others may be part of a name such as com.example.app.
var traceExtensions = []string{converted, textTrace, ".systrace", ".hitrace", ".trace", ".txt", ".text", ".log", ".html", ".sys", ".htrace"}

// The extensions of what convert writes, and of text traces.
const (
	converted = ".pftrace"
	textTrace = ".ftrace"
)

// derived returns how a file was made from another one with the same stem, such as
// "converted from a.ftrace"; empty if it was not.
func derived(name string, files []string) string {
	inner, packed := unpacked(name)
	to := extension(inner)
	if !packed && to != converted && to != textTrace { // trace.1, trace.2 … have one stem
		return ""
	}
	for _, other := range files {
		otherInner, _ := unpacked(other)
		from := extension(otherInner)
		switch {
		case other == name:
		case other == inner:
			return "copy of " + other
		case to == converted && from != converted:
			return "converted from " + other
		case to == textTrace && (from == ".sys" || from == ".htrace"):
			return "text of " + other
		}
	}
	return ""
}

// noTraces are extensions of files that are no traces: what ohframe and continuous
// integration write beside traces.
var noTraces = []string{".json", ".csv", ".parquet", ".md", ".yml", ".yaml", ".xml", ".sql", ".pdf", ".png", ".jpg", ".jpeg", ".svg"}

// Unpacked returns a path without the extension of a container.
func Unpacked(name string) string {
	folder, base := filepath.Split(name)
	base, _ = unpacked(base)
	return folder + base
}

// Skips reports whether a folder with the file leaves it out because of its name or content.
func Skips(path string) bool { return isNoTrace(filepath.FromSlash(path)) }

// isNoTrace reports whether a file is clearly no trace. Pages, logs, texts and archives may
// be traces, so that their content decides.
func isNoTrace(path string) bool {
	inner, _ := unpacked(path)
	if slices.ContainsFunc([]string{path, inner}, func(name string) bool { return extension(name) == ".tar" }) {
		return !mayBeTrace(path, isNotMerged)
	}
	switch ext := extension(inner); ext {
	case ".html", ".htm":
		return !mayBeTrace(path, func([]byte) bool { return true })
	case ".log":
		return !mayBeTrace(path, hasEvent)
	case ".txt":
		return !mayBeTrace(path, isNoTable)
	default:
		return slices.Contains(noTraces, ext)
	}
}

// mayBeTrace reports whether a file has content, not a page without a trace, whose
// beginning is accepted. A file that cannot be opened may be a trace: reading it reports
// the error.
func mayBeTrace(path string, accepted func(head []byte) bool) bool {
	f, err := meta.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	content, err := unpack.Open(context.Background(), f, unpack.Options{KeepTar: true})
	if err != nil {
		return !errors.Is(err, unpack.ErrNoTraceInPage)
	}
	defer content.Close()
	return accepted(content.Head())
}

// isNotMerged reports whether the beginning of a tar archive is not that of one from
// diff --merge, whose first file is a manifest for Perfetto.
func isNotMerged(head []byte) bool {
	return !bytes.HasPrefix(head, []byte(unpack.MergedManifest+"\x00"))
}

// isNoTable reports whether a file called a text may be a trace. A table and a log are texts
// without an event. An empty file may be a recording that failed, and one with control
// characters a binary trace.
func isNoTable(head []byte) bool {
	isBinary := bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\n\r\t\x1b", r) })
	return len(head) == 0 || isBinary || hasEvent(head)
}

// hasEvent reports whether text begins like a trace, or like a dump that is read.
func hasEvent(head []byte) bool {
	if hitrace.HasHeader(head) || dumpsys.SniffGfxinfo(head) || dumpsys.SniffLatency(head) {
		return true
	}
	for line := range bytes.Lines(head) {
		if hitrace.ParseLine(bytes.TrimRight(line, "\r\n"), &hitrace.Line{}) == hitrace.NoProblem {
			return true
		}
	}
	return false
}
