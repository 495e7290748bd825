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

// choose returns the file of an archive that is to be read.
func (c *Content) choose(all []*zip.File) (*zip.File, error) {
	files := slices.DeleteFunc(slices.Clone(all), isBeside)
	c.listing = list(files)
	if len(files) == 0 {
		return nil, &Error{What: "zip archive without a file"}
	}
	if chosen := match(files, c.options.Entry); c.options.Entry != "" && !c.selected {
		switch {
		case len(chosen) == 1:
			c.selected = true
			return chosen[0], nil
		case len(chosen) > 1:
			return nil, &Error{What: fmt.Sprintf("--entry %s is %s of the zip archive: %s", printable(c.options.Entry), several(chosen), list(chosen)), Hint: "--entry NAME with all of the name chooses one"}
		}
	}
	switch {
	case len(files) == 1:
		return files[0], nil // what is asked for may be inside
	case c.options.Entry != "" && !c.selected:
		return nil, c.unselected()
	}
	return nil, &Error{What: fmt.Sprintf("zip archive of %s: %s", several(files), c.listing), Hint: "--entry NAME chooses one"}
}

// unselected returns an error if there was nothing for Options.Entry to choose.
func (c *Content) unselected() error {
	switch {
	case c.options.Entry == "" || c.selected:
		return nil
	case c.listing == "":
		return &Error{What: "no zip archive", Hint: "--entry is for archives of several files"}
	}
	return &Error{What: fmt.Sprintf("the zip archive has no %s: there is %s", printable(c.options.Entry), c.listing)}
}

// isBeside reports whether an entry is not what somebody put into an archive:
// folders, and what macOS adds.
func isBeside(f *zip.File) bool {
	return f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") || base(f.Name) == ".DS_Store"
}

// base returns the last part of a name. Windows' own archiver has divided names
// at backslashes.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// match returns the files that a name may mean: those with just this name, else
// those with this last part of it, else those that match it as a pattern.
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
	return ok && err == nil // a name may be no pattern
}

// What is listed of an archive.
const (
	maxListed = 20  // names
	maxName   = 100 // bytes of one
)

// list returns the names of files, as far as a message can hold them.
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

// printable returns a name that does a terminal no harm and ends where it seems to.
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
