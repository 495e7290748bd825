package threads

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// The names of earlier traces do not change what is said of a trace.
func TestVocabulary(t *testing.T) {
	run := func(name string, v *vocabulary) *Record {
		f := must.Get(os.Open(name))(t)
		defer f.Close()
		recorder := NewRecorder(trace.Limits{}.WithDefaults())
		recorder.vocabulary = v
		must.Get2(reconstruct.Analyze(context.Background(), f, hitrace.Options{}, reconstruct.Options{}, recorder.Sink()))(t)
		return recorder.Finish()
	}
	most := 4 * trace.Limits{}.WithDefaults().Strings
	fresh := func() *vocabulary { return emptyVocabulary(most) }
	const first, second = "../../../../testdata/demo.ftrace", "../../../../testdata/why/waits.ftrace"
	for _, pair := range [][2]string{{first, second}, {second, first}} {
		want := run(pair[1], fresh())
		used := fresh()
		run(pair[0], used)
		before := len(used.names.list)
		got := run(pair[1], used)
		if len(used.names.list) == before || before == 0 {
			t.Fatalf("%d names, then %d: the traces do not fit", before, len(used.names.list))
		}
		if !reflect.DeepEqual(got.keys.names, want.keys.names) || !reflect.DeepEqual(got.keys.places, want.keys.places) {
			t.Errorf("%s after %s: other keys", pair[1], pair[0])
		}
		if len(want.logs) == 0 || len(got.logs) != len(want.logs) {
			t.Errorf("%s after %s: logs of %d threads, want %d", pair[1], pair[0], len(got.logs), len(want.logs))
		}
	}
}

// Recorders with the same limit share a vocabulary, one after the other. One that has
// become large is not kept.
func TestVocabularyKept(t *testing.T) {
	const most = 12345 // used by no other test
	for _, test := range []struct {
		names int
		kept  bool
	}{{10, true}, {1 << 14, false}} {
		v := newVocabulary(1 << 20)
		for i := range test.names {
			v.names.add(fmt.Append(nil, i))
		}
		v.names.most = most
		v.release()
		// The pool drops some with the race detector, so only one direction is certain.
		if got := newVocabulary(most) == v; got && !test.kept {
			t.Errorf("a vocabulary of %d names is kept", test.names)
		}
		if other := newVocabulary(most + 1); other == v {
			t.Error("a vocabulary with another limit is used")
		}
	}
}
