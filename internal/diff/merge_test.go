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
	"unicode"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/exporter"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/simulate"
)

func bytesOf(b []byte) Trace {
	return Trace{Write: func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}}
}

func merge(t *testing.T, d *Diff, base, new Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.Merge(&b, base, new); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// members returns the members of an archive by name, and checks what Perfetto
// asks of them.
func members(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		// The magic and version of ustar, a plain file, and a name that fits the
		// header and is not hidden.
		if h.Format != tar.FormatUSTAR || h.Typeflag != tar.TypeReg || len(h.Name) >= 100 || strings.HasPrefix(h.Name, ".") {
			t.Errorf("member %q has format %s and type %q", h.Name, h.Format, h.Typeflag)
		}
		if !h.ModTime.IsZero() && h.ModTime.Unix() != 0 || h.Uname != "" || h.Uid != 0 {
			t.Errorf("member %q tells when and by whom it was made", h.Name)
		}
		if list[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// readManifest returns an archive's manifest after checking it as Perfetto's
// reader does: perfetto_manifest_reader.cc and perfetto_manifest.h of v58.2.
func readManifest(t *testing.T, list map[string][]byte) (m manifestContent) {
	t.Helper()
	text := list["perfetto_manifest.json"]
	// It is recognised by its beginning, without blanks, in the first 512 bytes.
	start := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, string(text[:min(len(text), 512)]))
	if !strings.HasPrefix(start, `{"perfetto_manifest"`) {
		t.Errorf("the manifest begins with %q", start)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	document := map[string]manifestContent{}
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	m = document["perfetto_manifest"]
	if len(document) != 1 || m.Version != 1 || len(m.Files) != 2 {
		t.Fatalf("manifest: %s", text)
	}
	paths, machines := []string{}, map[string]bool{}
	for _, f := range m.Files {
		if list[f.Path] == nil || f.Machine.Name == "" {
			t.Errorf("file %q of machine %q", f.Path, f.Machine.Name)
		}
		paths, machines[f.Machine.Name] = append(paths, f.Path), true
	}
	if len(machines) != 2 {
		t.Errorf("the machines are the same: %s", text)
	}
	if m.TraceTime.Clock != "BOOTTIME" || !slices.Contains(paths, m.TraceTime.File) {
		t.Errorf("trace time: %+v", m.TraceTime)
	}
	related := 0
	for _, f := range m.Files {
		if f.Clocks == nil {
			continue
		}
		related++
		if f.Clocks.Clock != "BOOTTIME" || f.Clocks.SyncTo.Clock != "BOOTTIME" || !slices.Contains(paths, f.Clocks.SyncTo.File) || f.Clocks.SyncTo.File == f.Path {
			t.Errorf("clocks of %s: %+v", f.Path, f.Clocks)
		}
	}
	if related != 1 {
		t.Errorf("%d files are related to another, want 1", related)
	}
	return m
}

// placeOf returns the time on the common timeline of a time in a member: where its
// clock reads T, the one that it is related to reads T + offset_ns.
func placeOf(m manifestContent, path string, at trace.Time) trace.Time {
	for _, f := range m.Files {
		if f.Path == path && f.Clocks != nil && f.Clocks.SyncTo == m.TraceTime {
			return at.Add(f.Clocks.Offset)
		}
	}
	return at
}

func firstFrame(t *testing.T, packets []byte) trace.Time {
	t.Helper()
	read, _, err := perfetto.Read(t.Context(), bytes.NewReader(packets), perfetto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for f := range read.Timeline.Complete() {
		return f.Actual.Start
	}
	t.Fatal("no frames")
	return 0
}

func TestMerge(t *testing.T) {
	converted := func(text []byte) []byte {
		var out bytes.Buffer
		if _, err := exporter.Convert(t.Context(), bytes.NewReader(text), &out, exporter.Options{Events: exporter.NoEvents, Reader: hitrace.Options{Workers: 1}}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	base, baseText := simulated(t, "runs/a.ftrace", func(*simulate.Config) {})
	new, newText := simulated(t, "others/a.ftrace", func(c *simulate.Config) { c.Seed, c.ClockOffset = 7, 10*trace.Second })
	for _, swapped := range []bool{false, true} {
		if swapped {
			base, new, baseText, newText = new, base, newText, baseText
		}
		d := compare(t, base, new, Options{})
		basePackets, newPackets := converted(baseText), converted(newText)
		archive := merge(t, d, bytesOf(basePackets), bytesOf(newPackets))
		list := members(t, archive)
		if len(list) != 3 || !bytes.Equal(list["base.pftrace"], basePackets) || !bytes.Equal(list["new.pftrace"], newPackets) {
			t.Fatalf("%d members, or they are not the traces", len(list))
		}
		m := readManifest(t, list)
		if m.Files[0].Machine.Name != "base: a.ftrace" || m.Files[1].Machine.Name != "new: a.ftrace" {
			t.Errorf("machines %q and %q", m.Files[0].Machine.Name, m.Files[1].Machine.Name)
		}
		first, second := firstFrame(t, basePackets), firstFrame(t, newPackets)
		a, b := placeOf(m, "base.pftrace", first), placeOf(m, "new.pftrace", second)
		if first == second || a != b || a < 0 || a != max(first, second) {
			t.Errorf("first frames at %s and %s come to be at %s and %s", first, second, a, b)
		}
		if !bytes.Equal(archive, merge(t, d, bytesOf(basePackets), bytesOf(newPackets))) {
			t.Error("the archive is another every time")
		}
	}
}

// Only what was compared is aligned: the first frame of another process, and
// truncated ones, do not count.
func TestMergeAlignsWhatIsCompared(t *testing.T) {
	base := gallery("gallery", "render_service", 20, 20, func(int) int { return 5 })
	base.frame(analyzer.ApplicationFrame, base.process(1, "other"), 500, 5)
	new := gallery("gallery", "render_service", 20, 20, func(int) int { return 5 })
	new.Frames[0].Facts = analyzer.Truncated // the application's next is at 1020, the render service's first at 1010
	d := compare(t, base.side("base"), new.side("new"), Options{})
	m := d.manifest().Content
	if m.TraceTime.File != "new.pftrace" || m.Files[0].Clocks == nil || m.Files[0].Clocks.Offset != 10*ms {
		t.Errorf("manifest %+v, with clocks %+v", m, m.Files[0].Clocks)
	}
	d = compare(t, base.side("base"), new.side("new"), Options{Process: func(p *analyzer.Process) bool { return p.Name == "gallery" }})
	if m := d.manifest().Content; m.Files[0].Clocks.Offset != 20*ms {
		t.Errorf("clocks %+v", m.Files[0].Clocks)
	}
	// Where a trace has no complete frame of a process, the other's do not count.
	for _, f := range new.Frames {
		if f.Kind == analyzer.ApplicationFrame {
			f.Facts = analyzer.Truncated
		}
	}
	d = compare(t, base.side("base"), new.side("new"), Options{})
	if m := d.manifest().Content; len(d.Pairs) != 2 || m.TraceTime.File != "base.pftrace" || m.Files[1].Clocks.Offset != 0 {
		t.Errorf("%d pairs, manifest %+v", len(d.Pairs), m)
	}
	// Nothing needs to be moved.
	d = compare(t, before(), after(), Options{})
	if m := d.manifest().Content; m.TraceTime.File != "base.pftrace" || m.Files[1].Clocks.Offset != 0 {
		t.Errorf("manifest %+v", m)
	}
}

// A trace with an unknown clock would not be moved.
func TestMergeTellsClocks(t *testing.T) {
	base, new := before(), after()
	new.Timeline.Wall = analyzer.WallClock{At: at(1000), Unix: 1}
	d := compare(t, base, new, Options{})
	packet, err := proto.Marshal(&perfettopb.Trace{Packet: []*perfettopb.TracePacket{{Timestamp: proto.Uint64(1)}}})
	if err != nil {
		t.Fatal(err)
	}
	list := members(t, merge(t, d, bytesOf(packet), bytesOf(packet)))
	readManifest(t, list)
	if !bytes.Equal(list["new.pftrace"], packet) {
		t.Error("a trace that tells its clock is not as it was")
	}
	got := &perfettopb.Trace{}
	if err := proto.Unmarshal(list["base.pftrace"], got); err != nil {
		t.Fatal(err)
	}
	clocks := got.Packet[0].GetClockSnapshot().GetClocks()
	if len(got.Packet) != 2 || len(clocks) != 1 || clocks[0].GetClockId() != 6 || clocks[0].GetTimestamp() != 1_000_000_000 || got.Packet[1].GetTimestamp() != 1 {
		t.Errorf("packets %v", got.Packet)
	}
}

func TestMergeHostileNames(t *testing.T) {
	base, new := before(), after()
	base.Name = "../\x00\"},{\"a\":\"" + strings.Repeat("x", 300)
	new.Name = "/"
	d := compare(t, base, new, Options{})
	m := readManifest(t, members(t, merge(t, d, bytesOf([]byte("a")), bytesOf([]byte("b")))))
	if m.Files[0].Machine.Name != "base: "+base.Name[3:] || m.Files[1].Machine.Name != "new: /" {
		t.Errorf("machines %q and %q", m.Files[0].Machine.Name, m.Files[1].Machine.Name)
	}
}

func TestMergeErrors(t *testing.T) {
	d := compare(t, before(), after(), Options{})
	broken := errors.New("broken")
	calls := 0
	for name, trace := range map[string]Trace{
		"cannot be read":         {Write: func(io.Writer) error { return broken }},
		"cannot be read again":   {Write: func(io.Writer) error { calls++; return map[bool]error{true: broken}[calls > 1] }},
		"is shorter when read":   {Write: growing(-1)},
		"is longer when written": {Write: growing(1)},
	} {
		err := d.Merge(io.Discard, bytesOf([]byte("a")), trace)
		if err == nil || strings.Contains(name, "cannot") && !errors.Is(err, broken) {
			t.Errorf("a trace that %s: error %v", name, err)
		}
	}
	if err := d.Merge(failing{}, bytesOf([]byte("a")), bytesOf([]byte("b"))); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
	// A trace that somebody writes to has another size when it is read again.
	for _, sizes := range [][2]int{{3, 5}, {5, 3}, {0, 1}, {1, 0}} {
		read := 0
		changing := Trace{Write: func(w io.Writer) error {
			_, err := w.Write(make([]byte, sizes[read]))
			read++
			return err
		}}
		err := d.Merge(io.Discard, changing, bytesOf([]byte("b")))
		if want := "base.pftrace: the trace changed while it was read"; err == nil || err.Error() != want {
			t.Errorf("%v bytes: got %v, want %s", sizes, err, want)
		}
	}
}

// growing writes another number of bytes each time.
func growing(by int) func(io.Writer) error {
	size := 10
	return func(w io.Writer) error {
		_, err := w.Write(make([]byte, size))
		size += by
		return err
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
