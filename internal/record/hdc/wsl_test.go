//go:build linux

package hdc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In WSL, the hdc.exe of Windows gets names of Windows.
func TestWSL(t *testing.T) {
	tools, files := t.TempDir(), t.TempDir()
	local := filepath.Join(files, "x.part")
	script := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	script("hdc.exe", `if [ "$1" = -v ]; then echo 'Ver: 3.1.0e'; exit; fi
printf '%s\n' "$@" >`+tools+`/arguments
printf abc >`+local+`
echo 'FileTransfer finish, Size:3, File count = 1, time:1ms rate:3.00kB/s'
`)
	script("wslpath", `printf '%s' "$*" >`+tools+`/translated
printf '\\\\wsl.localhost\\Debian\\tmp\\\r\n'
`)
	t.Setenv("PATH", tools+":/usr/bin:/bin")
	t.Setenv("HDC", "")
	c, err := Find(t.Context(), "", 0)
	if err != nil || filepath.Base(c.Path) != "hdc.exe" {
		t.Fatalf("got %+v, %v", c, err)
	}
	if err := c.Receive(t.Context(), 0, "/data/local/tmp/t", local, 3, nil); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(tools, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got, want := strings.Fields(read("arguments")), `\\wsl.localhost\Debian\tmp\x.part`; got[len(got)-1] != want {
		t.Errorf("hdc gets %q, want %s", got, want)
	}
	if got, want := read("translated"), "-w "+files+"/"; got != want {
		t.Errorf("wslpath gets %q, want %q", got, want)
	}
	script("wslpath", "exit 1\n")
	if err := c.Receive(t.Context(), 0, "/data/local/tmp/t", local, 3, nil); err == nil || !strings.Contains(err.Error(), "no name for hdc.exe") {
		t.Errorf("without wslpath: %v", err)
	}
}
