package main

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/internal/locate"
	"ohframe/internal/text"
)

// checkInteraction returns an error if --interaction is set and no id, or if there are several
// inputs for it.
func checkInteraction(c *call, id int64, list []input) error {
	if c.IsSet("interaction") && id <= 0 {
		return &failure{what: fmt.Sprintf("--interaction: %d is not the id of an interaction", id), hint: "ohframe report lists the interactions"}
	}
	if id == 0 {
		return nil
	}
	return oneInput(c.Command.Name, "interaction", fmt.Sprint(id), list)
}

// chosenInteraction returns the interaction of an input with an id. --process must name its
// application, or the process whose frames it counts.
func (r *reader) chosenInteraction(id int, in input, t *analyzer.Timeline) (*analyzer.Interaction, error) {
	i, err := locate.Interaction(id, t)
	if err != nil {
		return nil, fileError(in.name, err)
	}
	if r.process != nil {
		err = locate.ProcessInteraction(i, r.c.Process, r.process, t)
	}
	return i, err
}

// oneInput returns an error if there are several inputs for a flag with an id: those of others
// mean something else.
func oneInput(command, flag, value string, list []input) error {
	if len(list) < 2 {
		return nil
	}
	const most = 5
	first, where := text.Quoted(list[0].name), ""
	if len(list) <= most {
		for _, in := range list[1:] {
			where += "; --where " + text.Quoted("trace="+in.name)
		}
	} else {
		where = "; --where trace=NAME selects a trace"
	}
	hint := fmt.Sprintf("ohframe %s --%s %s -- %s", command, flag, text.Quoted(value), first)
	if d := list[0].stored; d != nil {
		hint = fmt.Sprintf("ohframe %s --%s %s --where %s -- %s", command, flag, text.Quoted(value), text.Quoted("trace="+list[0].name), text.Quoted(d.Dataset.Dir)) + where
	}
	return &failure{what: fmt.Sprintf("--%s: %d traces given, one is needed", flag, len(list)), hint: hint}
}
