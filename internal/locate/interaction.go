package locate

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/internal/failure"
	"ohframe/internal/text"
)

// Interaction returns the interaction of a timeline that --interaction names. The error wraps
// a *failure.Error if there is none, which lists those that exist.
func Interaction(id int, t *analyzer.Timeline) (*analyzer.Interaction, error) {
	for _, i := range t.Interactions {
		if i.ID == id {
			return i, nil
		}
	}
	e := &failure.Error{What: fmt.Sprintf("no interaction has the id %d", id), Hint: "interactions: " + interactionNames(t)}
	if len(t.Interactions) == 0 {
		e.What = "the trace has no interactions"
		e.Hint = "applications mark flings, clicks and page switches with the tag ace, render services with graphic, launches have the tags ability and app; ohframe record takes them all"
	}
	return nil, fmt.Errorf("--interaction: %w", e)
}

// maxInteractions is the number of interactions that an error lists.
const maxInteractions = 8

// interactionNames lists the interactions of a timeline for a message.
func interactionNames(t *analyzer.Timeline) string {
	var names []string
	for _, i := range t.Interactions[:min(len(t.Interactions), maxInteractions)] {
		name := fmt.Sprintf("%d (%s of %s", i.ID, text.InteractionName(i), text.ProcessName(i.Process.Name))
		if at := i.Span().Start; at.Known() {
			name += ", " + text.Since(t.Origin(), at)
		}
		names = append(names, name+")")
	}
	if more := len(t.Interactions) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more: ohframe report lists them", more))
	}
	return strings.Join(names, ", ")
}

// OpenInteraction returns the command that shows an interaction of a file in Perfetto's UI.
// The further flags are complete.
func OpenInteraction(id int, file string, flags ...string) string {
	return interactionCommand("open", id, file, flags)
}

// WhyInteraction returns the command that explains an interaction of a file, as
// OpenInteraction does.
func WhyInteraction(id int, file string, flags ...string) string {
	return interactionCommand("why", id, file, flags)
}

func interactionCommand(command string, id int, file string, flags []string) string {
	words := append([]string{"ohframe", command, fmt.Sprintf("--interaction %d", id)}, flags...)
	return strings.Join(append(words, "--", text.Quoted(file)), " ")
}
