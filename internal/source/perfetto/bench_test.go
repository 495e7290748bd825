package perfetto_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/slow"
)

// androidTrace returns about 16 MB as a phone records them, half in bundles of
// scheduling events of 60 KB and half in packets of a hundred bytes, with a
// frame timeline of four layers at 120 Hz over five seconds.
func androidTrace() []byte {
	var r recording
	bundle := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), make([]byte, 60<<10))
	small := proto.Clone(&pb.TracePacket{
		Timestamp: proto.Uint64(ms(1)), SequenceFlags: proto.Uint32(2),
		OptionalTrustedPacketSequenceId: &pb.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: 7},
		Data: &pb.TracePacket_TrackEvent{TrackEvent: &pb.TrackEvent{
			TrackUuid: proto.Uint64(1 << 60), Type: pb.TrackEvent_TYPE_SLICE_BEGIN.Enum(),
			NameField: &pb.TrackEvent_Name{Name: "a slice whose name is as long as they tend to be, of some sixty"},
		}},
	}).(*pb.TracePacket)
	r.packet(processTree())
	for i := range int64(600) {
		at := 8.333 * float64(i)
		for layer := range int64(4) {
			r.surface(i*10+2*layer, 2*i, 2*i+1, app, fmt.Sprintf("TX - layer#%d", layer), [2]float64{at, at + 16}, [2]float64{at + 1, at + 12}, fine)
		}
		r.display(i*10+8, 2*i+1, [2]float64{at + 12, at + 24}, [2]float64{at + 12, at + 24}, fine)
		for len(r.bytes) < int(i+1)*27_000 {
			if i%5 == 0 && len(r.bytes) < int(i)*27_000+13_000 {
				r.raw(bundle)
			}
			r.packet(small)
		}
	}
	return r.bytes
}

// many repeats a trace's packets that are no frames until there are as many bytes.
func many(b []byte, size int64) io.Reader {
	var readers []io.Reader
	readers = append(readers, bytes.NewReader(b))
	var other recording
	for rest := b; len(rest) > 0; {
		_, _, n := protowire.ConsumeField(rest)
		if !bytes.Contains(rest[:min(n, 24)], []byte{0xe2, 0x04}) { // the tag of field 76
			other.bytes = append(other.bytes, rest[:n]...)
		}
		rest = rest[n:]
	}
	for n := int64(len(b)); n < size; n += int64(len(other.bytes)) {
		readers = append(readers, bytes.NewReader(other.bytes))
	}
	return io.MultiReader(readers...)
}

func BenchmarkRead(b *testing.B) {
	trace := androidTrace()
	for name, data := range map[string][]byte{"plain": trace, "compressed": compressed(trace)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(trace)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := perfetto.Read(b.Context(), bytes.NewReader(data), perfetto.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("1 GB", func(b *testing.B) {
		b.SetBytes(1 << 30)
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := perfetto.Read(b.Context(), many(trace, 1<<30), perfetto.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Memory is the frames' and a buffer's, however much else there is.
func TestMemory(t *testing.T) {
	slow.SkipRace(t)
	trace := androidTrace()
	allocated := func(size int64) uint64 {
		r := many(trace, size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, _, err := perfetto.Read(t.Context(), r, perfetto.Options{}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := allocated(0), allocated(256<<20)
	if large > small+1<<20 {
		t.Errorf("%d bytes allocated for %d of trace, %d for 256 MiB with the same frames", small, len(trace), large)
	}
}
