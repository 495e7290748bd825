package record

import (
	"errors"
	"path/filepath"
	"testing"

	"ohframe/internal/record/hdc"
)

// A trace that does not fit is not fetched: hdc is not even started. It stays on the device.
func TestReceiveNoSpace(t *testing.T) {
	dir := t.TempDir()
	if freeSpace(dir) <= 0 {
		t.Skip("the free space is unknown")
	}
	s := &Session{r: &Recorder{Client: &hdc.Client{Path: filepath.Join(dir, "none")}}, kept: true}
	_, err := s.Receive(t.Context(), "/data/local/tmp/ohframe-01234567/t.ftrace", 1<<62, filepath.Join(dir, "x.ftrace"), nil)
	if !errors.Is(err, hdc.ErrSpace) || !s.kept {
		t.Errorf("got %v, kept %t", err, s.kept)
	}
}
