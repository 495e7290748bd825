package unpack

import (
	"archive/zip"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// choose returns the file of an archive to read.
func (c *Content) choose(all []*zip.File) (*zip.File, error) {
	files := slices.DeleteFunc(slices.Clone(all), isIgnored)
	c.listing = list(files)
	if len(files) == 0 {
		return nil, &Error{What: "zip archive without files"}
	}
	if chosen := match(files, c.options.Entry); c.options.Entry != "" && !c.selected {
		switch {
		case len(chosen) == 1:
			c.selected = true
			return chosen[0], nil
		case len(chosen) > 1:
			return nil, &Error{What: fmt.Sprintf("--entry %s matches %s of the zip archive: %s", printable(c.options.Entry), several(chosen), list(chosen)), Hint: "--entry with a full name selects one"}
		}
	}
	switch {
	case len(files) == 1:
		return files[0], nil // may be an archive with the wanted entry
	case c.options.Entry != "" && !c.selected:
		return nil, c.unselected()
	}
	return nil, &Error{What: fmt.Sprintf("zip archive with %s: %s", several(files), c.listing), Hint: "--entry NAME selects one"}
}

// unselected returns an error if Options.Entry is set but selected nothing.
func (c *Content) unselected() error {
	switch {
	case c.options.Entry == "" || c.selected:
		return nil
	case c.listing == "":
		return &Error{What: "not a zip archive", Hint: "--entry is for archives with several files"}
	}
	return &Error{What: fmt.Sprintf("the zip archive has no entry %s; it has %s", printable(c.options.Entry), c.listing)}
}

// isIgnored reports whether an entry is a folder or metadata of macOS.
func isIgnored(f *zip.File) bool {
	return f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || base(f.Name) == ".DS_Store"
}

// base returns the last element of a name. Some archivers of Windows separate
// elements with backslashes.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// match returns the files with the given name, else those with that last element,
// else those that match it as a pattern.
func match(files []*zip.File, name string) []*zip.File {
	for _, means := range []func(*zip.File) bool{
		func(f *zip.File) bool { return f.Name == name },
		func(f *zip.File) bool { return base(f.Name) == name },
		func(f *zip.File) bool { return matches(name, f.Name) || matches(name, base(f.Name)) },
	} {
		if chosen := slices.DeleteFunc(slices.Clone(files), func(f *zip.File) bool { return !means(f) }); len(chosen) > 0 {
			return chosen
		}
	}
	return nil
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil // a name need not be a valid pattern
}

// Limits of the list of files in a message.
const (
	maxListed = 20  // names
	maxName   = 100 // bytes of a name
)

// list lists the names of files for a message.
func list(files []*zip.File) string {
	var names []string
	for _, f := range files[:min(len(files), maxListed)] {
		names = append(names, printable(f.Name))
	}
	text := strings.Join(names, ", ")
	if more := len(files) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func several(files []*zip.File) string { return fmt.Sprintf("%d files", len(files)) }

// printable returns a name for a list in a message, shortened to maxName bytes. It
// quotes a name that contains unprintable characters, blanks, commas or quotes.
func printable(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsPrint(r) || r == unicode.ReplacementChar || strings.ContainsRune(` ,"`, r)
	}) {
		return strconv.Quote(name)
	}
	return name
}
