package perfetto_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/diff"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// ofMachine returns the packets of a trace as those of a machine.
func ofMachine(t *testing.T, r io.Reader, machine uint32) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Get(io.Copy(perfetto.NewMachineWriter(&out, machine), r))(t)
	return out.Bytes()
}

// Packets get a machine, whether they are compressed or not, and in whatever parts they are written. Damage is left out.
func TestMachineWriter(t *testing.T) {
	var r recording
	var want []byte
	for i := range 3 {
		content := must.Get(proto.Marshal(&pb.TracePacket{Timestamp: proto.Uint64(uint64(i) << 40)}))(t)
		r.raw(content)
		content = protowire.AppendVarint(protowire.AppendTag(content, 98, protowire.VarintType), 7)
		want = protowire.AppendBytes(protowire.AppendTag(want, 1, protowire.BytesType), content)
	}
	whole := r.bytes
	malformed := append(protowire.AppendBytes([]byte{0o12}, []byte{0xff}), whole...)
	for name, in := range map[string][]byte{
		"whole": whole, "zlib": compressed(whole), "zstd": zstdCompressed(whole), "cut": append(bytes.Clone(whole), 0o12, 100, 1),
		"garbage": append(append(bytes.Clone(whole), "garbage"...), whole...), "malformed": malformed,
		"compressed twice": append(compressed(compressed(whole)), whole...), "cut in zlib": compressed(append(bytes.Clone(whole), 0o12, 9)),
	} {
		if got := ofMachine(t, bytes.NewReader(in), 7); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
		if got := ofMachine(t, iotest.OneByteReader(bytes.NewReader(in)), 7); !bytes.Equal(got, want) {
			t.Errorf("%s, byte by byte: %x, want %x", name, got, want)
		}
	}
	must.Equal(t, string(ofMachine(t, bytes.NewReader(compressed(whole)), 0)), string(whole), "packets of the host")
	for _, in := range [][]byte{want, compressed(want)} {
		if _, err := perfetto.NewMachineWriter(io.Discard, 1).Write(in); !errors.Is(err, perfetto.ErrSeveralMachines) {
			t.Errorf("packets of a machine: %v", err)
		}
	}
}

// Android and OpenHarmony merged have what each has alone, at times that differ by one shift, by which their first
// frames begin together, and Perfetto loses nothing.
func TestMergedAndroid(t *testing.T) {
	enginetest.ForTest(t)
	scene, _ := androidScene(t, simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.CauseMix, Seed: 1})
	androids := [][]byte{scene, compressed(scene), onlyFrames(t, scene)}
	if recorded, err := os.ReadFile("../../../../shared/traces/android/api32_startup_warm.perfetto-trace"); err == nil {
		androids = append(androids, recorded)
	}
	for i, android := range androids {
		for j, name := range []string{"demo.ftrace", "flings.ftrace.gz", "captures/harmonyos-6.1-video-90hz.ftrace"} {
			if i%3 != j && !slow.Enabled() {
				continue
			}
			t.Run(fmt.Sprint(i, " and ", name), func(t *testing.T) {
				sides := [2][]byte{android, convertedFile(t, "../../../testdata/"+name)}
				checkMerged(t, sides)
				if slow.Enabled() {
					checkMerged(t, [2][]byte{sides[1], sides[0]})
				}
			})
		}
	}
}

func convertedFile(t *testing.T, path string) []byte {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	text := io.Reader(file)
	if strings.HasSuffix(path, ".gz") {
		text = must.Get(gzip.NewReader(file))(t)
	}
	var out bytes.Buffer
	must.Get(pftrace.Convert(t.Context(), text, &out, pftrace.Options{}))(t)
	return out.Bytes()
}

// onlyFrames returns the frame timeline of a trace and its names of processes.
func onlyFrames(t *testing.T, packets []byte) []byte {
	t.Helper()
	read := &pb.Trace{}
	must.Do(t, proto.Unmarshal(packets, read))
	kept := &pb.Trace{}
	for _, p := range read.Packet {
		if p.GetFrameTimelineEvent() != nil || p.GetProcessTree() != nil {
			kept.Packet = append(kept.Packet, p)
		}
	}
	return must.Get(proto.Marshal(kept))(t)
}

// compared compares the frames of two converted traces.
func compared(t *testing.T, sides [2][]byte) *diff.Diff {
	t.Helper()
	var list [2]diff.Side
	for i, packets := range sides {
		timeline, _ := must.Get2(readTimeline(t.Context(), bytes.NewReader(packets), perfetto.Options{}))(t)
		list[i] = diff.Side{Name: "trace", Timeline: timeline, Stats: stats.Compute(timeline, stats.Options{Compare: true})}
	}
	return must.Get(diff.Compare(list[0], list[1], diff.Options{}))(t)
}

