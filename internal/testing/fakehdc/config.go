//go:build unix

package fakehdc

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
	// Busy is the owner of a session that is open already; "stale" if no process owns it,
	// "hiview" if it is one of the device itself, which hitrace does not end.
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
