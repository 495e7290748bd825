package place_test

import (
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/place"
)

// Words for things that only developers of applications have.
var ofApplications = regexp.MustCompile(`@|TaskPool|Worker|ArkUI|ArkTS|LazyForEach|Repeat|Canvas|DisplaySync|hiTraceMeter|DevEco|\$r|aboutTo|onTouch|animateTo|build\(|UI thread|QoS|asynchronously|\bon[A-Z]`)

// Advice is for its reader, and about what is known.
func TestAdvice(t *testing.T) {
	var onlyApplications [why.AdviceCount]bool
	for a := range why.Advice(why.AdviceCount) {
		onlyApplications[a] = ofApplications.MatchString(causetext.Advice(a))
	}
	for c := range place.AllCauses() {
		text := causetext.Advice(c.Advice())
		bad := func(what string) {
			t.Helper()
			t.Errorf("%+v has the advice %q: %s", c, text, what)
		}
		if c.Reader != place.Application && onlyApplications[c.Advice()] {
			bad("the reader has no such thing")
		}
		if strings.Contains(text, "Canvas") && c.Place.Advice != why.AdviseCanvas {
			bad("no slice of a canvas")
		}
		record := "record with"
		if c.Own {
			record = "record the tag sched" // an application cannot in its own trace
		}
		if c.Wait == why.WaitUnknown && c.Place.Class == place.ClassWork && !strings.Contains(text, record) {
			bad("it is unknown what the thread did")
		}
		if w := c.Wait; (w == why.CPUPreempted || w == why.CPUWait) && c.Place.Class != place.ClassGC && c.Place.Class != place.ClassGCWait {
			if log := strings.Contains(text, "log less"); log != (c.Competitor == place.Logger) {
				bad("log less, or not")
			}
			if c.Competitor == place.OtherThread && c.Reader != place.System && !strings.Contains(text, "close other applications") {
				bad("an application cannot change other processes")
			}
		}
	}
}
