package simulate

import (
	"bytes"
	"strings"
	"testing"
)

// The markers that each version writes of a fling, and those that it does not know.
func TestMarkersOfVersions(t *testing.T) {
	markers := []struct{ since, text string }{
		{"4.0", "S|20170|H:APP_LIST_FLING"},
		{"4.0", "S|1027|H:APP_LIST_FLING, com.example.gallery, pages/Index, 17500001"},
		{"4.0", "AttachApplication(const pid_t, const sptr<OHOS::AppExecFwk::IAppScheduler> &)##com.example.notebook"},
		{"4.1", "H:RecordInputEvent: first_move=1002"},
		{"4.1", "EXPLICIT_ANIMATOR, uid1003"},
		{"4.1", "H:EVENT_REPORT_RESPONSE_RS sceneId = APP_LIST_FLING, uniqueId = 1003"},
		{"4.1", "AbilityManagerClient::StartUIAbilityBySCB"},
		{"5.0.0", "H:Animation start and current sceneId=APP_LIST_FLING"},
		{"5.0.0", "ReportEventResponse responseLatency is "},
		{"5.0.0", "ReportEventHitchTimeRatio hitch time ratio is 0 ms/s: APP_LIST_FLING"},
		{"5.0.0", "C|1027|H:JANK_FRAME_1-5F"},
		{"5.1.0", "ms,maxFrameRefreshRate is 60fps: APP_LIST_FLING"},
		{"6.0", "(ns), pos=("},
		{"master", ", shaderTime: 0"},
	}
	for _, era := range eras {
		c := Demonstration()
		c.Era = era.name
		c.Injections = append(c.Injections, Injection{Cause: "draw_work", Vsync: 30, Length: 20_000_000})
		text, _ := simulated(t, c)
		for _, m := range markers {
			if got := bytes.Contains(text, []byte(m.text)); got != era.since(m.since) {
				t.Errorf("%s: has %q: %t", era.name, m.text, got)
			}
		}
		if old := bytes.Contains(text, []byte("AbilityManagerService::StartAbility")); old != (era.since("4.0") && !era.since("4.1")) {
			t.Errorf("%s: has the old start: %t", era.name, old)
		}
	}
}

// Nothing of it is written unless it is configured.
func TestNoInteractions(t *testing.T) {
	text, truth := simulated(t, Everything())
	for _, s := range []string{"RSJankStats", "APP_LIST_FLING", "OHOS::", "touchEventDispatch"} {
		if strings.Contains(string(text), s) {
			t.Errorf("has %s", s)
		}
	}
	if len(truth.Interactions) > 0 {
		t.Errorf("%d interactions", len(truth.Interactions))
	}
}
