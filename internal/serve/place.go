package serve

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Place is a vsync id or a time in a trace.
type Place struct {
	vsync int64
	time  trace.Edge
	given bool
}

// ParsePlace parses a vsync id, or a time as in trace.ParseEdge. A time has a point or a
// plus. The empty text is the zero Place.
func ParsePlace(text string) (Place, error) {
	if text == "" {
		return Place{}, nil
	}
	isTime := strings.ContainsAny(text, ".+")
	if vsync, err := strconv.ParseInt(text, 10, 64); err == nil && vsync > 0 && !isTime {
		return Place{vsync: vsync, given: true}, nil
	}
	edge, err := trace.ParseEdge(text)
	if err != nil || !isTime {
		return Place{}, fmt.Errorf("%q is no vsync id, no trace time such as 13762.791708, nor a time from the start such as +1.5s", text)
	}
	return Place{time: edge, given: true}, nil
}

// ErrNoSuchFrame means that no complete frame has the vsync id of a Place.
var ErrNoSuchFrame = errors.New("no complete frame has the vsync id")

// ErrOutside means that the time of a Place is outside the trace.
var ErrOutside = errors.New("the time is outside the frames")

// frameOf returns the frame with a vsync id: applications and render services count
// separately, so there may be several. The one that missed its deadline by most is the
// most interesting; of others the first, an application's before a render frame.
func frameOf(t *analyzer.Timeline, vsync int64) (found *analyzer.Frame) {
	for f := range t.Complete() {
		if f.VsyncID != vsync {
			continue
		}
		if found == nil || cmp.Or(cmp.Compare(f.Overrun(), found.Overrun()), cmp.Compare(found.Kind, f.Kind)) > 0 {
			found = f
		}
	}
	return found
}
