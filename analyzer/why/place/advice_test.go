package place

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What only developers of applications have, in every text for them.
var ofApplications = regexp.MustCompile(`@|TaskPool|Worker|ArkUI|ArkTS|LazyForEach|Repeat|Canvas|DisplaySync|hiTraceMeter|DevEco|\$r|aboutTo|onTouch|animateTo|build\(|UI thread|QoS|asynchronously|\bon[A-Z]`)

// Advice is for its reader, and about what is known.
func TestAdvice(t *testing.T) {
	var onlyApplications [AdviceCount]bool
	for a := range Advice(AdviceCount) {
		onlyApplications[a] = ofApplications.MatchString(a.String())
	}
	for c := range AllCauses() {
		text := c.Advice().String()
		bad := func(what string) {
			t.Helper()
			t.Errorf("%+v has the advice %q: %s", c, text, what)
		}
		if c.Reader == System && onlyApplications[c.Advice()] {
			bad("the system has no such thing")
		}
		if strings.Contains(text, "Canvas") && c.Place.Advice != AdviseCanvas {
			bad("no slice of a canvas")
		}
		if c.Wait == WaitUnknown && c.Place.Class == ClassWork && !strings.Contains(text, "record with") {
			bad("it is unknown what the thread did")
		}
		if w := c.Wait; (w == CPUPreempted || w == CPUWait) && c.Place.Class != ClassGC && c.Place.Class != ClassGCWait {
			if log := strings.Contains(text, "log less"); log != (c.Rival == Logger) {
				bad("log less, or not")
			}
			if c.Rival == OtherThread && c.Reader == Application && !strings.Contains(text, "close other applications") {
				bad("an application cannot change other processes")
			}
		}
	}
	// The TaskPool is not the UI thread, and both versions of state management have a say.
	for a := range Advice(AdviceCount) {
		text := a.String()
		if strings.Contains(text, "TaskPool on the UI thread") {
			t.Errorf("%q", text)
		}
		for _, pair := range [][]string{{"@Reusable", "@ReusableV2"}, {"@Observed", "@ObservedV2", "@Trace"}, {"@Track", "@Trace"}, {"LazyForEach", "Repeat", "virtualScroll"}} {
			has := func(name string) bool { return regexp.MustCompile(name + `\b`).MatchString(text) }
			if has(pair[0]) && slices.ContainsFunc(pair[1:], func(name string) bool { return !has(name) }) {
				t.Errorf("%q has only the first version", text)
			}
		}
	}
}

func TestIsLogger(t *testing.T) {
	for name, want := range map[string]bool{"hilogd": true, "hilogd.rd_kmsg": true, "logd.writer": true, "login": false, "hilog": false, "com.example.app": false, "": false} {
		if got := IsLogger(name); got != want {
			t.Errorf("IsLogger(%q) is %t", name, got)
		}
	}
}

// A slice without a stage keeps its advice inside of one that has other advice, and what is
// read for a resource or an image is no file of the application.
func TestAdviceOfSlices(t *testing.T) {
	canvas := Lookup([]byte("CanvasModifier::onDraw Op")).Inside(Lookup([]byte("FlushRenderTask")))
	if got := (Cause{Wait: Run, Place: canvas, Scheduled: true}).Advice(); got != AdviseCanvas {
		t.Errorf("drawing in a canvas: %q", got)
	}
	// One without advice has that of the stage.
	pixels := Lookup([]byte("ReadPixels")).Inside(Lookup([]byte("OnIdle")))
	if got := (Cause{Wait: Run, Place: pixels, Scheduled: true}).Advice(); got != AdvisePredict {
		t.Errorf("reading pixels ahead: %q", got)
	}
	if got := (Cause{Wait: WaitIO, Place: Lookup([]byte("HapManager::GetMediaDataFromHap"))}).Advice(); got != AdviseResource {
		t.Errorf("reading a resource: %q", got)
	}
}
