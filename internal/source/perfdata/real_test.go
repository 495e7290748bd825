package perfdata_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/must"
)

// real returns a file of a device, or skips the test.
func real(t testing.TB, name string) []byte {
	t.Helper()
	file, ok := tryReal(name)
	if !ok {
		t.Skip("no file ", name)
	}
	return file
}

// tryReal returns a file of a device, and whether it exists.
func tryReal(name string) ([]byte, bool) {
	file, err := os.ReadFile(filepath.Join("../../../../shared/hiperf", name))
	return file, err == nil
}

// counts is what a file has.
type counts struct {
	samples                                 int
	user, userMapped, userNamed             int
	kernel, kernelNamed                     int
	threads, namelessThreads, withoutStacks int
}

// read reads a whole file.
// whole reads a file without damage.
func whole(t testing.TB, file []byte) (*sample.Profile, []sample.Sample, []string) {
	t.Helper()
	if r, _ := drain(t, bytes.NewReader(file), int64(len(file))); damaged(r.Warnings()) {
		t.Errorf("damaged: %q", diag.Texts(r.Warnings()))
	}
	return read(t, file, perfdata.Options{})
}

// damaged reports whether one of the warnings is of damage.
func damaged(list []trace.Warning) bool {
	return slices.ContainsFunc(list, func(w trace.Warning) bool { return w.Code == trace.WarnDamaged })
}

func read(t testing.TB, file []byte, o perfdata.Options) (*sample.Profile, []sample.Sample, []string) {
	t.Helper()
	r := must.Get(perfdata.Open(bytes.NewReader(file), int64(len(file)), o))(t)
	var list []sample.Sample
	for {
		var s sample.Sample
		err := r.Next(&s)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return r.Profile(), list, diag.Texts(r.Warnings())
}

func count(p *sample.Profile, list []sample.Sample) counts {
	c := counts{samples: len(list), threads: len(p.Threads)}
	for _, s := range list {
		if s.Stack == sample.Unknown {
			c.withoutStacks++
		}
		for f := range p.Calls(s.Stack) {
			named := f.Function != sample.Unknown
			switch {
			case f.Module != sample.Unknown && p.Modules[f.Module].Kernel:
				c.kernel++
				if named {
					c.kernelNamed++
				}
			default:
				c.user++
				if f.Module != sample.Unknown {
					c.userMapped++
				}
				if named {
					c.userNamed++
				}
			}
		}
	}
	for _, thread := range p.Threads {
		if thread.Name == "" {
			c.namelessThreads++
		}
	}
	return c
}

// The counts are those of a reader of 100 lines in another language, which looks at one record
// after another.
func TestRealFiles(t *testing.T) {
	for name, want := range map[string]counts{
		"perfnew.data":        {samples: 3761, user: 5947, userMapped: 4038, userNamed: 2423, kernel: 9908, kernelNamed: 9870, threads: 56, namelessThreads: 1},
		"fp.uncompress.data":  {samples: 497, user: 1019, userMapped: 500, userNamed: 378, kernel: 4780, kernelNamed: 4780, threads: 8},
		"perfCompressed.data": {samples: 378, user: 3312, userMapped: 3307, userNamed: 888, kernel: 4145, kernelNamed: 4145, threads: 7},
		"report_test.data":    {samples: 20, user: 3, userMapped: 3, userNamed: 2, kernel: 17, kernelNamed: 17, threads: 2},
		"fp.compress.data":    {samples: 25, user: 49, userMapped: 40, userNamed: 14, kernel: 211, kernelNamed: 211, threads: 2},
		"dwarf.compress.data": {samples: 16, user: 156, userMapped: 155, userNamed: 85, kernel: 161, kernelNamed: 161, threads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			p, list, _ := whole(t, real(t, name))
			must.Equal(t, count(p, list), want)
			if p.Clock.ID != sample.ClockPerf || len(p.Events) != 1 || p.Events[0] != (sample.Event{Name: "hw-cpu-cycles", Frequency: 4000}) {
				t.Errorf("clock %v, events %+v", p.Clock.ID, p.Events)
			}
			if !strings.HasPrefix(p.Command, "hiperf record ") || p.Recorded == "" {
				t.Errorf("%q %q", p.Command, p.Recorded)
			}
		})
	}
}

// A simpler reader, which knows neither tables of stacks nor modules of the kernel, finds as many samples, no more
// frames with a function, and no higher share of them.
func TestRealShares(t *testing.T) {
	for name, least := range map[string]struct{ samples, frames, named int }{
		"perfnew.data":        {3761, 7827 + 9540, 2423 + 9540},
		"fp.uncompress.data":  {497, 286 + 5614, 1 + 5157},
		"perfCompressed.data": {378, 429 + 1600, 1343},
		"report_test.data":    {20, 3 + 17, 2 + 17},
		"fp.compress.data":    {25, 0, 0},
		"dwarf.compress.data": {16, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p, list, _ := whole(t, real(t, name))
			c := count(p, list)
			frames, named := c.user+c.kernel, c.userNamed+c.kernelNamed
			if c.samples != least.samples || named < least.named || named*least.frames < least.named*frames {
				t.Errorf("%d samples, %d of %d frames; want %d samples, at least %d of %d", c.samples, named, frames, least.samples, least.named, least.frames)
			}
		})
	}
}
