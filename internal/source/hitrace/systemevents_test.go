package hitrace

import (
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// Lines that are too long, and those beyond the limit for all, are counted; the others are kept.
func TestSystemEvents(t *testing.T) {
	long := strings.Repeat("x", maxSystemEvent)
	var l SystemEvents
	must.Do(t, l.Read(strings.NewReader("a\r\n\n"+long+"\n"+long+"y\n"+long+long+"yz\n b ")))
	if len(l.Lines) != 3 || string(l.Lines[0]) != "a" || len(l.Lines[1]) != maxSystemEvent || string(l.Lines[2]) != "b" || l.Over != 2 {
		t.Errorf("%d lines, %d beyond the limit, want 3 and 2", len(l.Lines), l.Over)
	}
	for range maxSystemEvents / maxSystemEvent {
		l.Add([]byte(long))
	}
	if l.Over != 4 || len(l.Warnings()) != 1 {
		t.Errorf("%d beyond the limit, want 4: two bytes are of other lines", l.Over)
	}
}
