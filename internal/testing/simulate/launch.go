package simulate

import (
	"strconv"

	"ohframe/analyzer/trace"
)

// Launch is the start of an application from the launcher.
type Launch struct {
	// App and Launcher are indices in Apps. The application of a cold launch has no thread
	// that runs before.
	App, Launcher int
	// At is when the finger leaves the icon, from the first vsync.
	At   trace.Duration
	Kind LaunchKind
	// Work is the length of the launch of its ability and its page.
	Work trace.Duration
	// Draws is for how long it draws.
	Draws trace.Duration
	// Scene is the scene of the launcher's animation, which begins Delay after the finger
	// left and lasts Length. The launcher itself sends nothing.
	Scene         string
	Delay, Length trace.Duration
}

// LaunchKind is how much of the application exists already.
type LaunchKind string

const (
	Cold LaunchKind = "cold" // nothing
	Warm LaunchKind = "warm" // its process
	Hot  LaunchKind = "hot"  // its ability
)

const foundationPID trace.PID = 532

// addFoundation makes the threads of the process that starts applications.
func (s *sim) addFoundation() {
	if len(s.Launches) > 0 {
		s.add(foundationPID, trace.TID(foundationPID), "foundation", "foundation", otherCPU, 5)
		s.foundation = s.add(foundationPID, 919, "foundation", "OS_IPC_6_919", serviceCPU, 5)
	}
}

// launch arranges a launch. Each stage is done by the thread that the stage before wakes.
func (s *sim) launch(l *Launch) {
	launcher, p := s.apps[l.Launcher], s.apps[l.App]
	up := s.traceTime(firstVsync).Add(l.At)

	work := func(a *actor) {
		if l.Kind != Hot {
			if l.Kind == Cold {
				for _, library := range []string{"libace.z.so", "libapp.so"} {
					s.inSlice(a, "dlopen: /system/lib64/"+library, abilityLevel, 6*trace.Millisecond)
				}
			}
			s.offFrame(a, "void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##"+p.Bundle, abilityLevel, share(l.Work, 60))
			a.compute(100 * trace.Microsecond)
		}
		s.offFrame(a, "void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction(const OHOS::AbilityRuntime::Want &, const OHOS::AbilityRuntime::LifeCycleStateInfo &, sptr<AAFwk::SessionInfo>)##EntryAbility", abilityLevel, share(l.Work, 40))
		a.compute(50 * trace.Microsecond)
		p.drawing++
		s.after(l.Draws, func() { p.drawing-- })
	}
	attach := func(a *actor) {
		a.compute(4 * trace.Millisecond)
		a.begin("virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##"+p.Bundle, abilityLevel)
		a.compute(3 * trace.Millisecond)
		a.end()
		s.post(p.main, a, work)
	}
	load := func(a *actor) {
		a.compute(500 * trace.Microsecond)
		if l.Kind == Hot {
			s.post(p.main, a, work)
			return
		}
		a.begin("virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility(std::shared_ptr<AbilityInfo>, std::shared_ptr<ApplicationInfo>, std::shared_ptr<AAFwk::Want>, std::shared_ptr<AbilityRuntime::LoadParam>)", abilityLevel)
		a.compute(3 * trace.Millisecond)
		if l.Kind == Cold {
			s.inSlice(a, "void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbilityNoAppRecord(const std::shared_ptr<AppRunningRecord>, bool, std::shared_ptr<ApplicationInfo>, std::shared_ptr<AbilityInfo>, const std::string &, const std::string &, const OHOS::AppExecFwk::BundleInfo &, const OHOS::AppExecFwk::HapModuleInfo &, std::shared_ptr<AAFwk::Want>)", abilityLevel, 2*trace.Millisecond)
		}
		a.compute(trace.Millisecond)
		a.end()
		if l.Kind == Cold {
			// The new process starts in the meantime.
			s.after(30*trace.Millisecond, func() { s.post(s.foundation, nil, attach) })
			return
		}
		s.post(p.main, a, work)
	}
	start := func(a *actor) {
		a.begin("OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB(sptr<OHOS::AAFwk::SessionInfo>)", abilityLevel)
		a.compute(800 * trace.Microsecond)
		a.end()
		s.post(s.foundation, a, load)
	}
	if l.Scene != "" {
		s.play(&Interaction{
			App: l.Launcher, Scene: l.Scene, Page: "pages/Desktop", At: l.At + l.Delay, Input: LastUp, Delay: l.Delay,
			Length: l.Length, Silent: true,
		})
	}
	mono := s.monotonicTime(up)
	// A touch has several events; the last one starts the application.
	dispatch := func(a *actor, first int64) {
		for n := range int64(2) {
			a.note("client dispatch touchId:"+strconv.FormatInt(first+n, 10), inputLevel)
			a.compute(trace.Duration(300+100*n) * trace.Microsecond)
		}
		a.compute(50 * trace.Microsecond)
		s.dispatch(a, LastUp, mono, 0, first+2)
		a.compute(2 * trace.Millisecond)
		start(a)
	}
	s.at(up.Add(2*trace.Millisecond), func() {
		first := s.touches + 1
		s.touches += 3
		s.post(launcher.main, nil, func(a *actor) { dispatch(a, first) })
	})
}
