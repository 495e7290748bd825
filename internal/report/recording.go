package report

import (
	"strings"

	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

// Recording says how a trace was recorded. Unknown facts are nil.
type Recording struct {
	App          *string  `json:"app"` // application and device
	AppVersion   *string  `json:"app_version"`
	DeviceModel  *string  `json:"device_model"`
	DeviceSystem *string  `json:"device_system"`
	RefreshHz    *float64 `json:"refresh_hz"` // its refresh rate when the recording began
	Clock        *string  `json:"clock"`      // "mono" or "boot"
	DebugUI      bool     `json:"debug_ui"`   // recorded with "--debug-ui", which slows the application down
}

// NewRecording returns the facts of m that a report has, nil if m is nil.
func NewRecording(m *meta.Meta) *Recording {
	if m == nil {
		return nil
	}
	r := &Recording{DeviceModel: orNil(m.Device.Model), DeviceSystem: orNil(m.Device.System), RefreshHz: orNil(m.Device.RefreshHz), Clock: orNil(m.Clock), DebugUI: len(m.DebugUI) > 0}
	if m.App != nil {
		r.App, r.AppVersion = orNil(m.App.Bundle), orNil(m.App.Version)
	}
	return r
}

// orNil returns nil for a zero value.
func orNil[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// String returns the facts on one line, for people.
func (r *Recording) String() string {
	var facts []string
	add := func(before string, fact *string) {
		if fact != nil {
			facts = append(facts, before+text.Printable(*fact))
		}
	}
	add("", r.App)
	add("version ", r.AppVersion)
	add("", r.DeviceModel)
	add("", r.DeviceSystem)
	if r.RefreshHz != nil {
		facts = append(facts, text.Number(*r.RefreshHz, 0)+" Hz")
	}
	add("clock ", r.Clock)
	if r.DebugUI {
		facts = append(facts, "slowed down by ArkUI's debug parameters")
	}
	return strings.Join(facts, " · ")
}
