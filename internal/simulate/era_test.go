package simulate

import (
	"regexp"
	"testing"

	"ohframe/internal/slow"
)

// TestEras checks the spelling of every era: each pattern must match a line,
// from the marker's name to the line's end. What a pattern does not match must
// not occur either, for markers of the same start.
func TestEras(t *testing.T) {
	slow.SkipRace(t)
	tests := []struct {
		era    string
		marks  map[string]string // start of a marker: the whole of it
		absent []string
	}{
		{"3.2", map[string]string{
			"ReceiveVsync":             `ReceiveVsync, dataCount:\d+bytes, now:\d+ `,
			"Marsh ?RSTransactionData": `Marsh RSTransactionData: cmd count:\d+ transactionFlag:\[\d+, \d+\],isUni:\d `,
			`RSMainThread::DoComp`:     `RSMainThread::DoComposition `,
			`RSMainThread::Process`:    `RSMainThread::ProcessCommandUni(, (skip to)?\[\d+, \d+\])* `,
			"GenerateVsyncCount":       `GenerateVsyncCount:\d+ `,
			"FlushVsync":               `FlushVsync `,
			"M: Frame":                 `M: Frame queued \d+`,
			"Repaint":                  `Repaint `,
		}, []string{`expectedEnd`, `CommitLayers|CommitAndRelease`, `Fence`, `cache`, `RenderFrame`, `UIVsyncTask`, `\|\d+\|H:\S+\|[MI]\d\d`, `UI skip`}},
		{"dev-2023-03", map[string]string{
			"ReceiveVsync":             `ReceiveVsync, dataCount:\d+bytes, now:\d+ expectedEnd:\d+ vsyncId:\d+ `,
			"Marsh ?RSTransactionData": `MarshRSTransactionData cmdCount:\d+ transactionFlag:\[\d+,\d+\] isUni:\d `,
		}, nil},
		{"4.0", map[string]string{
			"ReceiveVsync":             `ReceiveVsync dataCount:\d+bytes now:\d+ expectedEnd:\d+ vsyncId:\d+ `,
			"Marsh ?RSTransactionData": `MarshRSTransactionData cmdCount:\d+ transactionFlag:\[\d+,\d+\] `,
			`RSMainThread::DoComp`:     `RSMainThread::DoComposition `,
			`RSMainThread::Process`:    `RSMainThread::ProcessCommandUni( (skip to)?\[\d+,\d+\])* `,
			"GenerateVsyncCount":       `GenerateVsyncCount:\d+, period:\d+ `,
			"RSHardwareThread":         `RSHardwareThread::CommitAndReleaseLayers `,
			"DisplayNode skip":         `DisplayNode skip `,
			"M: Frame":                 `M: Frame queued \d+`,
		}, []string{`cache`, `RenderFrame`, `UIVsyncTask`, `UI skip`, `name:rs`}},
		{"4.1", map[string]string{
			"ReceiveVsync":                   `ReceiveVsync dataCount:\d+bytes now:\d+ expectedEnd:\d+ vsyncId:\d+ `,
			`RSMainThread::DoComp`:           `RSMainThread::DoComposition `,
			"RSHardwareThread::Commit":       `RSHardwareThread::CommitAndReleaseLayers rate: \d+, now: \d+ `,
			"RSHardwareThread::PerformSet":   `RSHardwareThread::PerformSetActiveMode setting active mode\. rate: \d+ `,
			"GenerateVsyncCount":             `GenerateVsyncCount:\d+, period:\d+, currRefreshRate_:\d+, vsyncMode_:\d+ `,
			"Present ?Fence":                 `Present Fence \d+( has signaled)? `,
			"Waiting for":                    `Waiting for Present Fence \d+ `,
			"RSUniRender:FlushFrame":         `RSUniRender:FlushFrame `,
			"UnMarsh RSTransactionData: rec": `UnMarsh RSTransactionData: recv data from \d+ `,
		}, []string{`cache`, `H:RenderFrame`}},
		{"dev-2024-03", map[string]string{
			`RSMainThread::DoComp`:  `RSMainThread::DoComposition: \d+ `,
			`RSMainThread::Process`: `RSMainThread::ProcessCommandUni(( (skip to)?|cache )\[\d+,\d+\])* `,
		}, nil},
		{"5.0.0", map[string]string{
			"ReceiveVsync":             `ReceiveVsync dataCount: \d+bytes now: \d+ expectedEnd: \d+ vsyncId: \d+ `,
			"Marsh ?RSTransactionData": `MarshRSTransactionData cmdCount:\d+ transactionFlag:\[\d+,\d+\] `,
			`RSMainThread::DoComp`:     `RSMainThread::DoComposition: \d+ `,
			`RSMainThread::Process`:    `RSMainThread::ProcessCommandUni( ((skip to|cache )?\[\d+,\d+\]|cache \(\d+,\d+\)))* `,
			"RenderFrame":              `RenderFrame `,
			"RSHardwareThread::Commit": `RSHardwareThread::CommitAndReleaseLayers rate: \d+, now: \d+, size: \d+ `,
			"DisplayNode skip":         `DisplayNode skip `,
		}, []string{`vsyncId: \d+, fd`}},
		{"5.0.3", map[string]string{
			"ReceiveVsync":             `ReceiveVsync dataCount: \d+bytes now: \d+ expectedEnd: \d+ vsyncId: \d+, fd:\d+ `,
			"RSHardwareThread::Commit": `RSHardwareThread::CommitAndReleaseLayers rate: \d+, now: \d+, vsyncId: \d+, size: \d+ `,
			"UIVsyncTask":              `UIVsyncTask\[timestamp:\d+\]\[vsyncID:\d+\] `,
			"UV_TRACE":                 `UV_TRACE `,
			"M: Frame":                 `M: Frame queued \d+`,
		}, []string{`name:rs`, `FlushVsync`}},
		{"5.1.0", map[string]string{
			"ReceiveVsync":             `ReceiveVsync name:\S+ dataCount: \d+bytes now: \d+ expectedEnd: \d+ vsyncId: \d+, fd:\d+ `,
			"RSHardwareThread::Commit": `RSHardwareThread::CommitAndReleaseLayers rate: \d+, now: \d+, vsyncId: \d+, size: \d+, Names:.+ `,
			"DisplayNode skip":         `DisplayNode skip, isForceCommitLayer: \d `,
			"M: Frame":                 `M: Frame queued\|\d+`,
		}, []string{`UI skip`, `timestamp:\d+ $`}},
		{"harmonyos-5.1", map[string]string{
			"ReceiveVsync":             `ReceiveVsync name:\S+ dataCount: \d+bytes now: \d+ expectedEnd: \d+ vsyncId: \d+, fd:\d+\|M0538`,
			"Marsh ?RSTransactionData": `MarshRSTransactionData cmdCount:\d+ transactionFlag:\[\d+,\d+\]\|M0538`,
			"M: Frame":                 `M: Frame queued\|\d+\|M0538`,
		}, nil},
		{"dev-2025-04", map[string]string{
			"Marsh ?RSTransactionData": `MarshRSTransactionData cmdCount: \d+, transactionFlag:\[\d+, \d+, \d+\], timestamp:\d+\|M0538`,
		}, nil},
		{"6.0-novulkan", map[string]string{
			"Marsh ?RSTransactionData": `MarshRSTransactionData cmdCount: \d+, transactionFlag:\[\d+,\d+\], timestamp:\d+\|M0538`,
		}, nil},
		{"6.0", map[string]string{
			"ReceiveVsync":             `ReceiveVsync name:\S+ dataCount: \d+bytes now: \d+ expectedEnd: \d+ vsyncId: \d+, fd:\d+\|M0538`,
			"OnVsyncEvent":             `OnVsyncEvent now:\d+\|I39`,
			"UIVsyncTask":              `UIVsyncTask\[timestamp:\d+\]\[vsyncID:\d+\]\|M0539`,
			"Marsh ?RSTransactionData": `MarshRSTransactionData cmdCount: \d+, transactionFlag:\[\d+,\d+\], tid:\d+, timestamp:\d+\|M0538`,
			"UI skip":                  `UI skip\|M0538`,
			`RSMainThread::DoComp`:     `RSMainThread::DoComposition: \d+\|I38`,
			`RSMainThread::Process`:    `RSMainThread::ProcessCommandUni( ((skip to|cache )?\[\d+,\d+\]|cache \(\d+,\d+\)))*\|M0538`,
			"RenderFrame":              `RenderFrame\|M0538`,
			"CommitLayers":             `CommitLayers rate:\d+,now:\d+,vsyncId:\d+,size:\d+,Names:[^|]+\|M0538`,
			"Repaint":                  `Repaint\|I38`,
			"Present ?Fence":           `Present Fence \d+( has signaled)?\|I38`,
			"Waiting for":              `Waiting for Present Fence \d+\|I38`,
			"GenerateVsyncCount":       `GenerateVsyncCount:\d+, period:\d+, currRefreshRate_:\d+, vsyncMode_:\d+\|M0538`,
			"DisplayNode skip":         `DisplayNode skip, forceCommitReason: \d\|M0538`,
			"M: Frame":                 `M: Frame queued\|\d+\|M0538`,
		}, []string{`PerformSetActiveMode`, `E\|\d+\|$`}},
		{"6.1", map[string]string{
			"ReceiveVsync":       `ReceiveVsync name:\S+ dataCount: \d+bytes now:\d+ expectedEnd: \d+ vsyncId:\d+, fd:\d+\|M0538`,
			"CommitLayers":       `CommitLayers screenId:\d+(, rate:\d+, now:\d+, vsyncId:\d+,         size:\d+, taskNum:\d+ Names:[^|]+)?\|M0538`,
			"Repaint":            `Repaint\|M0538`,
			"Present ?Fence":     `PresentFence_0 \d+( has signaled)?\|I38`,
			"Waiting for":        `Waiting for PresentFence_0 \d+\|I38`,
			"GenerateVsyncCount": `GenerateVsyncCount:\d+, period:\d+, currRefreshRate:\d+, vsyncMode:\d+, now:\d+\|M0538`,
			"SendVsyncTo":        `SendVsyncTo conn: \S+, now:\d+, refreshRate:\d+\|M0538`,
		}, []string{`-\d+ +\( *\d+\) .*RSHardwareThrea`}},
		{"harmonyos-6.1", map[string]string{
			"ReceiveVsync":    `ReceiveVsync name:\S+ dataCount: \d+bytes now:\d+ expectedEnd: \d+ vsyncId:\d+, fd:\d+\|M0538`,
			"CommitLayers":    `CommitLayers (screenId:\d+|rate:\d+,now:\d+,vsyncId:\d+,size:\d+,Names:[^|]+)\|M0538`,
			"ScreenNode skip": `ScreenNode skip, forceCommitReason: \d\|M0538`,
			"RecordPresentFd": `RecordPresentFd vsyncId:\d+, presentFd:\d+\|M0538`,
		}, []string{`DisplayNode skip`}},
		{"master", map[string]string{
			"CommitLayers":                `CommitLayers (screenId:\d+|rate:\d+,now:\d+,vsyncId:\d+,size:\d+)\|M0538`,
			"MarshRSLayerTransactionData": `MarshRSLayerTransactionData cmdCount: \d+, transactionFlag:\[\d+, \d+\], timestamp:\d+\|M0538`,
			"ScreenNodeSkip":              `ScreenNodeSkip skip commit\|M0538`,
			"UIVsyncTask":                 `UIVsyncTask\[timestamp:\d+\]\[vsyncID:\d+\]\[instanceID:\d+\]\|M0539`,
		}, nil},
	}
	known := map[string]bool{}
	for _, test := range tests {
		known[test.era] = true
		t.Run(test.era, func(t *testing.T) {
			text, _ := simulateText(t, everything(test.era))
			for start, whole := range test.marks {
				all := regexp.MustCompile(`(?m)\|H:`+start+`.*$`).FindAll(text, -1)
				if len(all) == 0 {
					t.Errorf("no marker starts with %s", start)
				}
				right := regexp.MustCompile(`^\|H:` + whole + `$`)
				for _, mark := range all {
					if !right.Match(mark) {
						t.Errorf("%q is not as %s", mark, whole)
						break
					}
				}
			}
			for _, pattern := range test.absent {
				if found := regexp.MustCompile(`(?m)^.*(` + pattern + `).*$`).Find(text); found != nil {
					t.Errorf("%q holds %s", found, pattern)
				}
			}
		})
	}
	for _, era := range Eras() {
		if !known[era] {
			t.Errorf("era %s is not tested", era)
		}
	}
}

