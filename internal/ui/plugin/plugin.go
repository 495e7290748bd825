// Package plugin has a plugin of Perfetto's UI, as a script that registers it. The pages of
// the UI that this program serves load it.
//
//	src ── make plugin ──▶ ohframe.js ─▶ Script
package plugin

import _ "embed"

// Script is the JavaScript.
//
//go:embed ohframe.js
var Script []byte
