package device

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/internal/pattern"
)

// defaultTags are recorded if the user does not choose others. The first four are
// needed. docs/record.md gives a reason for each.
var defaultTags = []string{
	"graphic", "ace", "app", "sched",
	"freq", "idle", "binder", "ohos", "ability", "window", "animation", "multimodalinput", "ark", "nweb", "sync", "musl",
}

const neededTags = 4

// Choose returns the tags to record, and those of the default that the device does not
// have. spec is empty for the default, a list "a,b", or changes of the default "+a,-b".
func (f *Facts) Choose(spec string) (use, missing []string, err error) {
	wanted, named := defaultTags, []string(nil)
	if spec != "" {
		if wanted, named, err = parseTags(spec); err != nil {
			return nil, nil, err
		}
	}
	for _, tag := range wanted {
		switch {
		case slices.Contains(f.Tags, tag):
			use = append(use, tag)
		case slices.Contains(named, tag):
			return nil, nil, fmt.Errorf("the device has no tag %q", tag)
		case slices.Contains(defaultTags[:neededTags], tag):
			return nil, nil, fmt.Errorf("the device has no tag %q, which frames need", tag)
		default:
			missing = append(missing, tag)
		}
	}
	return use, missing, nil
}

var (
	tagList    = pattern.New(`^[a-z0-9_]+(,[a-z0-9_]+)*$`)
	tagChanges = pattern.New(`^[+-][a-z0-9_]+(,[+-][a-z0-9_]+)*$`)
)

// parseTags returns the tags that a specification selects and those that it names.
func parseTags(spec string) (wanted, named []string, err error) {
	words := strings.Split(spec, ",")
	switch {
	case tagList().MatchString(spec):
		return words, words, nil
	case !tagChanges().MatchString(spec):
		return nil, nil, fmt.Errorf("%q is neither a list such as graphic,ace nor changes such as +irq,-nweb", spec)
	}
	wanted = slices.Clone(defaultTags)
	for _, word := range words {
		tag := word[1:]
		if word[0] == '-' {
			wanted = slices.DeleteFunc(wanted, func(t string) bool { return t == tag })
			continue
		}
		if named = append(named, tag); !slices.Contains(wanted, tag) {
			wanted = append(wanted, tag)
		}
	}
	if len(wanted) == 0 {
		return nil, nil, fmt.Errorf("%q leaves no tag", spec)
	}
	return wanted, named, nil
}
