package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/exit"
	"ohframe/internal/record/device"
	"ohframe/internal/record/meta"
)

// warmer is by how many °C a device may be warmer than before the first run: a warm device
// is slower before it is hot.
const warmer = 3

// coolInterval is the time between two readings of the temperature, which changes slowly.
const coolInterval = 5 * time.Second

// runs are several recordings in a new folder; those of two sides are in folders in it.
type runs struct {
	*recorder
	sides []Side
	// first is the temperature before the first run, zero if unknown.
	first float64
	// charging is that before the last run; nil if unknown.
	charging *bool
	// interval is coolInterval, except in tests.
	interval time.Duration
}

// recordRuns makes the recordings.
func (r *recorder) recordRuns(ctx context.Context, stop *stopper) error {
	s := &runs{recorder: r, sides: r.Compare, interval: coolInterval}
	count, cold := r.Runs, !r.Cold
	if len(s.sides) == 0 {
		s.sides = []Side{{App: r.App, Ability: r.Ability, Drive: r.Drive}}
		if cold = cold && count > 1; cold {
			count-- // the cold run is one of them
		}
	}
	done, err := s.makeFolders()
	defer done()
	if err != nil {
		return err
	}
	p := newPlan(len(s.sides), count, cold, s.sides[0].starts)
	if err := s.record(ctx, stop, &p); err != nil {
		if p.valid[0] > 0 && p.valid[1] > 0 {
			r.note(map[string]any{"folder": r.Name}, "ohframe diff %s -- %s compares the runs until now", filepath.Join(r.Name, sideNames[0]), filepath.Join(r.Name, sideNames[1]))
		}
		return err
	}
	for i := range s.sides {
		if p.valid[i] == 0 {
			what := "no run is valid"
			if name := s.sides[i].Name; name != "" {
				what = fmt.Sprintf("no run of %s is valid", name)
			}
			return exit.With(exit.Recording, diag.New(nil, "the notes above say why", "%s", what))
		}
	}
	if len(r.Compare) == 0 {
		return nil
	}
	return r.Compared(ctx)
}

// makeFolders makes the folders of the runs. done removes those that are empty.
func (r *runs) makeFolders() (done func(), err error) {
	folders := []string{r.Name}
	for _, side := range r.Compare {
		folders = append(folders, filepath.Join(r.Name, side.Name))
	}
	made := 0
	done = func() {
		for _, folder := range slices.Backward(folders[:made]) {
			os.Remove(folder) // fails unless it is empty
		}
	}
	for _, folder := range folders {
		err := os.Mkdir(folder, 0o777)
		if err != nil && !(r.Force && len(r.Compare) == 0 && errors.Is(err, fs.ErrExist)) {
			return done, fileError(folder, err)
		}
		made++
	}
	return done, nil
}

// record makes the runs of a plan until the user ends one.
func (r *runs) record(ctx context.Context, stop *stopper, p *plan) error {
	total := p.total()
	digits := len(strconv.Itoa(p.most()))
	for n, last := 1, -1; stop.stopped.Err() == nil; n++ {
		i, cold, ok := p.next()
		if !ok {
			break
		}
		r.sayRun(n, total, i, cold)
		if len(r.Compare) > 0 && i != last {
			if err := r.switchTo(ctx, i, last); err != nil {
				return err
			}
		}
		if n > 1 || r.sides[i].starts {
			if err := r.probe(ctx); err != nil {
				return exit.With(exit.Device, err)
			}
		}
		problem, err := r.cool(ctx)
		if err != nil {
			return exit.With(exit.Device, err)
		}
		r.checkCharging(n)
		run := &meta.Run{Number: n, Cold: cold, Problem: problem}
		if err := r.recorder.record(ctx, stop, filepath.Join(r.Name, r.sides[i].Name, fmt.Sprintf("%0*d", digits, n)), run); err != nil {
			return err
		}
		if run.Problem != "" {
			r.note(map[string]any{"run": n, "problem": run.Problem}, "run %d is invalid: %s", n, run.Problem)
		}
		p.ended(i, cold, run.Problem == "")
		last = i
	}
	return nil
}

