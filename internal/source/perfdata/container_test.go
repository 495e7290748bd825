package perfdata_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/simulate/rawfile"
)

// A recording has the same samples as it is, compressed, in an archive, and as a part of a
// hiprofiler trace.
func TestContainers(t *testing.T) {
	plain := app(perffile.Sample(false, 7, 0x500000, 10, 10, 1, 0, 1, nil)).Bytes()
	var packed, archive bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(plain); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	a := zip.NewWriter(&archive)
	if w, err := a.Create("perf.data"); err != nil {
		t.Fatal(err)
	} else if _, err := w.Write(plain); err != nil || a.Close() != nil {
		t.Fatal(err)
	}
	events := []rawfile.Event{{Comm: "a", TID: 10, PID: 10, Time: 5e9, Name: "print", Args: "I|10|a"}}
	for _, killed := range []bool{false, true} {
		part, _ := rawfile.Htrace(events, rawfile.HtraceOptions{Recording: plain})
		if killed { // the length of the last part was never written
			copy(part[len(part)-len(plain)-1024+8:], make([]byte, 8))
		}
		for name, file := range map[string][]byte{"plain": plain, "gzip": packed.Bytes(), "zip": archive.Bytes(), "part": part} {
			t.Run(fmt.Sprint(name, killed), func(t *testing.T) { checkContainer(t, file, name == "part") })
		}
	}
}

func checkContainer(t *testing.T, file []byte, inTrace bool) {
	content := must.Get(unpack.Open(context.Background(), bytes.NewReader(file), unpack.Options{}))(t)
	defer content.Close()
	if got := perfdata.Sniff(content.Head()); got == inTrace {
		t.Errorf("recognised as a recording: %t", got)
	}
	in, size := must.Get2(content.File("recording"))(t)
	if inTrace {
		traced := must.Get(binarytrace.Open(in, size, binarytrace.Options{}))(t)
		parts := traced.Recordings()
		if len(parts) != 1 {
			t.Fatalf("recordings %v", parts)
		}
		in, size = io.NewSectionReader(in, parts[0].At, parts[0].Size), parts[0].Size
	}
	r := must.Get(perfdata.Open(in, size, perfdata.Options{}))(t)
	var s sample.Sample
	must.Do(t, r.Next(&s))
	must.Equal(t, damaged(r.Warnings()), false, "damaged")
	must.EqualSlices(t, describe(r.Profile(), []sample.Sample{s}), []string{"1 10/10 cpu0 1 libapp.so:app::main()"})
}
