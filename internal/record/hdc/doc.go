// Package hdc runs hdc, the device connector of OpenHarmony and HarmonyOS.
//
//	Find ──▶ Client ──▶ Devices, Choose      hdc list targets
//	                ──▶ Shell                hdc shell: text in, output and status out
//	                ──▶ Receive              hdc file recv
//
// The exit status of hdc is always 0, errors are on standard output, and a lost
// device looks like a command without output. Therefore a Shell call ends with a line
// of its own, which must come back, and a received file must have its remote size.
// Every call has a time limit and runs in its own process group, so that Ctrl-C on
// the terminal does not reach it.
//
// Errors are *failure.Error with a hint. They wrap one of the Err values.
//
// Source of the outputs: the OpenHarmony repository developtools_hdc, branches 3.2 to
// 6.0, and runs of hdc 3.1.0b against its own daemon.
package hdc
