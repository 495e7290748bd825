package device

import (
	"fmt"
	"strings"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/record/hdc"
)

// debugUI are the parameters of ArkUI that make it name nodes and state variables in the
// trace, with the API of the first system that reads them. The values are those that
// system_properties.cpp of arkui_ace_engine compares with, which are not those of its guides.
// off is what it assumes if a parameter is not set.
var debugUI = []struct {
	name, on, off string
	api           int
}{
	{"persist.ace.debug.enabled", "1", "0", 0},                // changed state variables, called functions
	{"persist.ace.trace.layout.enabled", "true", "false", 11}, // creation, measure and layout of each node
	{"persist.ace.trace.build.enabled", "true", "false", 11},  // attributes of each node, what marked it dirty
}

// Parameter is a parameter of the system with its value during a recording, and the one that
// it has otherwise.
type Parameter struct{ Name, Value, Before string }

func (p Parameter) String() string { return p.Name + "=" + p.Value }

// set is the command that gives the parameter a value.
func (p Parameter) set(value string) string { return "param set " + p.Name + " " + hdc.Quote(value) }

// DebugUIScript asks for the values of ArkUI's debug parameters.
func DebugUIScript() string {
	var b strings.Builder
	for _, p := range debugUI {
		fmt.Fprintf(&b, "echo; echo '%s%s'; param get %[2]s\n", section, p.name)
	}
	return b.String() + "true"
}

// ParseDebugUI returns the debug parameters of a system, with what DebugUIScript printed as
// the values before. No command removes a parameter: one that is not set goes back to what
// ArkUI assumes then.
func (f *Facts) ParseDebugUI(r hdc.Result) (list []Parameter) {
	before := sections(r.Output)
	for _, p := range debugUI {
		if f.API != 0 && f.API < p.api {
			continue
		}
		value := parameter(before[p.name])
		if value == "" {
			value = p.off
		}
		list = append(list, Parameter{p.name, p.on, value})
	}
	return list
}

// scriptUndo sets the parameters of SetScript back. The file undo stays until that has worked.
const scriptUndo = `if [ -e DIR/undo ]; then sh DIR/undo >DIR/undone 2>&1; ` +
	`[ "$(grep -c success DIR/undone)" = "$(grep -c . DIR/undo)" ] && rm -f DIR/undo; fi`

// SetScript sets parameters. What sets them back is written first: whoever ends the
// recording runs it, the watchdog if nobody else does. If the recording has ended already, it
// does nothing.
func (t *Tracing) SetScript(list []Parameter) string {
	var set, undo strings.Builder
	for _, p := range list {
		set.WriteString(p.set(p.Value) + "; ")
		undo.WriteString(p.set(p.Before) + "\n")
	}
	return withDir(t.Dir, "[ -e DIR/live ] && cat >DIR/undo <<'END' || exit\n") + undo.String() + "END\n" +
		withDir(t.Dir, scriptChange("{ "+set.String()+"}", "set", "cat DIR/set")) + "true"
}

var notSet = pattern.New(`(?m)^(Set parameter \S+ .*fail.*)$`)

// CheckSet checks what SetScript printed.
func CheckSet(r hdc.Result, list []Parameter) error {
	for _, p := range list {
		if !strings.Contains(r.Output, fmt.Sprintf("Set parameter %s %s success", p.Name, p.Value)) {
			what := strings.TrimSpace(r.Output)
			if answer := found(notSet, r.Output); answer != "" {
				what = answer
			}
			return diag.New(nil, "record without --debug-ui", "the device does not set %s: %q", p, what)
		}
	}
	return nil
}
