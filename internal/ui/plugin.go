//go:build !js

package ui

import _ "embed"

// Plugin is a plugin of Perfetto's UI, as a script that registers it. The pages of the UI that this
// program serves load it.
//
//	plugin/src ── make plugin ──▶ plugin/ohframe.js ─▶ Plugin
//
//go:embed plugin/ohframe.js
var Plugin []byte
