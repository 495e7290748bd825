//go:build unix

package hdc_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ohframe/internal/diag"
	"ohframe/internal/record/hdc"
	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/must"
)

// Contract tests run against the fake, or, if OHFRAME_HDC names a real hdc, against
// that and the device that OHFRAME_HDC_DEVICE names, or the only one.
const (
	realHDC    = "OHFRAME_HDC"
	realDevice = "OHFRAME_HDC_DEVICE"
	// endless makes the test binary an hdc whose answers do not end: "fast", or "slow" for
	// a line each millisecond. "whole" is an hdc that does not end after its answer.
	endless = "OHFRAME_TEST_ENDLESS"
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

// withFake returns a client of the fake hdc.
func withFake(t *testing.T, c fakehdc.Config) *hdc.Client {
	t.Helper()
	program := must.Get(fakehdc.Program())(t)
	dir := t.TempDir()
	fakehdc.Write(t, dir, c)
	t.Setenv(fakehdc.Folder, dir)
	t.Setenv("HDC", program)
	client := must.Get(hdc.Find(t.Context(), 0))(t)
	return client
}

// connected returns a client with a device: a real one if there is one.
func connected(t *testing.T) (client *hdc.Client) {
	t.Helper()
	var err error
	if path := os.Getenv(realHDC); path == "" {
		client = withFake(t, fakehdc.Config{Devices: []fakehdc.Device{{Key: "FMR0224", System: "5.0"}}})
	} else {
		t.Setenv("HDC", path)
		client, err = hdc.Find(t.Context(), 0)
		must.Do(t, err)
	}
	if err := client.Choose(t.Context(), os.Getenv(realDevice), 10*time.Second, nil); err != nil || client.Version == "" || client.Device == "" {
		t.Fatalf("got %+v, %v", client, err)
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
		{"echo " + hdc.Quote(`a 'b' "c" $d`), `a 'b' "c" $d` + "\n", 0},
		{`echo '"'`, "\"\n", 0},
		{`x=1; echo "$x"; false; echo $?`, "1\n1\n", 0},
		{"echo $(echo nested `echo twice`)", "nested twice\n", 0},
		{"cat <<'E'\none $two\nE", "one $two\n", 0},
		{"printf 'no end'", "no end", 0},
		{"printf 'grün 中文\\n'", "grün 中文\n", 0},
		{"echo out; echo err >&2", "out\nerr\n", 0},
		{"exit 7", "", 7},
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

// What a list of commands does goes on after hdc was killed.
func TestContractKilled(t *testing.T) {
	c := connected(t)
	file := remote(t, c)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	killed := make(chan error, 1)
	go func() {
		_, err := c.Shell(ctx, 0, "echo begun >"+file+"; while grep -qs begun "+file+"; do sleep 0.1; done; echo done >>"+file)
		killed <- err
	}()
	says := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			if r, err := c.Shell(t.Context(), 0, "cat "+file+" 2>/dev/null"); err == nil && r.Output == want {
				return
			}
		}
		t.Fatalf("%s never says %q", file, want)
	}
	says("begun\n")
	kill()
	if err := <-killed; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	must.Get(c.Shell(t.Context(), 0, "echo killed >"+file))(t)
	says("killed\ndone\n")
}

func TestContractReceive(t *testing.T) {
	c := connected(t)
	file, local := remote(t, c), filepath.Join(t.TempDir(), "with blanks")
	const size = 200_000
	r := must.Get(c.Shell(t.Context(), 0, fmt.Sprintf("head -c %d /dev/urandom >%s; sha256sum <%s | cut -c 1-64", size, file, file)))(t)
	receive := func(remote string, size int64) error {
		return c.Receive(t.Context(), 0, remote, local, size)
	}
	must.Do(t, receive(file, size))
	content, err := os.ReadFile(local)
	if got := fmt.Sprintf("%x", sha256.Sum256(content)); err != nil || got != strings.TrimSpace(r.Output) {
		t.Errorf("%v, checksum %s, on the device %s", err, got, r.Output)
	}
	for want, err := range map[string]error{"received 200000 of 200001 bytes": receive(file, size+1), "no such file": receive(file+"-none", 1)} {
		if _, statErr := os.Stat(local); err == nil || !strings.Contains(err.Error(), want) || !os.IsNotExist(statErr) {
			t.Errorf("got %v, want %s; a file: %v", err, want, statErr)
		}
	}
}

func TestContractUnknownKey(t *testing.T) {
	c := connected(t)
	if err := c.Choose(t.Context(), "nosuchkey", time.Millisecond, nil); !errors.Is(err, hdc.ErrNoDevice) {
		t.Errorf("Choose: got %v", err)
	}
	c.Device = "nosuchkey"
	if _, err := c.Shell(t.Context(), 0, "echo hello"); !errors.Is(err, hdc.ErrNoDevice) {
		t.Errorf("Shell: got %v", err)
	}
}

// Errors of hdc that a real device does not make at will. Those without a kind have words.
func TestErrors(t *testing.T) {
	answer := func(text string) fakehdc.Config {
		return fakehdc.Config{Devices: []fakehdc.Device{{Key: "A"}}, Faults: []fakehdc.Fault{{On: "shell", Do: "say", Text: text}}}
	}
	state := func(system, state string) fakehdc.Config {
		return fakehdc.Config{Devices: []fakehdc.Device{{Key: "A", System: system, State: state}}}
	}
	for name, x := range map[string]struct {
		config fakehdc.Config
		script string
		kind   error
		what   string
	}{
		"no device":        {fakehdc.Config{}, "", hdc.ErrNoDevice, "no device"},
		"offline":          {state("5.0", "Offline"), "", hdc.ErrLost, "offline"},
		"offline, old":     {state("3.2", "Offline"), "", hdc.ErrLost, "offline"},
		"unauthorized":     {state("5.0", "Unauthorized"), "", hdc.ErrUnauthorized, "trust"},
		"denied":           {answer("[Fail][E000003]:The device unauthorized.\r\nThe user denied\r\n"), "", nil, "refused to trust"},
		"no server":        {fakehdc.Config{Faults: []fakehdc.Fault{{On: "shell", Do: "complain", Text: "Connect server failed"}}}, "", nil, "cannot reach its server"},
		"cut":              {answer("half of the out"), "", hdc.ErrLost, "lost"},
		"connecting":       {answer("[Fail][E000004]:The communication channel is being established.\r\n"), "", hdc.ErrConnecting, "being set up"},
		"old hdc":          {answer("[Fail][E000001]:The sdk hdc.exe version is too low, please upgrade to the latest version.\r\n"), "", nil, "too old"},
		"daemon":           {answer("[Fail]Failed to communicate with daemon\r\n"), "", hdc.ErrLost, "lost"},
		"key refused":      {answer("[Fail][E000010]:Auth failed, cannt login the device.\r\n"), "", nil, "does not accept this computer's key"},
		"restricted":       {answer("[Fail][E00C001]Operation restricted by the organization.\r\n"), "", nil, "an organization forbids hdc"},
		"not reported":     {answer("[Fail][E00C002]Execution intercepted due to inaccessibility of reporting command event.\r\n"), "", nil, "report the use of hdc"},
		"unknown":          {answer("[Fail][E007777] Something\r\n"), "", nil, "hdc: [E007777] Something"},
		"too long for hdc": {state("5.0", ""), "# " + strings.Repeat("x", 120_000), nil, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := withFake(t, x.config).Shell(t.Context(), 0, x.script)
			if f := (*diag.Error)(nil); !errors.As(err, &f) || f.Err != x.kind || !strings.Contains(f.What, x.what) {
				t.Errorf("got %v, want %v, %q", err, x.kind, x.what)
			}
		})
	}
}

