package reconstruct_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/must"
)

// eachCase plays the cases of a file of testdata and compares what is said about them. A case has a line
// "== NAME", lines of userTrace.play, a line "->" and what is wanted. Lines with a # are comments.
func eachCase(t *testing.T, file string, describe func(*analyzer.Timeline) string) {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/" + file + ".txt"))(t)
	cases := strings.Split(string(text), "\n== ")[1:]
	for _, c := range cases {
		name, rest, _ := strings.Cut(c, "\n")
		script, want, found := strings.Cut(rest, "\n->\n")
		t.Run(name, func(t *testing.T) {
			u := &userTrace{}
			for line := range strings.SplitSeq(script, "\n") {
				u.play(t, line)
			}
			if got, want := describe(u.timeline(t)), strings.TrimRight(want, "\n"); got != want || !found {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if len(cases) == 0 {
		t.Error("no cases")
	}
}

// play does what a line says: a method's name, or a word below, and its arguments. Lists have ranges
// such as 0..8.
func (u *userTrace) play(t *testing.T, line string) {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	next := func() (s string) { s, rest, _ = strings.Cut(rest, " "); return s }
	number := func() float64 {
		n, err := strconv.ParseFloat(next(), 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		return n
	}
	whole := func() int { return int(number()) }
	list := func() (list []int) {
		for rest != "" {
			from, to, _ := strings.Cut(next(), "..")
			for i := atoi(from); i <= atoi(cmp.Or(to, from)); i++ {
				list = append(list, i)
			}
		}
		return list
	}
	switch word {
	case "", "#":
	case "frames":
		u.frames(list()...)
	case "render":
		u.render(whole(), rest)
	case "scene":
		u.scene(next(), number(), number())
	case "line":
		u.line(number(), whole(), whole(), rest)
	case "event": // of the kernel
		u.event(number(), whole(), whole(), rest)
	case "app":
		u.app(number(), rest)
	case "mark":
		u.mark(number(), whole(), rest)
	case "slice":
		u.slice(number(), number(), whole(), whole(), rest)
	case "flush":
		u.flush(number(), whole())
	case "acquire":
		u.acquire(whole(), list()...)
	case "text":
		u.lines = append(u.lines, userLine{int(number() * 1000), rest})
	case "times": // with # for the number
		for i := range whole() {
			u.play(t, strings.Replace(rest, "#", strconv.Itoa(i), 1))
		}
	case "nofences":
		u.noFences = true
	case "until": // what is later is lost
		end := int(number() * 1000)
		u.lines = slices.DeleteFunc(u.lines, func(l userLine) bool { return l.us > end })
	case "drop": // lines
		pattern := regexp.MustCompile(rest)
		u.lines = slices.DeleteFunc(u.lines, func(l userLine) bool { return pattern.MatchString(l.text) })
	case "replace":
		from, to, _ := strings.Cut(rest, " => ")
		for i := range u.lines {
			u.lines[i].text = strings.ReplaceAll(u.lines[i].text, from, to)
		}
	case "input": // and its line 2 ms later
		ms := number()
		u.mark(ms+2, 200, fmt.Sprintf("RecordInputEvent: %s=%d(ns)", rest, int64(ms*1e6)))
	case "report": // of the touch with an id and a type
		u.mark(number(), 600, "service report touchId:"+strings.Replace(rest, " ", ", type: ", 1))
	case "dispatch":
		u.mark(number(), 300, "client dispatch touchId:3")
	case "start":
		u.mark(number(), 300, "OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB(sptr<SessionInfo>, bool &)")
	case "load": // with or without a new process
		ms := number()
		u.line(ms, 400, 400, "B|400|H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility(std::shared_ptr<AbilityInfo>)|M0538")
		if rest == "true" {
			u.mark(ms+0.1, 400, "void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbilityNoAppRecord(int)")
		}
		u.line(ms+0.5, 400, 400, "E|400|M0538")
	case "attach":
		u.mark(number(), 400, "virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##com.example.of.a.demo.app")
	case "launch":
		u.mark(number(), 200, "void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##com.example.of.a.demo.app")
	case "foreground":
		u.mark(number(), 200, "void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction(const Want &, const LifeCycleStateInfo &, sptr<SessionInfo>)##EntryAbility")
	default:
		t.Fatalf("%q: no such word", line)
	}
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}
