package place_test

import (
	"bytes"
	"os"
	"testing"

	"ohframe/internal/place"
	"ohframe/internal/testing/must"
)

// checkStem compares the key of a label with those of other labels with its stem.
func checkStem(t *testing.T, label []byte) bool {
	t.Helper()
	stem, ok := place.Stem(label)
	if !ok {
		return false
	}
	if !bytes.HasPrefix(label, stem) {
		t.Fatalf("%q: its stem is %q", label, stem)
	}
	want := place.AppendKey(nil, label)
	for _, rest := range []string{"", "7", "12345", " ", " name", "x", "x9", "]", "Row]", "[Row]", "::f", ": 5", ":\"a\"", "=3", ", rate:5", " <1>", "/usr", " H:x", "-1", "é", "(1)", " A::b(int)", "] A::b(int)", "a]"} {
		other := append(bytes.Clone(stem), rest...)
		if same, ok := place.Stem(other); !ok || !bytes.Equal(same, stem) {
			continue
		}
		if got := place.AppendKey(nil, other); !bytes.Equal(got, want) {
			t.Errorf("%q has the key %q, but %q with the same stem has %q", label, want, other, got)
		}
	}
	return true
}

// All labels with a stem have the same key: of the table's and of a real mix.
func TestStem(t *testing.T) {
	for label, want := range map[string]string{
		"Acquire Fence 3402 has signaled":            "Acquire Fence 3",
		"MarshRSTransactionData cmdCount: 8 flag:[]": "MarshRSTransactionData cmdCount: 8",
		"UIVsyncTask[timestamp:1][vsyncID:2]":        "UIVsyncTask[timestamp:",
		"CreateTaskMeasure[List][self:7]":            "CreateTaskMeasure[List]",
		"CreateTaskMeasure[List_2][self:7]":          "",
		"draw[Video":                                 "",
		"Lock contention on a lock (owner tid: 7)":   "Lock contention on a lock (o",
		"std::function<void (int)> A::b(int)":        "",
		"f (anonymous namespace)::g(int)":            "",
		"virtual int A::b(int)":                      "",
		"Resize 12 A::b(int)":                        "",
		"Draw[Row] (7)":                              "Draw[Row]",
		"Resize[12, 7]":                              "Resize[1",
		"FlushLayoutTask":                            "",
		"H264Decoder 5":                              "",
		"OnVsyncEvent now:5":                         "OnVsyncEvent now:5",
		"f(int) 5":                                   "",
		"H:name 5":                                   "",
		"3DScene":                                    "",
		"":                                           "",
	} {
		stem, ok := place.Stem([]byte(label))
		if ok != (want != "") || ok && string(stem) != want {
			t.Errorf("%q: %q, %t, want %q", label, stem, ok, want)
		}
	}
	text := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	stems := 0
	for line := range bytes.Lines(text) {
		if _, name, ok := bytes.Cut(line, []byte("|H:")); ok && checkStem(t, bytes.TrimSpace(name)) {
			stems++
		}
	}
	if stems < 100 {
		t.Errorf("%d labels of the demo have stems", stems)
	}
}

func FuzzStem(f *testing.F) {
	for _, label := range []string{"Acquire Fence 3", "a[1", "Create[1]", "UnMarsh RSTransactionData: recv data from 7", "CustomNodeUpdate name: 7", "a name:x7", "a/7", "a ://b 7", "A name=7,", "Create[List][self:7]", "UI[timestamp:1]", "Lock (owner tid: 7)", "f (anonymous namespace)::g(int)", "void (int)> A::b(int)", "a[B](1)"} {
		f.Add([]byte(label))
	}
	f.Fuzz(func(t *testing.T, label []byte) { checkStem(t, label) })
}

// Names that differ only in the numbers at the ends of their words become one.
func TestNumberless(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "LoadPage": "LoadPage", "Step3": "Step*", "Step12 name3": "Step* name*", "CreateTaskMeasure[List1]": "CreateTaskMeasure[List*]",
		"H264Decode": "H264Decode", "7": "*", "Scale2x2": "Scale2x*", "a1_22": "a*_*", "Bild 3 größer": "Bild * größer",
	} {
		must.Equal(t, place.Numberless(name), want, "%q", name)
	}
}