// sayRun says which run begins.
func (r *runs) sayRun(n, total, i int, cold bool) {
	text, facts := fmt.Sprintf("Run %d of %d", n, total), map[string]any{"run": n}
	switch {
	case n > total && cold: // before one that repeats
		text = fmt.Sprintf("Run %d", n)
	case n > total:
		text = fmt.Sprintf("Run %d, which repeats an invalid one", n)
	}
	if len(r.Compare) > 0 {
		text, facts["side"] = text+": "+r.sides[i].Name, r.sides[i].Name
	}
	if cold {
		text += " (cold, does not count)"
	}
	r.Say(Event{"run", text, facts})
}

// switchTo makes a side the one that is recorded, after another one or at first.
func (r *runs) switchTo(ctx context.Context, i, before int) error {
	side := &r.sides[i]
	r.App, r.Ability, r.Drive = side.App, side.Ability, side.Drive
	if !side.starts {
		return nil
	}
	if before >= 0 && r.sides[before].App != side.App { // it would go on in the background
		if _, err := r.client.Shell(ctx, 0, device.StopScript(r.sides[before].App)); err != nil {
			return exit.With(exit.Recording, err)
		}
	}
	if side.Package != "" {
		r.Progress("installing " + side.Package)
		if err := r.client.Install(ctx, side.Package); err != nil {
			return exit.With(exit.Recording, fileError(side.Package, err))
		}
		r.Say(Event{"installed", "Installed " + side.Package, map[string]any{"file": side.Package, "bundle": side.App}})
	}
	if err := r.probe(ctx); err != nil {
		return exit.With(exit.Device, err)
	}
	if err := r.checkApp(true); err != nil {
		return exit.With(exit.Device, err)
	}
	if r.Launch {
		return nil // each run starts it
	}
	return exit.With(exit.Recording, r.restart(ctx, func() error { return nil }))
}

// cool waits until the device is at most a little warmer than before the first run. If it
// does not cool in time, it returns why the run is invalid.
func (r *runs) cool(ctx context.Context) (problem string, err error) {
	limit := float64(meta.Hot)
	if r.first > 0 {
		limit = min(limit, r.first+warmer)
	}
	begun, start := r.facts.Temperature, time.Now()
	if begun > limit && r.Wait > 0 {
		r.Say(Event{"waiting", fmt.Sprintf("Waiting up to %s for the device to cool from %.1f to %.1f °C", trace.Duration(r.Wait), begun, limit), map[string]any{"reason": "warm", "temperature": begun, "limit": limit}})
	}
	for r.facts.Temperature > limit {
		left := r.Wait - time.Since(start)
		switch {
		case left <= 0 && limit == meta.Hot:
			return fmt.Sprintf("the device was hot: %.0f °C", r.facts.Temperature), nil
		case left <= 0:
			return fmt.Sprintf("the device had %.1f °C, %.1f °C more than before the first run", r.facts.Temperature, r.facts.Temperature-r.first), nil
		}
		r.Progress(fmt.Sprintf("%.1f °C", r.facts.Temperature))
		select {
		case <-time.After(min(left, r.interval)):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		if err := r.probe(ctx); err != nil {
			return "", err
		}
	}
	if r.facts.Temperature != begun {
		r.note(map[string]any{"temperature": r.facts.Temperature}, "the device has cooled to %.1f °C, after %s", r.facts.Temperature, seconds(time.Since(start)))
	}
	if r.first == 0 {
		r.first = r.facts.Temperature
	}
	return "", nil
}

// checkCharging notes if the battery is charged before a run and was not before, or the
// reverse.
func (r *runs) checkCharging(n int) {
	now := r.facts.Charging
	if now == nil {
		return
	}
	if r.charging != nil && *r.charging != *now {
		text := "the battery is charged from run %d on"
		if !*now {
			text = "the battery is not charged from run %d on"
		}
		r.note(map[string]any{"run": n, "charging": *now}, text+", which changes how fast the device gets warm", n)
	}
	r.charging = now
}