func TestFind(t *testing.T) {
	program := must.Get(fakehdc.Program())(t)
	good, bad, empty := t.TempDir(), t.TempDir(), t.TempDir()
	fakehdc.Write(t, good, fakehdc.Config{})
	fakehdc.Write(t, bad, fakehdc.Config{Faults: []fakehdc.Fault{{Do: "say", Text: "hdc: a tool for something else"}}})
	sdk := filepath.Join(t.TempDir(), "12", "toolchains")
	must.Do(t, errors.Join(os.MkdirAll(sdk, 0o777), os.Symlink(program, filepath.Join(sdk, "hdc"))))
	folder := filepath.Dir(program)
	for _, x := range []struct {
		name            string
		hdc, path, root string // variables
		world           string
		err             string
	}{
		{"variable", program, empty, "", good, ""},
		{"variable, a folder", folder, empty, "", good, ""},
		{"PATH", "", folder, "", good, ""},
		{"SDK", "", empty, filepath.Dir(filepath.Dir(sdk)), good, ""},
		{"variable, missing", filepath.Join(empty, "hdc"), folder, "", good, "no hdc there"},
		{"nowhere", "", empty, "", good, "not found"},
		{"something else", "", folder, "", bad, "another program called hdc"},
	} {
		t.Run(x.name, func(t *testing.T) {
			for variable, value := range map[string]string{"HDC": x.hdc, "PATH": x.path, "OHOS_SDK_HOME": x.root, "HOME": empty, fakehdc.Folder: x.world,
				"DEVECO_SDK_HOME": "", "HOS_SDK_HOME": "", "OHOS_BASE_SDK_HOME": ""} {
				t.Setenv(variable, value)
			}
			c, err := hdc.Find(t.Context(), 0)
			if x.err == "" && (err != nil || c.Version != "3.1.0e") || x.err != "" && (err == nil || !strings.Contains(err.Error(), x.err)) {
				t.Errorf("got %v, %v", c, err)
			}
		})
	}
}

