package locate

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/text"
)

// InteractionTags is advice for a trace without interactions.
const InteractionTags = "applications mark flings, clicks and page switches with the tag ace, render services with graphic, launches have the tags ability and app; ohframe record takes them all"

// Interaction returns the interaction of a timeline that --interaction names. If no
// interaction has that id, the error wraps a *diag.Error, which lists those that exist.
func Interaction(id int, t *analyzer.Timeline) (*analyzer.Interaction, error) {
	for _, i := range t.Interactions {
		if i.ID == id {
			return i, nil
		}
	}
	e := &diag.Error{What: fmt.Sprintf("no interaction has the id %d", id), Hint: "interactions: " + interactionNames(t.Interactions, t.Origin())}
	if len(t.Interactions) == 0 {
		e.What = "the trace has no interactions"
		e.Hint = InteractionTags
	}
	return nil, fmt.Errorf("--interaction: %w", e)
}

// ProcessInteraction returns an error if no process of an interaction is wanted: neither its
// application nor the one whose frames it counts. pattern is that of wanted, for the error,
// which wraps a *diag.Error.
func ProcessInteraction(i *analyzer.Interaction, pattern string, wanted func(*analyzer.Process) bool, t *analyzer.Timeline) error {
	if wanted(i.Process) || slices.ContainsFunc(i.Frames, func(f *analyzer.Frame) bool { return wanted(f.Process) }) {
		return nil
	}
	e := &diag.Error{What: fmt.Sprintf("interaction %d is of %s", i.ID, text.ProcessName(i.Process.Name)), Hint: "leave out --process"}
	var others []*analyzer.Interaction
	for _, other := range t.Interactions {
		if wanted(other.Process) {
			others = append(others, other)
		}
	}
	if len(others) > 0 {
		e.Hint += "; interactions that it matches: " + interactionNames(others, t.Origin())
	} else if !slices.ContainsFunc(t.Frames, func(f *analyzer.Frame) bool { return wanted(f.Process) }) {
		if none := text.NoneSelected(pattern, t); none != nil {
			return fmt.Errorf("--process: %w", none)
		}
	}
	return fmt.Errorf("--process: %w", e)
}

// maxInteractions is the number of interactions that an error lists.
const maxInteractions = 8

// interactionNames lists interactions of a timeline that begins at origin for a message.
func interactionNames(list []*analyzer.Interaction, origin trace.Time) string {
	var names []string
	for _, i := range list[:min(len(list), maxInteractions)] {
		name := fmt.Sprintf("%d (%s, %s", i.ID, text.Interaction(i), text.ProcessName(i.Process.Name))
		if at := i.Span().Start; at.Known() {
			name += ", " + text.Since(origin, at)
		}
		names = append(names, name+")")
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more: ohframe report lists them", more))
	}
	return strings.Join(names, ", ")
}
