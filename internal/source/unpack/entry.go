package unpack

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// member is a file of an archive.
type member struct {
	name  string
	index int // in the archive
}

// choose returns the index of the file of an archive to read. kind is "zip archive" or
// another.
func (c *Content) choose(kind string, all []member) (int, error) {
	files := slices.DeleteFunc(slices.Clone(all), isIgnored)
	c.kind, c.listing = kind, list(files)
	if len(files) == 0 {
		return 0, &Error{What: kind + " without files"}
	}
	if chosen := match(files, c.options.Entry); c.options.Entry != "" && !c.selected {
		switch {
		case len(chosen) == 1:
			c.selected = true
			return chosen[0].index, nil
		case len(chosen) > 1:
			return 0, &Error{What: fmt.Sprintf("%s matches %s of the %s (%s)", printable(c.options.Entry), several(chosen), kind, list(chosen)), Err: ErrEntry}
		}
	}
	switch {
	case len(files) == 1:
		return files[0].index, nil // may be an archive with the wanted entry
	case c.options.Entry != "" && !c.selected:
		return 0, c.unselected()
	}
	return 0, &Error{What: fmt.Sprintf("%s with %s (%s)", kind, several(files), c.listing), Err: ErrEntry}
}

// unselected returns an error if Options.Entry is set but selected nothing.
func (c *Content) unselected() error {
	switch {
	case c.options.Entry == "" || c.selected, c.listing == "" && c.options.EntryIfArchive:
		return nil
	case c.listing == "":
		return &Error{What: "not an archive", Err: ErrEntry}
	}
	return &Error{What: fmt.Sprintf("the %s has no entry %s; it has %s", c.kind, printable(c.options.Entry), c.listing), Err: ErrEntry}
}

// isIgnored reports whether an entry is metadata of macOS.
func isIgnored(f member) bool {
	return strings.HasPrefix(f.name, "__MACOSX/") || strings.HasPrefix(base(f.name), "._") || base(f.name) == ".DS_Store"
}

// base returns the last element of a name. Some archivers of Windows separate
// elements with backslashes.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// match returns the files with the given name, else those with that last element,
// else those that match it as a pattern.
func match(files []member, name string) []member {
	for _, means := range []func(member) bool{
		func(f member) bool { return f.name == name },
		func(f member) bool { return base(f.name) == name },
		func(f member) bool { return matches(name, f.name) || matches(name, base(f.name)) },
	} {
		if chosen := slices.DeleteFunc(slices.Clone(files), func(f member) bool { return !means(f) }); len(chosen) > 0 {
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
func list(files []member) string {
	var names []string
	for _, f := range files[:min(len(files), maxListed)] {
		names = append(names, printable(f.name))
	}
	text := strings.Join(names, ", ")
	if more := len(files) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func several(files []member) string { return fmt.Sprintf("%d files", len(files)) }

// printable returns a name for a list in a message, shortened to maxName bytes. It
// quotes a name that contains unprintable characters, blanks, commas or quotes.
func printable(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	if quoted := strconv.Quote(name); name == "" || strings.ContainsAny(name, " ,") || strings.Count(name, `\`)+len(name)+2 != len(quoted) {
		return quoted
	}
	return name
}
