package hdc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ohframe/internal/testing/must"
)

func TestParseDevices(t *testing.T) {
	for answer, want := range map[string][]Device{
		"[Empty]\n":      nil,
		"[Empty]\thdc\n": nil,
		"":               nil,
		"FMR0\t\tUSB\tConnected\tlocalhost\thdc\n": {{"FMR0", "USB", Connected}},
		"FMR0\t\tUSB\tConnected\tlocalhost\n127.0.0.1:5555\t\tTCP\tOffline\tlocalhost\n": {
			{"FMR0", "USB", Connected}, {"127.0.0.1:5555", "TCP", "Offline"},
		},
		"FMR0\t\tUSB\tUnauthorized\tunknown...\thdc\n": {{"FMR0", "USB", "Unauthorized"}},
		"FMR0\tUnauthorized\nFMR1\n":                   {{"FMR0", "", "Unauthorized"}, {"FMR1", "", Connected}},
		"COM3\t\tUART\tReady\n":                        {{"COM3", "UART", "Ready"}},
		"some message of hdc\n":                        nil,
	} {
		must.EqualSlices(t, parseDevices(answer), want, "%q", answer)
	}
}

func TestCompareVersions(t *testing.T) {
	list := []string{"3.1.0e", "2.0.0a", "3.1.0", "3.10.0a", "3.2.0b", "3.1.0b"}
	slices.SortFunc(list, compareVersions)
	must.EqualSlices(t, list, []string{"2.0.0a", "3.1.0", "3.1.0b", "3.1.0e", "3.2.0b", "3.10.0a"})
}

func TestParseResult(t *testing.T) {
	for output, want := range map[string]*Result{
		"hello\nEND:0\n":        {"hello\n", 0},
		"no end of lineEND:7\n": {"no end of line", 7},
		"END:1\nEND:0\n":        {"END:1\n", 0},
		"END:127\nafterwards":   {"", 127},
		"hello\nEND:12":         nil, // of 127
		"hello\nEND:":           nil,
		"hello\nEN":             nil,
		"END:x\n":               nil,
		"":                      nil,
	} {
		got, ok := parseResult(output, "END:")
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("%q: got %v, %t, want %v", output, got, ok, want)
		}
	}
}

// The result of an installation is in words, on one line or on several.
func TestCheckInstall(t *testing.T) {
	const path = "[Info]App install path:/x/a.hap, queuesize:0, msg:"
	for answer, want := range map[string]string{
		path + "install bundle successfully.\nAppMod finish\n":                                                         "",
		"[Info]App install path:/x/a.hap msg:install bundle successfully. \nAppMod finish\n":                           "",
		path + "error: failed to install bundle. code:9568332 error: install sign info inconsistent.\nAppMod finish\n": "a.hap: the device does not install it: install sign info inconsistent.",
		path + "error: failed to install bundle.\ncode:9568320\nerror: no signature file.\nAppMod finish\n":            "a.hap: the device does not install it: no signature file.",
		"Not support command\n": "a.hap: the device does not install it: Not support command",
		"":                      "the device was lost while a.hap was installed",
	} {
		got := ""
		if err := checkInstall("a.hap", answer); err != nil {
			got = err.Error()
		}
		must.Equal(t, got, want, "%q", answer)
	}
}

func TestOnBus(t *testing.T) {
	dir := t.TempDir()
	add := func(name, vendor string) {
		must.Do(t, os.MkdirAll(filepath.Join(dir, name), 0o777))
		must.Do(t, os.WriteFile(filepath.Join(dir, name, "idVendor"), []byte(vendor+"\n"), 0o666))
	}
	add("1-1", "1d6b")
	must.Equal(t, onBus(dir), "", "a hub")
	add("1-2", "12d1")
	must.Equal(t, onBus(dir), "12d1")
}

// No answer of hdc or a device makes a parser panic.
func FuzzAnswers(f *testing.F) {
	f.Add("FMR0\t\tUSB\tConnected\tlocalhost\thdc\n")
	f.Add("[Fail][E000003]:The device unauthorized.\r\n")
	f.Fuzz(func(t *testing.T, answer string) {
		for _, d := range parseDevices(answer) {
			if d.Key == "" || !slices.Contains(states, d.State) {
				t.Errorf("%q: %+v", answer, d)
			}
		}
		clean(answer)
		checkInstall("a.hap", answer)
		if err := classify(answer); err != nil && err.Error() == "" {
			t.Errorf("%q: an error without words", answer)
		}
	})
}
