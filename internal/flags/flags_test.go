package flags

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"ohframe/internal/testing/must"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "10": 10 * time.Second, "1.5": 1500 * time.Millisecond, "-3": -3 * time.Second,
		"4756.467s": 4756_467 * time.Millisecond, "-5ms": -5 * time.Millisecond, "1h2m3s": 3723 * time.Second,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5 s", "never", "auto", "1e3", "inf", "NaN", "1m30"} {
		if got, err := parseDuration(text); err == nil || !strings.Contains(err.Error(), strconv.Quote(text)) {
			t.Errorf("%q: %v, %v, want an error that names it", text, got, err)
		}
	}
	for d, want := range map[time.Duration]string{0: "", time.Minute: "1m", 5 * time.Minute: "5m", 90 * time.Second: "1m30s", 10 * time.Second: "10s", time.Hour: "1h"} {
		must.Equal(t, (*duration)(&d).String(), want, "%v", d)
	}
}
