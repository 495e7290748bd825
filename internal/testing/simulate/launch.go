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

// The names of the stages of a launch.
const (
	stageFinger     = "FingerUp"
	stageTouch      = "ProcessTouchEvent"
	stageStart      = "StartUIAbilityBySCB"
	stageLoad       = "LoadAbility"
	stageProcess    = "Application Launching"
	stageAbility    = "UI Ability Launching"
	stageForeground = "UI Ability OnForeground"
	stageFrame      = "First Frame, application"
	stageRender     = "First Frame, render"
)

const (
	foundationPID trace.PID = 532
	inputPID      trace.PID = 544
)

// addFoundation makes the threads of the process that starts applications.
func (s *sim) addFoundation() {
	if len(s.Launches) > 0 {
		s.add(foundationPID, trace.TID(foundationPID), "foundation", "foundation", otherCPU, 5)
		s.foundation = s.add(foundationPID, 919, "foundation", "OS_IPC_6_919", serviceCPU, 5)
		if s.TouchReports {
			s.input = s.add(inputPID, trace.TID(inputPID), "multimodalinput", "mmi_service", serviceCPU, 3)
		}
	}
}

// launch arranges a launch. Each stage is done by the thread that the stage before wakes.
func (s *sim) launch(l *Launch) {
	launcher, p := s.apps[l.Launcher], s.apps[l.App]
	t := &InteractionTruth{Kind: "launch", Scene: string(l.Kind), PID: p.PID, Process: p.Bundle}
	s.truth.all = append(s.truth.all, t)
	up := s.traceTime(firstVsync).Add(l.At)
	stage := func(name string) { t.stages = append(t.stages, StageTruth{Name: name, Begin: s.now}) }

	work := func(a *actor) {
		if l.Kind != Hot {
			if l.Kind == Cold {
				for _, library := range []string{"libace.z.so", "libapp.so"} {
					s.inSlice(a, "dlopen: /system/lib64/"+library, abilityLevel, 6*trace.Millisecond)
				}
			}
			stage(stageAbility)
			s.names(p.Bundle)
			s.offFrame(a, "void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const std::shared_ptr<AbilityLocalRecord> &)##"+p.Bundle, abilityLevel, share(l.Work, 60))
			a.compute(100 * trace.Microsecond)
		}
		stage(stageForeground)
		s.offFrame(a, "void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction(const OHOS::AbilityRuntime::Want &, const OHOS::AbilityRuntime::LifeCycleStateInfo &, sptr<AAFwk::SessionInfo>)##EntryAbility", abilityLevel, share(l.Work, 40))
		a.compute(50 * trace.Microsecond)
		p.drawing++
		s.after(l.Draws, func() { p.drawing-- })
	}
	attach := func(a *actor) {
		a.compute(4 * trace.Millisecond)
		stage(stageProcess)
		s.names(p.Bundle)
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
		if l.Kind == Cold { // that of a process that exists is no stage
			stage(stageLoad)
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
		stage(stageStart)
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
		stage(stageTouch)
		s.dispatch(a, LastUp, mono, 0, first+2)
		a.compute(2 * trace.Millisecond)
		start(a)
	}
	s.at(up.Add(2*trace.Millisecond), func() {
		first := s.touches + 1
		s.touches += 3
		if s.input == nil {
			s.post(launcher.main, nil, func(a *actor) { dispatch(a, first) })
			return
		}
		s.post(s.input, nil, func(a *actor) {
			for n, kind := range []string{"down", "move", "up"} {
				if kind == "up" {
					stage(stageFinger)
				}
				s.reportTouch(a, first+int64(n), kind)
			}
			s.reportTouch(a, first+1000, "up") // of another finger, which another window gets
			s.post(launcher.main, a, func(a *actor) { dispatch(a, first) })
		})
	})
}

// reportTouch has mmi_service report a touch.
func (s *sim) reportTouch(a *actor, id int64, kind string) {
	a.note("service report touchId:"+strconv.FormatInt(id, 10)+", type: "+kind, inputLevel)
	a.compute(30 * trace.Microsecond)
}
