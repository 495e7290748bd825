//go:build unix

package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Folder is the environment variable that names the folder of the fake.
const Folder = "FAKE_HDC"

// Config says what the fake imitates. The zero values are a computer without devices.
type Config struct {
	// Version is what hdc -v prints; empty means 3.1.0e. "none" makes the program
	// something else that is called hdc.
	Version string
	// NoServer makes every call that needs the server fail, after WaitMS.
	NoServer bool
	WaitMS   int
	// Empty is the number of lists that show no device, as after hdc's server started.
	Empty int
	// Binary prints the output of shell commands unchanged. Otherwise what follows a
	// zero byte in each 512 bytes is lost, as up to system version 6.0.
	Binary bool
	// CRLF ends lines as hdc does on Windows.
	CRLF bool
	// Log is printed before every answer, such as a line of hdc's own log.
	Log     string
	Devices []Device
	Faults  []Fault
}

// Device is a connected device.
type Device struct {
	Key string
	// State is Connected if it is empty.
	State string
	// Authorizes is the number of lists after which an Unauthorized device is
	// Connected; 0 means never.
	Authorizes int
	// System is the system version, the name of a profile.
	System string
	// Seconds, if not zero, is the length of every trace. Otherwise it is the time
	// between begin and finish.
	Seconds float64
	Seed    uint64
	// Without are tags that the device does not have.
	Without []string
	// Busy is the owner of a session that is open already; "stale" if no process owns it.
	Busy string
	// NoDeveloperMode turns developer mode off.
	NoDeveloperMode bool
	// NoMono makes hitrace fall back to the boot clock.
	NoMono bool
	// NoClock hides the file that says which clock the kernel uses.
	NoClock bool
	// FreeKB is the free space; zero means plenty, a negative number none.
	FreeKB int
	// Hitrace changes what hitrace does, by mode: "begin", "dump", "finish",
	// "finish_nodump".
	Hitrace map[string]Answer
	// Errno makes writing a trace to a file fail.
	Errno int
	// Overflow loses the older part of every trace, Cut the last half line.
	Overflow, Cut bool
	// SleepScale divides the times of sleep on the device; zero means 1.
	SleepScale float64
	ScreenOff  bool
	Apps       []App
}

// App is an installed application.
type App struct {
	Bundle, Ability string
	PID             int
	Running         bool
	// StartCode makes aa start fail.
	StartCode int
}

// Answer is what a mode of hitrace does.
type Answer struct {
	// MS is how long it runs before it does anything. It goes on if hdc is killed.
	MS int
	// Fail, if not empty, is printed as an error, and hitrace does nothing else; if
	// blank, nothing is printed.
	Fail string
	// Times is how often that happens; 0 means always.
	Times int
}

// Fault changes the answer to a call whose arguments, joined by blanks, contain On.
type Fault struct {
	On string
	// Do is one of
	//
	//	lost        the device is lost before the command runs
	//	lost after  the device is lost while it runs; the command runs to its end
	//	hang        hdc does not end before nobody waits for it, nor within MS
	//	say         hdc prints Text and the command does not run
	//	before      the device runs Text before the command
	//	cut         file recv: half of the file arrives, and hdc reports success
	//	slow        file recv: in ten pieces, MS apart
	Do   string
	Text string
	MS   int
	// Skip is the number of matching calls before it, Times how often it happens; 0
	// means always.
	Skip, Times int
	// Back is the number of lists after which a lost device is back; 0 means never.
	Back int
}

// state is what changes between calls.
type state struct {
	Lists    int
	Matched  map[string]int // how often each fault matched
	Lost     map[string]int // lists until the device is back, by key; -1 for never
	Sessions map[string]*session
	Records  map[string]int // the traces that each device has written
	Running  map[string]bool
	Opened   map[string]bool // the session of Device.Busy exists or existed
}

// session is an open trace session of a device.
type session struct {
	Owner string
	Begun int64 // Unix time, ns
	Clock string
	KB    int
	Tags  []string
}

// world is the folder with its lock.
type world struct {
	dir    string
	config Config
	state  state
	lock   *os.File
}

// open reads the folder and locks it.
func open() (*world, error) {
	dir := os.Getenv(Folder)
	if dir == "" {
		return nil, errors.New(Folder + " is not set")
	}
	w := &world{dir: dir}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	w.lock = lock
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &w.config); err != nil {
		return nil, fmt.Errorf("config.json: %w", err)
	}
	text, err = os.ReadFile(filepath.Join(dir, "state.json"))
	if err == nil {
		err = json.Unmarshal(text, &w.state)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("state.json: %w", err)
	}
	for _, m := range []*map[string]int{&w.state.Matched, &w.state.Lost, &w.state.Records} {
		if *m == nil {
			*m = map[string]int{}
		}
	}
	for _, m := range []*map[string]bool{&w.state.Running, &w.state.Opened} {
		if *m == nil {
			*m = map[string]bool{}
		}
	}
	if w.state.Sessions == nil {
		w.state.Sessions = map[string]*session{}
	}
	for _, d := range w.config.Devices {
		if d.Busy != "" && !w.state.Opened[d.Key] {
			w.state.Opened[d.Key] = true
			w.state.Sessions[d.Key] = &session{Owner: d.Busy, Clock: "boot"}
		}
	}
	return w, nil
}

// close writes the state and unlocks the folder.
func (w *world) close() error {
	text, err := json.Marshal(&w.state)
	if err == nil {
		// A fake that is killed here leaves the old state, not half of the new one.
		path := filepath.Join(w.dir, "state.json")
		if err = os.WriteFile(path+".new", text, 0o666); err == nil {
			err = os.Rename(path+".new", path)
		}
	}
	return errors.Join(err, w.lock.Close())
}

// unlocked calls f without the lock, and reads the state again.
func (w *world) unlocked(f func()) error {
	if err := w.close(); err != nil {
		return err
	}
	f()
	reopened, err := open()
	if err == nil {
		*w = *reopened
	}
	return err
}

// root is the root of a device's files.
func (w *world) root(key string) string { return filepath.Join(w.dir, "root", key) }
