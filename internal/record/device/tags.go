package device

import (
	"fmt"
	"slices"
	"strings"
)

// defaultTags are recorded if the user does not choose others. The first four are
// needed. docs/record.md gives a reason for each.
var defaultTags = []string{
	"graphic", "ace", "app", "sched",
	"freq", "idle", "binder", "ohos", "ability", "window", "animation", "multimodalinput", "ark", "nweb", "sync",
}

const neededTags = 4

// Choose returns the tags to record, and those of the default or the wanted ones that
// the device does not have. spec is empty for the default, a list "a,b", or changes
// of the default "+a,-b".
func (f *Facts) Choose(spec string) (use, missing []string, err error) {
	wanted := defaultTags
	var added []string
	if spec != "" {
		if wanted, added, err = parseTags(spec); err != nil {
			return nil, nil, err
		}
	}
	for _, tag := range wanted {
		switch {
		case f.has(tag):
			use = append(use, tag)
		case slices.Contains(added, tag):
			return nil, nil, fmt.Errorf("the device has no tag %q", tag)
		default:
			missing = append(missing, tag)
		}
	}
	for _, tag := range defaultTags[:neededTags] {
		if slices.Contains(missing, tag) {
			return nil, nil, fmt.Errorf("the device has no tag %q, which frames need", tag)
		}
	}
	return use, missing, nil
}

// parseTags returns the tags that a specification selects and those that it names.
func parseTags(spec string) (wanted, named []string, err error) {
	changes := spec[0] == '+' || spec[0] == '-'
	if changes {
		wanted = slices.Clone(defaultTags)
	}
	for word := range strings.SplitSeq(spec, ",") {
		tag := strings.TrimLeft(word, "+-")
		if changes != (word != tag) || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || tag == "" {
			return nil, nil, fmt.Errorf("%q is neither a list such as graphic,ace nor changes such as +irq,-nweb", spec)
		}
		if word[0] == '-' {
			wanted = slices.DeleteFunc(wanted, func(t string) bool { return t == tag })
			continue
		}
		named = append(named, tag)
		if !slices.Contains(wanted, tag) {
			wanted = append(wanted, tag)
		}
	}
	if len(wanted) == 0 {
		return nil, nil, fmt.Errorf("%q leaves no tag", spec)
	}
	return wanted, named, nil
}
