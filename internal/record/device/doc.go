// Package device has everything that is assumed of an OpenHarmony device: its
// commands, their outputs, paths and tags, by system version. It runs nothing. Its
// scripts are for hdc.Client.Shell, and its functions parse what they print.
//
//	ProbeScript  ──▶ ParseProbe   what the device is and whether it can record
//	Tracing      ──▶ CheckBegin, ParseEnd   one recording with hitrace
//	StartScript, StopScript ──▶ CheckStart  applications
//
// Sources: the OpenHarmony repositories hiviewdfx_hitrace, hiviewdfx_hiview,
// ability_ability_runtime, graphic_graphic_2d and third_party_toybox, branches 3.2 to
// 6.1. What was not read there is marked "unverified". Nothing was run on a phone.
package device
