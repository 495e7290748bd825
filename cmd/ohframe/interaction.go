package main

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/internal/locate"
	"ohframe/internal/text"
)

// checkInteraction returns an error if --interaction is set and no id, or if there are several
// inputs for it.
func checkInteraction(c *call, id int64, names []string) error {
	if c.IsSet("interaction") && id <= 0 {
		return &failure{what: fmt.Sprintf("--interaction: %d is not the id of an interaction", id), hint: "ohframe report lists the interactions"}
	}
	if id == 0 {
		return nil
	}
	return oneInput(c.Command.Name, "interaction", id, names)
}

// chosenInteraction returns the interaction of an input with an id. --process must name its
// application, or the process whose frames it counts.
func (r *reader) chosenInteraction(id int, name string, t *analyzer.Timeline) (*analyzer.Interaction, error) {
	i, err := locate.Interaction(id, t)
	if err != nil {
		return nil, fileError(name, err)
	}
	if r.process != nil {
		err = locate.ProcessInteraction(i, r.c.Process, r.process, t)
	}
	return i, err
}

// oneInput returns an error if there are several inputs for a flag with an id: those of others
// mean something else.
func oneInput(command, flag string, id int64, names []string) error {
	if len(names) < 2 {
		return nil
	}
	return &failure{
		what: fmt.Sprintf("--%s: %d traces given, one is needed", flag, len(names)),
		hint: fmt.Sprintf("ohframe %s --%s %d -- %s", command, flag, id, text.Quoted(names[0])),
	}
}
