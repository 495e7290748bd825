package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ohframe/internal/atomicfile"
	"ohframe/internal/record/device"
	"ohframe/internal/record/meta"
)

// samples are the recording of hiperf beside a trace.
type samples struct {
	meta.Perf
	// size is that of the file on the device in bytes; zero without one.
	size int64
	// part is the file on this computer until the trace is here, too.
	part string
	// kept: close leaves the file on the device.
	kept bool
}

// sample starts hiperf. Where a thread waits is sampled for one application only: for all processes,
// that would be a sample of every context switch of the device. If the device cannot sample that,
// hiperf starts without.
func (s *session) sample(ctx context.Context) error {
	r := s.r
	r.Progress("starting hiperf")
	sampling := device.Sampling{App: r.App, Rate: sampleRate, Stack: r.PerfStack, OffCPU: r.App != "", Parallel: r.facts.ParallelSymbols, Waits: r.Launch}
	err := s.startHiperf(ctx, sampling)
	if err != nil && sampling.OffCPU && errors.Is(err, device.ErrSampling) {
		sampling.OffCPU = false
		if second := s.startHiperf(ctx, sampling); second == nil {
			r.note(map[string]any{"offcpu": err.Error()}, "where threads wait is not sampled: %v", err)
			err = nil
		}
	}
	if err != nil {
		return err
	}
	s.samples = &samples{Perf: meta.Perf{Command: s.t.Command(sampling)}}
	text := fmt.Sprintf("Samples %d Hz of all processes", sampling.Rate)
	if sampling.App != "" {
		text = fmt.Sprintf("Samples %d Hz of %s", sampling.Rate, sampling.App)
	}
	if sampling.OffCPU {
		text += ", and where it waits"
	}
	r.Say(Event{"sampling", text, map[string]any{"command": s.samples.Command}})
	return nil
}

func (s *session) startHiperf(ctx context.Context, sampling device.Sampling) error {
	result, err := s.r.client.Shell(ctx, s.r.Limit+device.SampleStart, s.t.SampleScript(sampling))
	if err == nil {
		err = device.CheckSample(result)
	}
	return err
}

// endSamples waits until hiperf has written its file. What hiperf does wrong is noted: the trace is
// complete without samples.
func (s *session) endSamples(ctx context.Context) error {
	if s.samples == nil {
		return nil
	}
	s.r.Progress("waiting for hiperf, which looks up the names of functions")
	start := time.Now()
	var found device.Samples
	err := s.again(ctx, func() error {
		result, err := s.r.client.Shell(ctx, s.r.Limit+device.SampleEnd, s.t.EndSamplesScript())
		if err == nil {
			found = device.ParseSamples(result)
		}
		return err
	})
	if err != nil {
		return err
	}
	p := s.samples
	p.Samples, p.Lost, p.Problem, p.size = found.Count, found.Lost, found.Problem, found.Size
	text := fmt.Sprintf("hiperf took %d samples and wrote them in %s.", p.Samples, seconds(time.Since(start)))
	if p.Lost > 0 {
		text = fmt.Sprintf("hiperf took %d samples, lost %d, and wrote them in %s.", p.Samples, p.Lost, seconds(time.Since(start)))
	}
	s.r.Say(Event{"sampled", text, map[string]any{"samples": p.Samples, "lost": p.Lost, "bytes": p.size}})
	return nil
}

// receiveSamples copies the samples to this computer, if there are any. keepSamples gives them
// their name. If they cannot be received, they stay on the device.
func (s *session) receiveSamples(ctx context.Context, name string) {
	p := s.samples
	if p == nil || p.size == 0 {
		return
	}
	part := name + meta.Samples + ".part"
	err := s.transfer(ctx, s.t.SamplesFile(), p.size, part, "the samples have")
	if err != nil {
		p.kept, p.Problem = true, fmt.Sprintf("the samples were not received: %v", fileError(name+meta.Samples, err))
		return
	}
	p.part = part
}

// keepSamples gives the samples their name, when the trace is here, or removes those of an earlier
// recording, which do not belong to the trace.
func (s *session) keepSamples(name string) error {
	file, p := name+meta.Samples, s.samples
	if p == nil || p.part == "" {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(file, err)
		}
	} else if err := atomicfile.Rename(p.part, file); err != nil {
		return fileError(file, err)
	} else {
		p.part, p.File = "", filepath.Base(file)
	}
	if p != nil && p.Problem != "" {
		s.r.note(map[string]any{"samples": p.Problem}, "%s", p.Problem)
	}
	return nil
}

// dropSamples removes what is not used without a trace.
func (s *session) dropSamples() {
	if p := s.samples; p != nil {
		p.kept = false // the trace, if it stays on the device, has them beside it
		if p.part != "" {
			os.Remove(p.part)
		}
	}
}

// describeSamples returns what is known of the samples; nil if there were to be none.
func (s *session) describeSamples() *meta.Perf {
	if s.samples == nil {
		return nil
	}
	return &s.samples.Perf
}
