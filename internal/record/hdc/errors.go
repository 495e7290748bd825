package hdc

import (
	"errors"
	"regexp"
	"strings"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
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
	// errTimeout: a call did not end within its time limit.
	errTimeout = errors.New("time limit")
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
// words decide. The words changed between versions. What is not in the table is quoted.
var messages = []struct {
	pattern func() *regexp.Regexp
	kind    error
	what    string
	hint    string
}{
	{pattern.New(`E000001`), nil, "hdc is too old for the device", "update the SDK that contains hdc"},
	{pattern.New(`E000003`), nil, "the device refused to trust this computer", "turn USB debugging off and on, or run \"hdc kill -r\", then tap Trust on the device"},
	{pattern.New(`E000002|The device unauthorized`), ErrUnauthorized, "the device does not trust this computer", hintTrust},
	{pattern.New(`E000004`), ErrConnecting, "the connection to the device is being set up", "try again in a few seconds"},
	{pattern.New(`E000010`), nil, "the device does not accept this computer's key", "delete hdckey and hdckey.pub in ~/.harmony, run \"hdc kill -r\", then tap Trust on the device"},
	{pattern.New(`E00C001`), nil, "an organization forbids hdc", "ask the administrator of the device and of this computer"},
	{pattern.New(`E00C002`), nil, "the device cannot report the use of hdc to its organization", "connect the device to the organization's network, or ask its administrator"},
	{pattern.New(`E00000[89A]`), nil, "hdc cannot use its keys", "delete hdckey and hdckey.pub in ~/.harmony and try again"},
	{pattern.New(`E002105|E003004`), nil, "the device is too old for this command of hdc", ""},
	{pattern.New(`E001003|E002106|Failed to communicate with daemon|session is dead`), ErrLost, "the connection to the device was lost", hintLink},
	{pattern.New(`E001005|Device not found`), ErrLost, "the device is offline", hintLink}, // and "Device not founded"
	{pattern.New(`need connect-key|No any connected target`), ErrNoDevice, "no device is connected", hintConnect},
	{pattern.New(`Not match target found`), ErrNoDevice, "no device has this key", "ohframe devices lists the keys"},
	{pattern.New(`no space left on device`), nil, "no space left on this computer", "free some space, or choose another folder with -o"},
	{pattern.New(`Connect server failed`), nil, "hdc cannot reach its server", hintServer},
}

// answerLine is a line of an answer that means an error.
var answerLine = pattern.New(`(?m)^\s*(\[Fail\]|Connect server failed|OHOS_HDC_SERVER_PORT).*$`)

// classify returns the error that the output of hdc reports, or nil.
func classify(answer string) error {
	line := answerLine().FindString(answer)
	if line == "" {
		return nil
	}
	for _, m := range messages {
		if m.pattern().MatchString(line) {
			return diag.New(m.kind, m.hint, "%s", m.what)
		}
	}
	return diag.New(nil, "", "hdc: %s", strings.TrimPrefix(strings.TrimSpace(line), "[Fail]"))
}
