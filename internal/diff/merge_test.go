package diff

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/must"
)

func bytesOf(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// merged returns the trace in the archive of a comparison, and checks what Perfetto asks of both.
func merged(t *testing.T, d *Diff, base, new []byte) (trace []byte, machines []string) {
	t.Helper()
	var archive, again bytes.Buffer
	must.Do(t, errors.Join(d.Merge(&archive, bytesOf(base), bytesOf(new)), d.Merge(&again, bytesOf(base), bytesOf(new))))
	if !bytes.Equal(archive.Bytes(), again.Bytes()) {
		t.Error("the archive differs every time")
	}
	list := map[string][]byte{}
	r := tar.NewReader(&archive)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		must.Do(t, err)
		if h.Format != tar.FormatUSTAR || h.Typeflag != tar.TypeReg || len(h.Name) >= 100 || strings.HasPrefix(h.Name, ".") {
			t.Errorf("member %q has format %s and type %q", h.Name, h.Format, h.Typeflag)
		}
		list[h.Name] = must.Get(io.ReadAll(r))(t)
	}
	must.Equal(t, len(list), 2, "members")
	return list["both.pftrace"], readManifest(t, list["perfetto_manifest.json"])
}

// readManifest returns the names of the machines. It checks what Perfetto does:
// perfetto_manifest_reader.cc and perfetto_manifest.h of v58.2.
func readManifest(t *testing.T, text []byte) (machines []string) {
	t.Helper()
	if !strings.HasPrefix(strings.Join(strings.Fields(string(text)), ""), `{"perfetto_manifest":`) {
		t.Errorf("the manifest does not begin with its key: %s", text)
	}
	var m struct {
		Content struct {
			Version   int
			TraceTime struct{ Clock, File, Machine string } `json:"trace_time"`
			Files     []struct {
				Path     string
				Machines []struct {
					ID   int
					Name string
				}
			}
		} `json:"perfetto_manifest"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	must.Do(t, d.Decode(&m))
	c := m.Content
	if c.Version != 1 || len(c.Files) != 1 || c.Files[0].Path != "both.pftrace" || c.TraceTime.File != "both.pftrace" || c.TraceTime.Clock != "BOOTTIME" {
		t.Fatalf("manifest: %s", text)
	}
	for i, machine := range c.Files[0].Machines {
		must.Equal(t, machine.ID, i, "machine")
		machines = append(machines, machine.Name)
	}
	must.Equal(t, c.TraceTime.Machine, machines[0], "the machine whose clock is the common one")
	return machines
}

// shiftOf returns by how much the second machine is shifted, as Perfetto computes it:
// ProtoTraceReader::CalculateClockOffsets of v58.2.
func shiftOf(t *testing.T, packets []byte) trace.Duration {
	t.Helper()
	field := func(b []byte, number protowire.Number) (content []byte) {
		for len(b) > 0 {
			n, wire, size := protowire.ConsumeTag(b)
			if n == number && wire == protowire.BytesType && content == nil {
				content, _ = protowire.ConsumeBytes(b[size:])
			}
			b = b[size+protowire.ConsumeFieldValue(n, wire, b[size:]):]
		}
		return content
	}
	at := func(clocks []byte) trace.Time {
		read := &perfettopb.ClockSnapshot{}
		must.Do(t, proto.Unmarshal(clocks, read))
		must.Equal(t, read.GetClocks()[0].GetClockId(), 6)
		return trace.Time(read.GetClocks()[0].GetTimestamp())
	}
	for b := packets; len(b) > 0; {
		packet, n := protowire.ConsumeBytes(b[1:])
		if sync := field(packet, 107); sync != nil {
			return at(field(field(sync, 1), 3)).Sub(at(field(field(sync, 1), 2)))
		}
		b = b[1+n:]
	}
	t.Fatal("the clocks are not related")
	return 0
}

// Only what was compared is aligned: the first frame of another process, and
// truncated ones, do not count.
func TestMergeAlignsWhatIsCompared(t *testing.T) {
	steady := func() *scene {
		return gallery("gallery", "render_service", 20, 20, func(int) int { return 5 })
	}
	base, late, half := steady(), steady(), steady()
	base.frame(analyzer.ApplicationFrame, base.process(1, "other"), 500, 5)
	late.Frames[0].Facts = analyzer.Truncated // the application's next is at 1020, the render service's first at 1010
	for _, f := range half.Frames {
		if f.Kind == analyzer.ApplicationFrame {
			f.Facts = analyzer.Truncated
		}
	}
	for _, test := range []struct {
		new     *scene
		process string
		fixed   string
		shift   trace.Duration
	}{
		{late, "", "new: new", 10 * ms},
		{late, "gallery", "new: new", 20 * ms},
		{half, "", "base: base", 0}, // where a trace has no complete frame of a process, the other's do not count
	} {
		d := compare(t, base.side("base"), test.new.side("new"), Options{Process: func(p *analyzer.Process) bool { return test.process == "" || p.Name == test.process }})
		packets, machines := merged(t, d, nil, nil)
		if shift := shiftOf(t, packets); machines[0] != test.fixed || shift != test.shift {
			t.Errorf("%q: %s is fixed, the other shifted by %v, want %+v", test.process, machines[0], shift, test)
		}
	}
}

// ReadMerged finds both traces in the archive: each whole, and by how much it is moved.
func TestReadMerged(t *testing.T) {
	packets := func(texts ...string) (b []byte) {
		for _, text := range texts {
			b = append(b, message(1, message(60, []byte(text)))...)
		}
		return b
	}
	base, new := packets("a", strings.Repeat("b", 1<<20)), packets("c", "", "d")
	steady := gallery("gallery", "render_service", 20, 20, func(int) int { return 5 })
	late := gallery("gallery", "render_service", 20, 20, func(int) int { return 5 })
	late.Frames[0].Facts = analyzer.Truncated
	d := compare(t, steady.side("base"), late.side("new"), Options{}) // base is moved
	var archive bytes.Buffer
	must.Do(t, d.Merge(&archive, bytesOf(base), bytesOf(new)))
	file := bytes.NewReader(archive.Bytes())
	list := ReadMerged(file, file.Size())
	must.Equal(t, len(list), 2)
	for i, want := range []struct {
		name    string
		moved   trace.Duration
		content []byte
		machine uint32
	}{{"new: new", 0, new, 0}, {"base: base", 10 * ms, base, 1}} {
		m := list[i]
		must.Equal(t, m.Name, want.name)
		must.Equal(t, m.Moved, want.moved)
		var expected bytes.Buffer
		must.Get(perfetto.NewMachineWriter(&expected, want.machine).Write(want.content))(t)
		got := must.Get(io.ReadAll(io.NewSectionReader(file, m.Offset, m.Size)))(t)
		if !bytes.HasSuffix(got, expected.Bytes()) || len(got) > expected.Len()+100 { // it begins with its clock
			t.Errorf("%s: %d bytes, want those of the trace, %d, below those of its clock", m.Name, len(got), expected.Len())
		}
	}
	// Other files, and an archive that was cut anywhere, have none, or both.
	for _, other := range [][]byte{nil, base, bytes.Repeat([]byte("x"), 4096)} {
		must.Equal(t, len(ReadMerged(bytes.NewReader(other), int64(len(other)))), 0)
	}
	for n := 0; n < archive.Len(); n += 509 {
		if got := ReadMerged(file, int64(n)); len(got) != 0 && len(got) != 2 {
			t.Errorf("cut at %d: %v", n, got)
		}
	}
}

// Names of files are text.
func TestMergeNames(t *testing.T) {
	base, new := before(), after()
	base.Name, new.Name = "../\x00\"},{\"a\":\""+strings.Repeat("x", 300), "/"
	_, machines := merged(t, compare(t, base, new, Options{}), nil, nil)
	slices.Sort(machines)
	must.Equal(t, strings.Join(machines, "\n"), "base: "+base.Name[3:]+"\nnew: /")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestMergeErrors(t *testing.T) {
	d := compare(t, before(), after(), Options{})
	broken := errors.New("broken")
	for calls := range 2 { // when its size is counted, and when it is written
		err := d.Merge(io.Discard, bytesOf(nil), func(io.Writer) error {
			calls--
			return map[bool]error{true: broken}[calls < 0]
		})
		if !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	}
	if err := d.Merge(failing{}, bytesOf([]byte("a")), bytesOf([]byte("b"))); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
	// A trace that somebody writes to has another size when it is read again.
	for _, sizes := range [][2]int{{3, 5}, {5, 3}, {0, 1}, {1, 0}} {
		read := 0
		err := d.Merge(io.Discard, func(w io.Writer) error {
			_, err := w.Write(bytes.Repeat([]byte{0o12, 0}, sizes[read]))
			read++
			return err
		}, bytesOf([]byte("b")))
		if want := "a trace changed while it was read"; err == nil || err.Error() != want {
			t.Errorf("%v bytes: got %v, want %s", sizes, err, want)
		}
	}
}
