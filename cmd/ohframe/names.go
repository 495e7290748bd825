package main

import (
	"os"
	"path"
	"slices"
	"strings"
)

// defaultOutput returns the input's name with the extension of Perfetto traces
// instead of its own, or, where a container has one of its own, of both.
func defaultOutput(name string) string {
	if name == standard {
		return standard
	}
	return outputBeside(name, os.IsPathSeparator)
}

// outputBeside is defaultOutput where the given characters separate folders.
func outputBeside(name string, isSeparator func(uint8) bool) string {
	at := len(name)
	for at > 0 && !isSeparator(name[at-1]) {
		at--
	}
	folder, base := name[:at], name[at:]
	switch ext := path.Ext(base); strings.ToLower(ext) {
	case ".gz", ".zst", ".zlib", ".zip":
		base = strings.TrimSuffix(base, ext)
		if !slices.Contains(textExtensions, strings.ToLower(path.Ext(base))) {
			return folder + base + ".pftrace"
		}
	}
	return folder + strings.TrimSuffix(base, path.Ext(base)) + ".pftrace"
}

// textExtensions are those of traces before they are put into containers. Names of
// applications have points as well.
var textExtensions = []string{".ftrace", ".systrace", ".hitrace", ".trace", ".pftrace", ".txt", ".text", ".log", ".html"}
