package main

import (
	"os"
	"path"
	"slices"
	"strings"
)

// defaultOutput returns the input's name with the extension .pftrace instead of its
// own, or instead of both for a name such as a.ftrace.gz.
func defaultOutput(name string) string {
	if name == standard {
		return standard
	}
	return outputBeside(name, os.IsPathSeparator)
}

// outputBeside is defaultOutput with isSeparator for os.IsPathSeparator.
func outputBeside(name string, isSeparator func(uint8) bool) string {
	at := len(name)
	for at > 0 && !isSeparator(name[at-1]) {
		at--
	}
	folder, base := name[:at], name[at:]
	switch ext := path.Ext(base); strings.ToLower(ext) {
	case ".gz", ".zst", ".zlib", ".zip", ".bz2", ".xz", ".tar", ".tgz":
		base = strings.TrimSuffix(base, ext)
		if !slices.Contains(textExtensions, strings.ToLower(path.Ext(base))) {
			return folder + base + ".pftrace"
		}
	}
	return folder + strings.TrimSuffix(base, path.Ext(base)) + ".pftrace"
}

// textExtensions are the extensions that are removed together with that of the
// compression. Others may be part of a name such as com.example.app.
var textExtensions = []string{".ftrace", ".systrace", ".hitrace", ".trace", ".pftrace", ".txt", ".text", ".log", ".html"}
