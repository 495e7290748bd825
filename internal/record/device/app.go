package device

import (
	"fmt"
	"regexp"

	"ohframe/internal/failure"
	"ohframe/internal/record/hdc"
)

// StopScript ends an application.
func StopScript(bundle string) string { return "aa force-stop " + hdc.Quote(bundle) }

// StartScript starts an ability of an application.
func StartScript(bundle, ability string) string {
	return fmt.Sprintf("aa start -b %s -a %s", hdc.Quote(bundle), hdc.Quote(ability))
}

var (
	started   = regexp.MustCompile(`start ability successfully`)
	startCode = regexp.MustCompile(`(?i)error code: ?(\d+)`)
	driveFail = regexp.MustCompile(`(?mi)^\s*(error|\[fail\]|usage)\b.*$`)
)

// startCodes are codes of "aa start".
var startCodes = map[string]string{
	"10104001": "it has no such ability", "10106102": "the screen is locked",
}

// CheckStart checks what StartScript printed.
func CheckStart(r hdc.Result) error {
	if started.MatchString(r.Output) {
		return nil
	}
	why := "unknown reason"
	if m := startCode.FindStringSubmatch(r.Output); m != nil {
		why = "code " + m[1]
		if words := startCodes[m[1]]; words != "" {
			why = words
		}
	}
	return failure.New(ErrBegin, "unlock the device; --ability NAME names another ability", "the application did not start: %s", why)
}

// CheckDrive checks what a command of the user printed: the status of the last command
// is not enough, since uitest and aa print errors and exit with 0.
func CheckDrive(r hdc.Result) error {
	if line := driveFail.FindString(r.Output); line != "" {
		return fmt.Errorf("it printed %q", line)
	}
	if r.Status != 0 {
		return fmt.Errorf("exit status %d", r.Status)
	}
	return nil
}
