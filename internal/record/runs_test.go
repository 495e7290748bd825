//go:build unix

package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
	"ohframe/internal/testing/must"
)

// batteries is an hdc whose device has one temperature, in tenths of a degree, after the other.
func batteries(t *testing.T, temperatures ...int) *hdc.Client {
	t.Helper()
	script := "#!/bin/sh\ncd " + hdc.Quote(t.TempDir()) + "\nfor last; do :; done\necho >>calls\nset -- " + strings.Trim(fmt.Sprint(temperatures), "[]") +
		"\nshift $(($(wc -l <calls) - 1))\necho; echo '=ohframe= battery'\necho \"temperature: $1\"\neval \"${last##*; }\"\n"
	path := filepath.Join(t.TempDir(), "hdc")
	must.Do(t, os.WriteFile(path, []byte(script), 0o777))
	return &hdc.Client{Path: path, Limit: time.Minute}
}

// What is waited for is said once, also if the temperature stays the same.
func TestCoolSaysOnce(t *testing.T) {
	var said []string
	progress := 0
	h := &Host{Say: func(e Event) { said = append(said, e.Text) }, Progress: func(string) { progress++ }}
	r := &runs{
		recorder: &recorder{
			Options: Options{Wait: time.Hour}, Host: h, client: batteries(t, 350, 350, 345, 350, 340),
			facts: &device.Facts{Device: meta.Device{Temperature: 35}},
		},
		first: 31, interval: time.Millisecond,
	}
	problem, err := r.cool(t.Context())
	if err != nil || problem != "" || progress != 5 {
		t.Fatalf("%q, %v, %d readings shown, want 5", problem, err, progress)
	}
	if len(said) != 2 || said[0] != "Waiting up to 1h for the device to cool from 35.0 to 34.0 °C" || !strings.Contains(said[1], "has cooled to 34.0") {
		t.Errorf("said %q", said)
	}
}

// A cold run before a repeated one repeats nothing.
func TestSayRun(t *testing.T) {
	var said []string
	r := &runs{recorder: &recorder{Options: Options{Compare: make([]Side, 2)}, Host: &Host{Say: func(e Event) { said = append(said, e.Text) }}}, sides: []Side{{Name: "base"}, {Name: "new"}}}
	r.sayRun(1, 2, 0, true)
	r.sayRun(2, 2, 1, false)
	r.sayRun(3, 2, 0, true)
	r.sayRun(4, 2, 0, false)
	want := []string{
		"Run 1 of 2: base (cold, does not count)", "Run 2 of 2: new",
		"Run 3: base (cold, does not count)", "Run 4, which repeats an invalid one: base",
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q\nwant %q", said, want)
	}
}

// Without --drive no program is waited for.
func TestAwaitDrive(t *testing.T) {
	for program, want := range map[string]int{"": 0, "/swipe": 1} {
		shown := 0
		r := &recorder{Options: Options{Drive: program}, Host: &Host{Progress: func(string) { shown++ }}}
		d := drive{done: make(chan error, 1)}
		d.done <- os.ErrClosed
		if err := r.awaitDrive(d); err != os.ErrClosed || shown != want {
			t.Errorf("--drive %q: %v, shown %d times, want %d", program, err, shown, want)
		}
	}
}
