//go:build unix

package hdc_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ohframe/internal/failure"
	"ohframe/internal/record/hdc"
	"ohframe/internal/testing/fakehdc"
)

// Contract tests run against the fake, or, if OHFRAME_HDC names a real hdc, against
// that and the device that OHFRAME_HDC_DEVICE names, or the only one.
const (
	realHDC    = "OHFRAME_HDC"
	realDevice = "OHFRAME_HDC_DEVICE"
)

func TestMain(m *testing.M) {
	if speed := os.Getenv(endless); speed != "" {
		mainEndless(speed)
		return
	}
	code := m.Run()
	fakehdc.Remove()
	os.Exit(code)
}

// withFake returns a client of the fakehdc.
func withFake(t *testing.T, c fakehdc.Config) *hdc.Client {
	t.Helper()
	program, err := fakehdc.Program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fakehdc.Write(t, dir, c)
	t.Setenv(fakehdc.Folder, dir)
	client, err := hdc.Find(t.Context(), program, 0)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// connected returns a client with a device: a real one if there is one.
func connected(t *testing.T) *hdc.Client {
	t.Helper()
	var client *hdc.Client
	if path := os.Getenv(realHDC); path != "" {
		var err error
		if client, err = hdc.Find(t.Context(), path, 0); err != nil {
			t.Fatal(err)
		}
	} else {
		client = withFake(t, fakehdc.Config{Devices: []fakehdc.Device{{Key: "FMR0224", System: "5.0"}}})
	}
	if _, err := client.Choose(t.Context(), os.Getenv(realDevice), 10*time.Second, nil); err != nil {
		t.Fatal(err)
	}
	return client
}

// remote returns the name of a file on the device, which is removed after the test.
func remote(t *testing.T, c *hdc.Client) string {
	t.Helper()
	name := fmt.Sprintf("/data/local/tmp/ohframe-test-%d", time.Now().UnixNano())
	t.Cleanup(func() { c.Shell(context.Background(), 0, "rm -f "+name) })
	return name
}

func TestContractVersion(t *testing.T) {
	if c := connected(t); c.Version == "" || c.Device == "" {
		t.Errorf("got %+v", c)
	}
}

// Scripts reach the device byte for byte.
func TestContractQuoting(t *testing.T) {
	c := connected(t)
	for _, x := range []struct {
		script, output string
		status         int
	}{
		{"echo a   b", "a b\n", 0},
		{"echo 'a   b'", "a   b\n", 0},
		{`echo "a   b"`, "a   b\n", 0},
		{`echo 'it'\''s'`, "it's\n", 0},
		{"echo " + hdc.Quote(`a 'b' "c" $d`), `a 'b' "c" $d` + "\n", 0},
		{`echo "'"`, "'\n", 0},
		{`echo '"'`, "\"\n", 0},
		{`x=1; echo "$x"; false; echo $?`, "1\n1\n", 0},
		{"echo $(echo nested `echo twice`)", "nested twice\n", 0},
		{"cat <<'E'\none $two\nE", "one $two\n", 0},
		{"printf 'no end'", "no end", 0},
		{"printf 'grün 中文\\n'", "grün 中文\n", 0},
		{"echo out; echo err >&2", "out\nerr\n", 0},
		{"exit 7", "", 7},
		{"false", "", 1},
		{"cat", "", 0},                  // standard input is at its end
		{"nosuchcommand 2>&-", "", 127}, // not an error of hdc
		{"echo '[Fail]not of hdc'", "[Fail]not of hdc\n", 0},
		{"true # a comment", "", 0},
	} {
		r, err := c.Shell(t.Context(), 0, x.script)
		if err != nil || r.Output != x.output || r.Status != x.status {
			t.Errorf("%s\n got %q, %d, %v\nwant %q, %d", x.script, r.Output, r.Status, err, x.output, x.status)
		}
	}
}

// A process in the background survives the call, which does not wait for it.
func TestContractDetached(t *testing.T) {
	c := connected(t)
	file := remote(t, c)
	start := time.Now()
	r, err := c.Shell(t.Context(), 0, fmt.Sprintf("setsid sh -c 'sleep 1; echo done >%s' </dev/null >/dev/null 2>&1 &\necho $!", file))
	if err != nil || strings.TrimSpace(r.Output) == "" {
		t.Fatalf("got %q, %v", r.Output, err)
	}
	if took := time.Since(start); took > 900*time.Millisecond {
		t.Skipf("the call took %s, the process may have ended", took)
	}
	waitForFile(t, c, file)
}

// What a list of commands does goes on after hdc was killed.
func TestContractKilled(t *testing.T) {
	c := connected(t)
	file := remote(t, c)
	if _, err := c.Shell(t.Context(), 300*time.Millisecond, "sleep 1; echo done >"+file); !errors.Is(err, hdc.ErrTimeout) {
		t.Fatalf("got %v", err)
	}
	waitForFile(t, c, file)
}

func waitForFile(t *testing.T, c *hdc.Client, file string) {
	t.Helper()
	for range 300 {
		if r, err := c.Shell(t.Context(), 0, "cat "+file+" 2>/dev/null"); err == nil && r.Output == "done\n" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s does not appear", file)
}

func TestContractReceive(t *testing.T) {
	c := connected(t)
	file := remote(t, c)
	const size = 200_000
	r, err := c.Shell(t.Context(), 0, fmt.Sprintf("head -c %d /dev/urandom >%s; sha256sum <%s | cut -c 1-64", size, file, file))
	if err != nil {
		t.Fatal(err)
	}
	local := filepath.Join(t.TempDir(), "with blanks")
	if err := c.Receive(t.Context(), 0, file, local, size, nil); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(local)
	if err != nil {
		t.Fatal(err)
	}
	if got := sum(content); got != strings.TrimSpace(r.Output) {
		t.Errorf("checksum %s, on the device %s", got, r.Output)
	}
	if err := c.Receive(t.Context(), 0, file, local, size+1, nil); !errors.Is(err, hdc.ErrTransfer) {
		t.Errorf("another size: got %v", err)
	}
	if _, err := os.Stat(local); !os.IsNotExist(err) {
		t.Error("a file of the wrong size is left")
	}
	if err := c.Receive(t.Context(), 0, file+"-none", local, 1, nil); !errors.Is(err, hdc.ErrTransfer) {
		t.Errorf("missing file: got %v", err)
	}
	if _, err := os.Stat(local); !os.IsNotExist(err) {
		t.Error("a file is left")
	}
}

func TestContractUnknownKey(t *testing.T) {
	c := connected(t)
	if _, err := c.Choose(t.Context(), "nosuchkey", time.Millisecond, nil); !errors.Is(err, hdc.ErrNoDevice) {
		t.Errorf("Choose: got %v", err)
	}
	c.Device = "nosuchkey"
	if _, err := c.Shell(t.Context(), 0, "echo hello"); !errors.Is(err, hdc.ErrNoDevice) {
		t.Errorf("Shell: got %v", err)
	}
}

// Errors of hdc that a real device does not make at will.
func TestErrors(t *testing.T) {
	device := func(state string) []fakehdc.Device { return []fakehdc.Device{{Key: "A", System: "5.0", State: state}} }
	old := func(state string) []fakehdc.Device { return []fakehdc.Device{{Key: "A", System: "3.2", State: state}} }
	answer := func(text string) fakehdc.Config {
		return fakehdc.Config{Devices: device(""), Faults: []fakehdc.Fault{{On: "shell", Do: "say", Text: text}}}
	}
	for name, x := range map[string]struct {
		config fakehdc.Config
		want   error
	}{
		"no device":        {fakehdc.Config{}, hdc.ErrNoDevice},
		"offline":          {fakehdc.Config{Devices: device("Offline")}, hdc.ErrLost},
		"offline, old":     {fakehdc.Config{Devices: old("Offline")}, hdc.ErrLost},
		"unauthorized":     {fakehdc.Config{Devices: device("Unauthorized")}, hdc.ErrUnauthorized},
		"denied":           {fakehdc.Config{Devices: device("Denied")}, hdc.ErrRefused},
		"no server":        {fakehdc.Config{NoServer: true}, hdc.ErrServer},
		"lost":             {fakehdc.Config{Devices: device(""), Faults: []fakehdc.Fault{{On: "shell", Do: "lost"}}}, hdc.ErrLost},
		"cut":              {answer("half of the out"), hdc.ErrLost},
		"connecting":       {answer("[Fail][E000004]:The communication channel is being established.\r\n"), hdc.ErrConnecting},
		"old hdc":          {answer("[Fail][E000001]:The sdk hdc.exe version is too low, please upgrade to the latest version.\r\n"), hdc.ErrRefused},
		"keys":             {answer("[Fail][E000008]:Bad key\r\n"), hdc.ErrRefused},
		"daemon":           {answer("[Fail]Failed to communicate with daemon\r\n"), hdc.ErrLost},
		"dead":             {answer("[Fail]Bind tartget session is dead\r\n"), hdc.ErrLost},
		"unknown":          {answer("[Fail][E007777] Something\r\n"), hdc.ErrRefused},
		"zero byte":        {fakehdc.Config{Devices: device("")}, hdc.ErrLost},
		"too long for hdc": {fakehdc.Config{Devices: device("")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := withFake(t, x.config)
			script := "echo hello"
			switch name {
			case "zero byte":
				script = `printf 'a\0b'`
			case "too long for hdc":
				script = "# " + strings.Repeat("x", 120_000)
			}
			_, err := c.Shell(t.Context(), 0, script)
			if err == nil || x.want != nil && !errors.Is(err, x.want) {
				t.Fatalf("got %v, want %v", err, x.want)
			}
			if f := (*failure.Error)(nil); x.want != nil && (!errors.As(err, &f) || f.What == "") {
				t.Errorf("%v has no words", err)
			}
		})
	}
}

// A call ends with its context.
func TestCancelled(t *testing.T) {
	c := withFake(t, fakehdc.Config{Devices: []fakehdc.Device{{Key: "A"}}, Faults: []fakehdc.Fault{{On: "shell", Do: "hang"}}})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("because")
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	if _, err := c.Shell(ctx, 0, "echo hello"); err != why {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	program, err := fakehdc.Program()
	if err != nil {
		t.Fatal(err)
	}
	good, bad, empty := t.TempDir(), t.TempDir(), t.TempDir()
	fakehdc.Write(t, good, fakehdc.Config{Version: "3.2.0b"})
	fakehdc.Write(t, bad, fakehdc.Config{Version: "none"})
	sdk := filepath.Join(t.TempDir(), "12", "toolchains")
	if err := os.MkdirAll(sdk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(sdk, "hdc")); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, explicit  string
		hdc, path, root string // variables
		world           string
		version         string // empty: ErrMissing
	}{
		{"given", program, "", empty, "", good, "3.2.0b"},
		{"given folder", filepath.Dir(program), "", empty, "", good, "3.2.0b"},
		{"variable", "", program, empty, "", good, "3.2.0b"},
		{"PATH", "", "", filepath.Dir(program), "", good, "3.2.0b"},
		{"SDK", "", "", empty, filepath.Dir(filepath.Dir(sdk)), good, "3.2.0b"},
		{"given, missing", filepath.Join(empty, "hdc"), "", filepath.Dir(program), "", good, ""},
		{"nowhere", "", "", empty, "", good, ""},
		{"something else", "", "", filepath.Dir(program), "", bad, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			for variable, value := range map[string]string{"HDC": x.hdc, "PATH": x.path, "OHOS_SDK_HOME": x.root, "HOME": empty, fakehdc.Folder: x.world,
				"DEVECO_SDK_HOME": "", "HOS_SDK_HOME": "", "OHOS_BASE_SDK_HOME": ""} {
				t.Setenv(variable, value)
			}
			c, err := hdc.Find(t.Context(), x.explicit, 0)
			if x.version == "" {
				if !errors.Is(err, hdc.ErrMissing) {
					t.Errorf("got %v, %v", c, err)
				}
			} else if err != nil || c.Version != x.version {
				t.Errorf("got %v, %v", c, err)
			}
		})
	}
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}
