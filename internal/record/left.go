package record

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/exit"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
)

// Clean removes what earlier recordings left on the device, traces too, and ends a
// recording that nobody owns; with Force any.
func Clean(ctx context.Context, o Options, h *Host) error {
	return watched(ctx, h, func(ctx context.Context, _ *stopper) error {
		r, err := connect(ctx, o, h)
		if err != nil {
			return exit.With(exit.Device, err)
		}
		return exit.With(exit.Recording, r.clean(ctx))
	})
}

func (r *recorder) clean(ctx context.Context) error {
	list, err := r.left(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(list), func(l device.Left) bool { return !l.Alive || l.NotSetBack() || hasEnded(l.Owner) })
	if owners := r.owners(others); owners != "" && !r.Force {
		return diag.New(nil, "--force ends it", "a recording of %s is under way on the device", owners)
	}
	for _, l := range list {
		if err := r.remove(ctx, l, true); err != nil {
			return err
		}
	}
	dropped, err := r.dropOther(ctx) // whether the device traces may be unknown
	switch {
	case err == nil && dropped && r.facts.TracingOn:
		r.note(map[string]any{"closed": true}, "ended the recording that was under way on the device")
	case err == nil && len(list) == 0:
		r.Say(Event{"cleaned", "Nothing was left on the device.", nil})
	}
	return err
}

// cleanLeft removes what recordings without a watchdog have left, except traces, and
// returns the recordings that are under way.
func (r *recorder) cleanLeft(ctx context.Context) (alive []device.Left, err error) {
	list, err := r.left(ctx)
	for _, l := range list {
		switch {
		case len(l.Traces) > 0 && !l.Live && !l.Undo:
			r.noteKept(l.Traces)
		case l.Alive && !l.NotSetBack():
			alive = append(alive, l)
		default:
			if err := r.remove(ctx, l, false); err != nil {
				return nil, err
			}
		}
	}
	return alive, err
}

// makeFree ends the recordings that are under way, if nobody owns them.
func (r *recorder) makeFree(ctx context.Context, alive []device.Left) error {
	if owners := r.owners(alive); owners != "" && !r.Force {
		hint := "wait for its end, or end it with --force: its trace is lost then"
		if slices.ContainsFunc(alive, func(l device.Left) bool { return hasEnded(l.Owner) }) {
			hint = "ohframe record --clean ends it"
		}
		return diag.New(nil, hint, "another recording is under way on the device: %s", owners)
	}
	for _, l := range alive { // its watchdog would end our recording
		if err := r.remove(ctx, l, false); err != nil {
			return err
		}
	}
	dropped, err := r.dropOther(ctx)
	if dropped {
		r.note(map[string]any{"closed": true}, "ended another recording, which was under way on the device")
	}
	return err
}

// left describes the folders of recordings.
func (r *recorder) left(ctx context.Context) ([]device.Left, error) {
	if len(r.facts.Left) == 0 {
		return nil, nil
	}
	result, err := r.client.Shell(ctx, 0, device.LeftScript(r.facts.Left))
	return device.ParseLeft(result), err
}

// noteKept names the traces that earlier recordings have left.
func (r *recorder) noteKept(traces []string) {
	for _, path := range traces {
		r.note(map[string]any{"path": path}, "%s on the device: %s", device.Kind(path, "a trace of an earlier recording is", "samples of an earlier recording are"), r.fetch(path))
	}
}

// remove ends a recording and removes what it has left. Traces stay, except with clean.
// With clean and Force the folder goes even if hitrace does not end the recording:
// otherwise it would be in the way for good.
func (r *recorder) remove(ctx context.Context, l device.Left, clean bool) error {
	result, err := r.client.Shell(ctx, 0, device.CloseScript(l.Dir, !clean && len(l.Traces) > 0))
	if err != nil {
		return err
	}
	traces, closed := device.ParseClose(result)
	if !closed {
		answer := fmt.Sprintf("hitrace on the device does not end the recording of %s: %s", l.Dir, device.CloseAnswer(result))
		if what := device.NotSetBack(result); what != "" {
			answer = fmt.Sprintf("the device does not set back what the recording of %s set: %s", l.Dir, what)
		}
		if !clean || !r.Force {
			return diag.New(nil, "try again later, or remove it with ohframe record --clean --force", "%s", answer)
		}
		if _, err := r.client.Shell(ctx, 0, device.RemoveScript(l.Dir)); err != nil {
			return err
		}
		r.note(map[string]any{"not_closed": l.Dir}, "%s", answer)
	} else if len(traces) > 0 {
		r.noteKept(traces)
		return nil
	}
	r.note(map[string]any{"removed": l.Dir}, "removed %s, which an earlier recording left", l.Dir)
	return nil
}

// owners names those who record at the moment; empty if nobody does.
func (r *recorder) owners(alive []device.Left) string {
	list := slices.Clone(r.facts.Tracers)
	for _, l := range alive {
		who := "another ohframe"
		if hasEnded(l.Owner) {
			who = "an ohframe that has ended"
		}
		if l.Live {
			who += fmt.Sprintf(", for at most %s", trace.Duration(max(0, l.Seconds))*trace.Second)
		}
		list = append(list, who)
	}
	return strings.Join(list, ", ")
}

// hasEnded reports whether the owner was a process of this computer that runs no more.
func hasEnded(word string) bool {
	_, digits, _ := strings.Cut(word, "_")
	pid, err := strconv.Atoi(digits)
	return err == nil && word == owner(pid) && !hdc.Exists(pid)
}

// dropOther ends a recording of somebody else, and reports whether it did.
func (r *recorder) dropOther(ctx context.Context) (bool, error) {
	result, err := r.client.Shell(ctx, 0, device.DropScript())
	return err == nil && device.CheckDrop(result), err
}
