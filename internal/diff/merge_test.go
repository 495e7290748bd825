package diff

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

func bytesOf(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// members returns the members of an archive of a comparison by name, and checks what Perfetto
// asks of them.
func members(t *testing.T, d *Diff, base, new []byte) map[string][]byte {
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
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Format != tar.FormatUSTAR || h.Typeflag != tar.TypeReg || len(h.Name) >= 100 || strings.HasPrefix(h.Name, ".") {
			t.Errorf("member %q has format %s and type %q", h.Name, h.Format, h.Typeflag)
		}
		list[h.Name] = must.Get(io.ReadAll(r))(t)
	}
}

type clock struct{ Clock, File string }

// placed is what a manifest says about a file.
type placed struct {
	Path    string
	Machine struct{ Name string }
	Clocks  *struct {
		Clock  string
		Offset trace.Duration `json:"offset_ns"`
		SyncTo clock          `json:"sync_to"`
	}
}

// readManifest returns the name of the file whose clock is the common one, and both files. It
// checks what Perfetto does: perfetto_manifest_reader.cc and perfetto_manifest.h of v58.2.
func readManifest(t *testing.T, text []byte) (fixed string, files []placed) {
	t.Helper()
	if !strings.HasPrefix(strings.Join(strings.Fields(string(text)), ""), `{"perfetto_manifest":`) {
		t.Errorf("the manifest does not begin with its key: %s", text)
	}
	var m struct {
		Content struct {
			Version   int
			TraceTime clock `json:"trace_time"`
			Files     []placed
		} `json:"perfetto_manifest"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	must.Do(t, d.Decode(&m))
	c := m.Content
	if c.Version != 1 || len(c.Files) != 2 || c.Files[0].Path != "base.pftrace" || c.Files[1].Path != "new.pftrace" || c.TraceTime.Clock != "BOOTTIME" {
		t.Fatalf("manifest: %s", text)
	}
	for _, f := range c.Files {
		if isFixed := f.Path == c.TraceTime.File; isFixed != (f.Clocks == nil) || !isFixed && (f.Clocks.Clock != "BOOTTIME" || f.Clocks.SyncTo != c.TraceTime) {
			t.Errorf("%s is not related to the common clock: %s", f.Path, text)
		}
	}
	return c.TraceTime.File, c.Files
}

// shift returns by how much a file is shifted.
func (p placed) shift() trace.Duration {
	if p.Clocks == nil {
		return 0
	}
	return p.Clocks.Offset
}

// The first frames of both traces are at the same time, the later one of the two. The traces
// are as they were.
func TestMerge(t *testing.T) {
	converted := func(text []byte) []byte {
		var out bytes.Buffer
		must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, pftrace.Options{NoEvents: true, Reader: hitrace.Options{Workers: 1}}))(t)
		return out.Bytes()
	}
	firstFrame := func(packets []byte) trace.Time {
		read, _ := must.Get2(perfetto.Read(t.Context(), bytes.NewReader(packets), perfetto.Options{}))(t)
		for f := range read.Timeline.Complete() {
			return f.Actual.Start
		}
		return 0
	}
	base, baseText := simulated(t, "runs/a.ftrace", func(*simulate.Config) {})
	new, newText := simulated(t, "others/a.ftrace", func(c *simulate.Config) { c.Seed, c.ClockOffset = 7, 10*trace.Second })
	for range 2 {
		basePackets, newPackets := converted(baseText), converted(newText)
		list := members(t, compare(t, base, new, Options{}), basePackets, newPackets)
		if len(list) != 3 || !bytes.Equal(list["base.pftrace"], basePackets) || !bytes.Equal(list["new.pftrace"], newPackets) {
			t.Fatalf("%d members, or they are not the traces", len(list))
		}
		_, files := readManifest(t, list["perfetto_manifest.json"])
		if files[0].Machine.Name != "base: a.ftrace" || files[1].Machine.Name != "new: a.ftrace" {
			t.Errorf("machines %q and %q", files[0].Machine.Name, files[1].Machine.Name)
		}
		first, second := firstFrame(basePackets), firstFrame(newPackets)
		a, b := first.Add(files[0].shift()), second.Add(files[1].shift())
		if first == second || a != b || a != max(first, second) {
			t.Errorf("first frames at %s and %s come to be at %s and %s", first, second, a, b)
		}
		base, new, baseText, newText = new, base, newText, baseText
	}
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
		{late, "", "new.pftrace", 10 * ms},
		{late, "gallery", "new.pftrace", 20 * ms},
		{half, "", "base.pftrace", 0}, // where a trace has no complete frame of a process, the other's do not count
	} {
		d := compare(t, base.side("base"), test.new.side("new"), Options{Process: func(p *analyzer.Process) bool { return test.process == "" || p.Name == test.process }})
		fixed, files := readManifest(t, members(t, d, nil, nil)["perfetto_manifest.json"])
		if fixed != test.fixed || files[0].shift()+files[1].shift() != test.shift {
			t.Errorf("%q: %s is fixed, the other shifted by %v, want %+v", test.process, fixed, files[0].shift()+files[1].shift(), test)
		}
	}
}

// A trace with an unknown clock gets one. Names of files are text.
func TestMergeAddsClock(t *testing.T) {
	base, new := before(), after()
	new.Timeline.Wall = analyzer.WallClock{At: at(1000), Unix: 1}
	base.Name, new.Name = "../\x00\"},{\"a\":\""+strings.Repeat("x", 300), "/"
	packet := must.Get(proto.Marshal(&perfettopb.Trace{Packet: []*perfettopb.TracePacket{{Timestamp: proto.Uint64(1)}}}))(t)
	list := members(t, compare(t, base, new, Options{}), packet, packet)
	_, files := readManifest(t, list["perfetto_manifest.json"])
	if files[0].Machine.Name != "base: "+base.Name[3:] || files[1].Machine.Name != "new: /" {
		t.Errorf("machines %q and %q", files[0].Machine.Name, files[1].Machine.Name)
	}
	if !bytes.Equal(list["new.pftrace"], packet) {
		t.Error("a trace with a clock is changed")
	}
	got := &perfettopb.Trace{}
	must.Do(t, proto.Unmarshal(list["base.pftrace"], got))
	clocks := got.Packet[0].GetClockSnapshot().GetClocks()
	if len(got.Packet) != 2 || len(clocks) != 1 || clocks[0].GetClockId() != 6 || clocks[0].GetTimestamp() != 1_000_000_000 || got.Packet[1].GetTimestamp() != 1 {
		t.Errorf("packets %v", got.Packet)
	}
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
			_, err := w.Write(make([]byte, sizes[read]))
			read++
			return err
		}, bytesOf([]byte("b")))
		if want := "base.pftrace: the trace changed while it was read"; err == nil || err.Error() != want {
			t.Errorf("%v bytes: got %v, want %s", sizes, err, want)
		}
	}
}
