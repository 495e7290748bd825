package hdc

import (
	"errors"
	"strings"

	"ohframe/internal/failure"
)

// The kinds of errors after which a caller may go on, for errors.Is.
var (
	// ErrNoDevice: no device is connected, or not the one asked for.
	ErrNoDevice = errors.New("no device")
	// ErrUnauthorized: the device does not trust this computer yet.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrConnecting: the connection is being set up.
	ErrConnecting = errors.New("connecting")
	// ErrLost: the device was lost during the call, or before.
	ErrLost = errors.New("device lost")
	// ErrTimeout: a call did not end within its time limit.
	ErrTimeout = errors.New("time limit")
)

// Hints that several errors have.
const (
	hintConnect = "connect the device by cable and turn on Settings > System > Developer options > USB debugging; for a network device: hdc tconn IP:PORT"
	hintTrust   = "unlock the device and tap Trust in its dialog"
	hintServer  = "another program uses the port of hdc's server, or a server of another version runs: compare with \"hdc checkserver\", close DevEco Studio and SmartPerf, run \"hdc kill\", or set OHOS_HDC_SERVER_PORT"
	hintLink    = "check the cable and that the device is awake; for a network device run hdc tconn again"
	hintKeys    = "delete hdckey and hdckey.pub in ~/.harmony and try again"
)

// messages are the answers of hdc that mean an error, in the order in which they are
// tried. The codes came with hdc 3.1; before, and where an answer has no code, the
// words decide. The words changed between versions. What is not in the table is quoted.
var messages = []struct {
	text string // in the answer
	kind error
	what string // empty: the answer itself
	hint string
}{
	{"[E000001]", nil, "hdc is too old for the device", "update the SDK that contains hdc"},
	{"[E000002]", ErrUnauthorized, "the device does not trust this computer", hintTrust},
	{"[E000003]", nil, "the device refused to trust this computer", "turn USB debugging off and on, or run \"hdc kill -r\", then tap Trust on the device"},
	{"[E000004]", ErrConnecting, "the connection to the device is being set up", "try again in a few seconds"},
	{"[E000008]", nil, "hdc cannot use its keys", hintKeys},
	{"[E000009]", nil, "hdc cannot use its keys", hintKeys},
	{"[E00000A]", nil, "hdc cannot use its keys", hintKeys},
	{"[E001003]", ErrLost, "the connection to the device was lost", hintLink},
	{"[E001005]", ErrLost, "the device is offline", hintLink},
	{"[E002105]", nil, "the device is too old for this command of hdc", ""},
	{"[E002106]", ErrLost, "the connection to the device was lost", hintLink},
	{"[E003004]", nil, "the device is too old for this command of hdc", ""},
	{"need connect-key", ErrNoDevice, "no device is connected", hintConnect},
	{"Not match target found", ErrNoDevice, "no device has this key", "ohframe devices lists the keys"},
	{"Device not found", ErrLost, "the device is offline", hintLink}, // and "Device not founded"
	{"The device unauthorized", ErrUnauthorized, "the device does not trust this computer", hintTrust},
	{"No any connected target", ErrNoDevice, "no device is connected", hintConnect},
	{"Failed to communicate with daemon", ErrLost, "the connection to the device was lost", hintLink},
	{"session is dead", ErrLost, "the connection to the device was lost", hintLink},
	{"no space left on device", nil, "no space left on this computer", "free some space, or choose another folder with -o"},
	{"Connect server failed", nil, "hdc cannot reach its server", hintServer},
	{"OHOS_HDC_SERVER_PORT", nil, "", "set OHOS_HDC_SERVER_PORT to a number from 1 to 65535, or unset it"},
}

// classify returns the error that hdc's output reports, or nil.
func classify(answer string) error {
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		failed, ok := strings.CutPrefix(line, "[Fail]")
		if !ok && !strings.HasPrefix(line, "Connect server failed") && !strings.HasPrefix(line, "OHOS_HDC_SERVER_PORT") {
			continue
		}
		failed = strings.TrimSpace(failed)
		for _, m := range messages {
			if strings.Contains(failed, m.text) {
				if m.what == "" {
					m.what = "hdc: " + failed
				}
				return failure.New(m.kind, m.hint, "%s", m.what)
			}
		}
		return failure.New(nil, "", "hdc: %s", failed)
	}
	return nil
}
