package serve

import (
	"strings"
	"testing"
)

// The reminder says what to open, and to allow if the page was opened.
func TestReminder(t *testing.T) {
	const start = "http://127.0.0.1:9001/secret"
	if got := reminder(false, "https://ui.example.com", start); !strings.Contains(got, "open "+start) || strings.Contains(got, "allow") {
		t.Errorf("not opened: %q", got)
	}
	if got := reminder(true, "https://ui.example.com", start); !strings.Contains(got, "open "+start) || !strings.Contains(got, "allow") || !strings.Contains(got, "https://ui.example.com") {
		t.Errorf("opened: %q", got)
	}
}