// TestSliceEnds checks what follows `E|pid|`.
func TestSliceEnds(t *testing.T) {
	slow.SkipRace(t)
	for era, want := range map[string]string{
		"3.2": ` `, "4.0": ``, "5.0.3": ``, "5.1.0": ``, "harmonyos-5.1": `[MI]\d+`, "6.0": `[MI]\d+`, "6.1": `[MI]\d+`,
	} {
		text, _ := simulateText(t, everything(era))
		right := regexp.MustCompile(`: E\|\d+\|` + want + `$`)
		for _, line := range regexp.MustCompile(`(?m)^.*: E\|.*$`).FindAll(text, -1) {
			if !right.Match(line) {
				t.Errorf("%s: %q", era, line)
				break
			}
		}
	}
}

// TestThreads checks which thread does what.
func TestThreads(t *testing.T) {
	slow.SkipRace(t)
	texts := map[string][]byte{}
	for _, test := range []struct{ era, mark, comm string }{
		{"3.2", "Repaint", "render_service"},
		{"4.0", "RSHardwareThread::Commit", "RSHardwareThrea"},
		{"4.1", "RSUniRender:FlushFrame", "render_service"},
		{"4.1", "DisplayNode skip", "render_service"},
		{"5.0.0", "RenderFrame", "RSUniRenderThre"},
		{"5.0.0", "DisplayNode skip", "RSUniRenderThre"},
		{"6.0", "CommitLayers", "RSHardwareThrea"},
		{"6.0", "Waiting for Present Fence", "Present Fence"},
		{"6.0", "GenerateVsyncCount", "VSyncGenerator"},
		{"6.0", "ReceiveVsync name:gallery0", "example.gallery"},
		{"6.1", "CommitLayers screenId:0, rate", "CompThread_0"},
		{"6.1", "CommitLayers screenId:0|", "RSUniRenderThre"},
		{"6.1", "Waiting for PresentFence_0", "PresentFence_0"},
		{"6.1", "SendVsyncTo", "VSyncGenerator"},
	} {
		if texts[test.era] == nil {
			texts[test.era], _ = simulateText(t, everything(test.era))
		}
		text := texts[test.era]
		lines := regexp.MustCompile(`(?m)^ *(.*)-\d+ +\( *\d+\).*\|H:`+regexp.QuoteMeta(test.mark)).FindAllSubmatch(text, -1)
		if len(lines) == 0 {
			t.Errorf("%s: no %s", test.era, test.mark)
		}
		for _, m := range lines {
			if string(m[1]) != test.comm {
				t.Errorf("%s: %s on %s, not on %s", test.era, test.mark, m[1], test.comm)
				break
			}
		}
	}
}

// Without the debug property, 4.0 tells of no transaction being taken.
func TestNoDebugMarkers(t *testing.T) {
	c := everything("4.0")
	c.NoDebugMarkers = true
	text, truth := simulateText(t, c)
	if regexp.MustCompile("ProcessCommandUni").Match(text) {
		t.Error("ProcessCommandUni is there")
	}
	for _, f := range truth.Frames {
		if f.TakenBy != nil || f.Kind == RenderFrame && !f.Empty {
			t.Fatalf("%+v", f)
		}
	}
}
