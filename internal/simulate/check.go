package simulate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
)

const (
	maxWorkers  = 8
	appTIDs     = 30   // an application's threads have ids up to this far from its pid
	firstAppPID = 5000 // the system's processes are below
)

func (c *Config) check() error {
	e := findEra(c.Era)
	if e == nil {
		return fmt.Errorf("no era is called %q; there are %s", c.Era, strings.Join(Eras(), ", "))
	}
	if len(c.Rates) == 0 || c.Rates[0].From != 0 {
		return errors.New("the first refresh rate must hold from 0 on")
	}
	for i, r := range c.Rates {
		if r.Hz < 10 || r.Hz > 240 {
			return fmt.Errorf("refresh rate %d Hz is not in 10 to 240", r.Hz)
		}
		if i > 0 && r.From <= c.Rates[i-1].From {
			return errors.New("refresh rates are not in order of time")
		}
	}
	if c.Duration <= 0 && c.Size <= 0 {
		return errors.New("neither a duration nor a size")
	}
	if c.AppPhase < 0 || c.AppPhase > 3*trace.Millisecond {
		return fmt.Errorf("application phase %v is not in 0 to 3ms", c.AppPhase)
	}
	for i, a := range c.Apps {
		if a.PID < firstAppPID {
			return fmt.Errorf("%s: pid %d is below %d", a.Bundle, a.PID, firstAppPID)
		}
		for _, b := range c.Apps[:i] {
			if max(a.PID, b.PID)-min(a.PID, b.PID) < appTIDs {
				return fmt.Errorf("%s: pid %d is less than %d away from another's", a.Bundle, a.PID, appTIDs)
			}
		}
		if a.Workers > 0 && !e.namesVsync {
			return fmt.Errorf("%s: worker UI threads are not told apart in era %s", a.Bundle, c.Era)
		}
		if a.Workers > maxWorkers {
			return fmt.Errorf("%s: more than %d workers", a.Bundle, maxWorkers)
		}
	}
	for _, choice := range []struct {
		what, value string
		known       []string
	}{
		{"header", string(c.Text.Header), Headers()},
		{"TGID column", string(c.Text.TGID), TGIDs()},
		{"marker event", string(c.Text.Mark), Marks()},
		{"kernel", string(c.Kernel), Kernels()},
	} {
		if choice.value != "" && !slices.Contains(choice.known, choice.value) {
			return fmt.Errorf("no %s is called %q; there are %s", choice.what, choice.value, strings.Join(choice.known, ", "))
		}
	}
	if c.Text.Flags != 0 && (c.Text.Flags < 4 || c.Text.Flags > 8) {
		return fmt.Errorf("%d flag characters are not in 4 to 8", c.Text.Flags)
	}
	if c.Background > 0 && c.Kernel == KernelNone {
		return errors.New("background work needs a kernel to spell it")
	}
	return nil
}
