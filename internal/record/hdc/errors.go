package hdc

import (
	"errors"
	"strings"
	"time"

	"ohframe/internal/failure"
)

// The kinds of errors, for errors.Is.
var (
	// ErrMissing: there is no hdc, or only another program with its name.
	ErrMissing = errors.New("hdc is missing")
	// ErrServer: hdc cannot reach its server.
	ErrServer = errors.New("hdc server")
	// ErrNoDevice: no device is connected, or not the one asked for.
	ErrNoDevice = errors.New("no device")
	// ErrSeveral: several devices are connected and none was chosen.
	ErrSeveral = errors.New("several devices")
	// ErrUnauthorized: the device does not trust this computer yet.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrRefused: the device, hdc or an administrator refuses. Waiting does not help.
	ErrRefused = errors.New("refused")
	// ErrConnecting: the connection is being set up. Waiting helps.
	ErrConnecting = errors.New("connecting")
	// ErrLost: the device was lost during the call.
	ErrLost = errors.New("device lost")
	// ErrTimeout: a call did not end within its time limit.
	ErrTimeout = errors.New("time limit")
	// ErrTooLong: the answer is longer than any that is expected.
	ErrTooLong = errors.New("answer too long")
	// ErrTransfer: a file was not received, or not all of it.
	ErrTransfer = errors.New("transfer")
	// ErrSpace: the disk of this computer is full.
	ErrSpace = errors.New("no space")
)

// Hints that several errors have.
const (
	hintConnect = "connect the device by cable and turn on Settings > System > Developer options > USB debugging; for a network device: hdc tconn IP:PORT"
	hintTrust   = "unlock the device and tap Trust in its dialog"
	hintServer  = "another program uses the port of hdc's server, or a server of another version runs: compare with \"hdc checkserver\", close DevEco Studio and SmartPerf, run \"hdc kill\", or set OHOS_HDC_SERVER_PORT"
	hintLink    = "check the cable and that the device is awake; for a network device run hdc tconn again"
)

// messages are the answers of hdc that mean an error, in the order in which they are
// tried. The codes came with hdc 3.1; before, and where an answer has no code, the
// words decide. The words changed between versions.
var messages = []struct {
	text string // in the answer
	kind error
	what string // empty: the answer itself
	hint string
}{
	{"[E000001]", ErrRefused, "hdc is too old for the device", "update the SDK that contains hdc"},
	{"[E000002]", ErrUnauthorized, "the device does not trust this computer", hintTrust},
	{"[E000003]", ErrRefused, "the device refused to trust this computer", "turn USB debugging off and on, or run \"hdc kill -r\", then tap Trust on the device"},
	{"[E000004]", ErrConnecting, "the connection to the device is being set up", "try again in a few seconds"},
	{"[E000006]", ErrRefused, "", ""},
	{"[E000010]", ErrRefused, "", ""},
	{"[E00C001]", ErrRefused, "", ""},
	{"[E00C002]", ErrRefused, "", ""},
	{"[E000008]", ErrRefused, "hdc cannot use its keys", "delete hdckey and hdckey.pub in ~/.harmony and try again"},
	{"[E000009]", ErrRefused, "hdc cannot use its keys", "delete hdckey and hdckey.pub in ~/.harmony and try again"},
	{"[E00000A]", ErrRefused, "hdc cannot use its keys", "delete hdckey and hdckey.pub in ~/.harmony and try again"},
	{"[E001003]", ErrLost, "the connection to the device was lost", hintLink},
	{"[E001005]", ErrLost, "the device is offline", hintLink},
	{"[E002105]", ErrRefused, "the device is too old for this command of hdc", ""},
	{"[E002106]", ErrLost, "the connection to the device was lost", hintLink},
	{"[E003004]", ErrRefused, "the device is too old for this command of hdc", ""},
	{"need connect-key", ErrNoDevice, "no device is connected", hintConnect},
	{"Not match target found", ErrNoDevice, "no device has this key", "ohframe devices lists the keys"},
	{"Device not found", ErrLost, "the device is offline", hintLink}, // and "Device not founded"
	{"The device unauthorized", ErrUnauthorized, "the device does not trust this computer", hintTrust},
	{"No any connected target", ErrNoDevice, "no device is connected", hintConnect},
	{"Failed to communicate with daemon", ErrLost, "the connection to the device was lost", hintLink},
	{"session is dead", ErrLost, "the connection to the device was lost", hintLink},
	{"no space left on device", ErrSpace, "no space left on this computer", "free some space, or choose another folder with -o"},
	{"Transfer Stop", ErrTransfer, "", ""},
	{"Error opening file", ErrTransfer, "", ""},
	{"Connect server failed", ErrServer, "hdc cannot reach its server", hintServer},
	{"OHOS_HDC_SERVER_PORT", ErrServer, "", "set OHOS_HDC_SERVER_PORT to a number from 1 to 65535, or unset it"},
}

// classify returns the error that hdc's output reports, or nil.
func classify(answer string) error {
	var failed string
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "[Fail]"); ok {
			failed = strings.TrimSpace(rest)
			break
		}
		if strings.HasPrefix(line, "Connect server failed") || strings.HasPrefix(line, "OHOS_HDC_SERVER_PORT") {
			failed = line
			break
		}
	}
	if failed == "" {
		return nil
	}
	for _, m := range messages {
		if strings.Contains(failed, m.text) {
			if m.what == "" {
				return failure.New(m.kind, m.hint, "hdc: %s", failed)
			}
			return failure.New(m.kind, m.hint, "%s", m.what)
		}
	}
	return failure.New(ErrRefused, "", "hdc: %s", failed)
}

// timeoutError is the error of a call that did not end. Calls that only ask hdc's server
// do not depend on a device.
func timeoutError(args []string, limit time.Duration) error {
	hint := hintServer
	if args[0] == "-t" {
		hint = "is the device awake? --hdc-limit allows more time"
	}
	return failure.New(ErrTimeout, hint, "hdc %s did not end within %s", verb(args), limit)
}

// verb returns the command of hdc in its arguments.
func verb(args []string) string {
	if args[0] == "-t" && len(args) > 2 {
		args = args[2:]
	}
	return args[0]
}