func checkMerged(t *testing.T, sides [2][]byte) {
	t.Helper()
	d := compared(t, sides)
	var alone [2]engine.Table
	for i, packets := range sides {
		alone[i] = contentOf(t, enginetest.Load(t, packets), 0, 0)
	}
	var archive bytes.Buffer
	write := func(i int) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(sides[i]); return err }
	}
	must.Do(t, d.Merge(&archive, write(0), write(1)))
	session := enginetest.Load(t, archive.Bytes())
	enginetest.CheckGate(t, session)
	first := [2]trace.Time{}
	for i := range first { // render_service and surfaceflinger are a pair
		for _, p := range d.Pairs {
			if from := []*stats.Process{p.Base, p.New}[i].Observed.From; !first[i].Known() || from < first[i] {
				first[i] = from
			}
		}
	}
	fixed := 0
	if first[1] > first[0] {
		fixed = 1
	}
	must.Equal(t, contentOf(t, session, 0, 0).String(), alone[fixed].String(), "the trace that stays")
	must.Equal(t, contentOf(t, session, 1, int64(first[fixed].Sub(first[1-fixed]))).String(), alone[1-fixed].String(), "the trace that is shifted")
}

// contentOf returns how many rows of each kind a machine has, and sums of their times less a shift.
func contentOf(t *testing.T, session *engine.Session, machine int, shift int64) engine.Table {
	t.Helper()
	var all []string
	for _, kind := range []string{
		"actual_frame_timeline_slice JOIN process USING (upid)", "expected_frame_timeline_slice JOIN process USING (upid)",
		"slice JOIN (SELECT id AS track_id, machine_id FROM track) USING (track_id)", "thread_state JOIN thread USING (utid)",
		"counter JOIN (SELECT id AS track_id, machine_id FROM track) USING (track_id)",
	} {
		all = append(all, fmt.Sprintf("SELECT '%s' AS kind, count() AS n, min(ts) - %d AS first, max(ts) - %[2]d AS last, sum((ts - %[2]d) %% 1000003) AS times FROM %[1]s WHERE machine_id = %[3]d", kind, shift, machine))
	}
	return enginetest.Query(t, session, strings.Join(all, " UNION ALL "))
}

// A scene that both systems recorded differs in nothing that is measured by the same rules, and each side has its
// jank, by rules of its own.
func TestSameScene(t *testing.T) {
	for i, hz := range []int{60, 90, 120} {
		scene := simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.CauseMix, Seed: uint64(i), RefreshHz: hz}
		android, _ := androidScene(t, scene)
		var text, ours bytes.Buffer
		must.Get(scene.Generate(&text))(t)
		must.Get(pftrace.Convert(t.Context(), &text, &ours, pftrace.Options{}))(t)
		for _, android := range [][]byte{android, onlyFrames(t, android)} {
			var document bytes.Buffer
			must.Do(t, diff.Write(&document, compared(t, [2][]byte{android, ours.Bytes()}), "json", diff.WriteOptions{}))
			var d struct {
				Processes []struct {
					RulesDiffer    bool `json:"rules_differ"`
					RefreshDiffers bool `json:"refresh_differs"`
					Measures       []struct {
						Measure          string
						Base, New, Delta *float64
					}
				}
			}
			must.Do(t, json.Unmarshal(document.Bytes(), &d))
			must.Equal(t, len(d.Processes), 2, "processes")
			for _, p := range d.Processes {
				must.Equal(t, p.RulesDiffer && !p.RefreshDiffers, true, "the rules differ, the refresh rates do not")
				same := 0
				for _, m := range p.Measures {
					switch m.Measure {
					case "fps", "fps_of_refresh", "fps_all", "idle_share", "hitch_ratio", "longest_hitch_ms", "vsync_to_present_p50_ms", "vsync_to_present_p95_ms":
						same++
						if m.Delta == nil || math.Abs(*m.Delta) > 0.01 {
							t.Errorf("%d Hz: %s changed by %v", hz, m.Measure, m.Delta)
						}
					case "jank_rate":
						same++
						if m.Base == nil || m.New == nil || *m.Base != *m.New || m.Delta != nil {
							t.Errorf("%d Hz: jank rates %v and %v, change %v", hz, m.Base, m.New, m.Delta)
						}
					}
				}
				must.Equal(t, same, 9, "measures")
			}
		}
	}
}

// The exporter's tracks that belong to no process have the label in their names, others do not.
func TestMachineLabel(t *testing.T) {
	var r recording
	for _, track := range []*pb.TrackDescriptor{
		{Uuid: proto.Uint64(1), StaticOrDynamicName: &pb.TrackDescriptor_Name{Name: "Late frames"}},
		{Uuid: proto.Uint64(2), ParentUuid: proto.Uint64(1), StaticOrDynamicName: &pb.TrackDescriptor_Name{Name: "Late frames"}},
		{Uuid: proto.Uint64(3), StaticOrDynamicName: &pb.TrackDescriptor_Name{Name: "Other"}},
	} {
		r.raw(must.Get(proto.Marshal(&pb.TracePacket{Data: &pb.TracePacket_TrackDescriptor{TrackDescriptor: track}}))(t))
	}
	for _, in := range [][]byte{r.bytes, compressed(r.bytes)} {
		var out bytes.Buffer
		w := perfetto.NewMachineWriter(&out, 1)
		w.Label = "new: b"
		must.Get(w.Write(in))(t)
		var got pb.Trace
		must.Do(t, proto.Unmarshal(out.Bytes(), &got))
		var names []string
		for _, p := range got.Packet {
			names = append(names, p.GetTrackDescriptor().GetName())
		}
		must.EqualSlices(t, names, []string{"Late frames (new: b)", "Late frames", "Other"})
	}
}
