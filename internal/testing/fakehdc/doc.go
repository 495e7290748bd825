// Package fakehdc imitates hdc and the tools of the devices behind it, for tests. The
// program in cmd/hdc is put in PATH in place of hdc:
//
//	ohframe record ──▶ hdc (fake) ──▶ /bin/sh with hitrace, param, aa … of device.sh in PATH
//	                       │
//	                   a folder: config.json, log.jsonl, state, one root per device
//
// What it prints follows the sources of hdc and hitrace of each system version; a
// profile has what differs. What hitrace records comes from internal/testing/simulate. It runs
// on Unix only, as it needs a shell.
package fakehdc
