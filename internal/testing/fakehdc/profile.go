//go:build unix

package fakehdc

import "slices"

// profile is what differs between system versions.
type profile struct {
	system string
	api    int
	name   string // of the system
	era    string // of internal/testing/simulate
	// legacy is the hitrace of 3.2 and 4.0: plain lines, no sessions.
	legacy bool
	busy   int // the code of OpenRecording while another session is open
	// checksOn: finish and dump first check that tracing is on, finish prints that
	// the trace is closed.
	checksOn bool
	// developer: there is a parameter of the developer mode.
	developer bool
	// codes: errors of hdc have codes.
	codes bool
	tags  []string
}

var profiles = makeProfiles()

func makeProfiles() []profile {
	tags := []string{
		"ability", "accesscontrol", "account", "ace", "app", "ark", "binder", "bluetooth", "camera", "disk", "dsched",
		"filemanagement", "freq", "graphic", "gresource", "idle", "irq", "load", "mmc", "multimodalinput", "net", "notification",
		"nweb", "ohos", "power", "rpc", "sched", "sync", "ufs", "window", "workq", "zaudio", "zimage", "zmedia",
	}
	with := func(more ...string) []string {
		tags = slices.Sorted(slices.Values(append(slices.Clone(tags), more...)))
		return tags
	}
	return []profile{
		{system: "3.2", api: 9, name: "OpenHarmony-3.2.13.5", era: "3.2", legacy: true, tags: tags},
		{system: "4.0", api: 10, name: "OpenHarmony-4.0.10.13", era: "4.0", legacy: true, tags: tags},
		{system: "4.1", api: 11, name: "OpenHarmony-4.1.7.5", era: "4.1", busy: 1002, developer: true, tags: with("animation", "virse", "push", "security")},
		{system: "5.0", api: 12, name: "OpenHarmony-5.0.0.71", era: "5.0.3", busy: 1002, developer: true, codes: true, tags: with("commercial", "drm")},
		{system: "5.1", api: 18, name: "OpenHarmony-5.1.0.107", era: "5.1.0", busy: 1012, checksOn: true, developer: true, codes: true, tags: tags},
		{system: "6.0", api: 20, name: "OpenHarmony-6.0.0.47", era: "6.0", busy: 1102, checksOn: true, developer: true, codes: true, tags: with("erofs")},
		{system: "6.1", api: 23, name: "OpenHarmony-6.1.0.31", era: "6.1", busy: 1102, checksOn: true, developer: true, codes: true, tags: with("hmfs", "schedlt")},
	}
}

// Systems returns the system versions that have a profile.
func Systems() (names []string) {
	for _, p := range profiles {
		names = append(names, p.system)
	}
	return names
}

func findProfile(system string) profile {
	i := slices.IndexFunc(profiles, func(p profile) bool { return p.system == system })
	if i < 0 {
		i = slices.IndexFunc(profiles, func(p profile) bool { return p.system == "5.0" })
	}
	return profiles[i]
}

// tagsOf returns the tags that the device has.
func tagsOf(d *Device) []string {
	return slices.DeleteFunc(slices.Clone(findProfile(d.System).tags), func(t string) bool { return slices.Contains(d.Without, t) })
}