// In WSL, the hdc.exe of Windows gets names of Windows.
func TestWSL(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not on Linux")
	}
	dir := t.TempDir()
	local := filepath.Join(dir, "x.part")
	for name, text := range map[string]string{
		"hdc.exe": "[ $1 = -v ] && echo 'Ver: 3.1.0e' && exit\nprintf '%s\\n' \"$4\" >" + dir + "/name\nprintf abc >" + local + "\necho 'FileTransfer finish'\n",
		"wslpath": `[ "$2" = ` + dir + `/ ] && printf '\\\\wsl.localhost\\Debian\\tmp\\\r\n'` + "\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o777))
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("HDC", "")
	c := must.Get(hdc.Find(t.Context(), 0))(t)
	err := c.Receive(t.Context(), 0, "/data/local/tmp/t", local, 3)
	if name, _ := os.ReadFile(dir + "/name"); err != nil || string(name) != `\\wsl.localhost\Debian\tmp\x.part`+"\n" {
		t.Errorf("%v, hdc gets %q", err, name)
	}
}

// mainEndless prints without end, on both streams.
func mainEndless(speed string) {
	version := len(os.Args) == 2 && os.Args[1] == "-v"
	if version {
		os.Stdout.WriteString("Ver: 3.1.0e\n")
	}
	if speed == "whole" {
		if _, last, ok := strings.Cut(os.Args[len(os.Args)-1], `; echo "`); ok {
			os.Stdout.WriteString("done\n" + strings.TrimSuffix(last, `$?"`) + "0\n")
		}
		time.Sleep(time.Hour)
	}
	if version {
		return
	}
	line := []byte(strings.Repeat("[W][2026-", 20) + "\n")
	for {
		os.Stdout.Write(line)
		os.Stderr.Write(line)
		if speed == "slow" {
			time.Sleep(time.Millisecond)
		}
	}
}

// An answer without end takes bounded memory, and hdc is stopped at the bound, or at the
// time limit if that comes first.
func TestEndless(t *testing.T) {
	program := must.Get(os.Executable())(t)
	for speed, want := range map[string]string{"fast": "printed more than 4 MB", "slow": "did not end within 100ms"} {
		t.Setenv(endless, speed)
		t.Setenv("HDC", program)
		c := must.Get(hdc.Find(t.Context(), time.Minute))(t)
		limit := time.Minute
		if speed == "slow" {
			limit = 100 * time.Millisecond
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := c.Shell(t.Context(), limit, "aa dump"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %v", err, want)
		}
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
			t.Errorf("%d MB allocated", allocated>>20)
		}
	}
}

// An answer counts if it is whole, although hdc does not end within the limit.
func TestWholeAnswer(t *testing.T) {
	t.Setenv(endless, "whole")
	t.Setenv("HDC", must.Get(os.Executable())(t))
	for limit := 250 * time.Millisecond; ; limit *= 2 { // more on a slow machine
		c, err := hdc.Find(t.Context(), limit)
		if err == nil {
			var r hdc.Result
			if r, err = c.Shell(t.Context(), limit, "echo done"); err == nil {
				must.Equal(t, r, hdc.Result{Output: "done\n"})
				return
			}
		}
		if limit > 10*time.Second {
			t.Fatal(err)
		}
	}
}
