// Package hitrace reads the text traces of OpenHarmony and HarmonyOS: bytes in,
// events out. It knows how lines and markers are spelled, in every version of the system
// from 3.2 on, but not what a frame is.
//
// A line is what the kernel's ftrace prints:
//
//	 render_service-1027  ( 1027) [003] ....   100.000495: tracing_mark_write: B|1027|H:ReceiveVsync now:1|M0538
//	|     COMM     | TID |  TGID |  CPU | FLAGS|  TIME    |      EVENT        |              ARGS              |
//
// COMM may contain spaces, dashes and slashes or be empty; TGID may be dashes, blank
// or missing; FLAGS are three to eight characters or
// missing, and no blank need follow them; TIME has six digits of fraction or nine.
// White space at the end of a line is ignored.
//
// The args of a marker, which an application or a system service writes, are a payload:
//
//	B|PID|H:NAME|SUFFIX         a slice begins on this thread
//	E|PID|SUFFIX                the thread's innermost slice ends
//	S|PID|H:NAME|COOKIE|SUFFIX  an asynchronous slice begins
//	F|PID|H:NAME|COOKIE|SUFFIX  it ends
//	C|PID|H:NAME|VALUE|SUFFIX   a counter changes to a value
//	I|PID|NAME                  an instant on this thread
//	N|PID|TRACK|NAME            an instant on a named track
//	G|PID|TRACK|NAME|COOKIE     a slice begins on a named track
//	H|PID|TRACK|NAME|COOKIE     it ends
//
// SUFFIX is a level and the tags of the writer, "M0538". Systems before 5.1 have
// no SUFFIX: a name ends in a blank, and a blank precedes COOKIE and VALUE.
//
// Lines that cannot be read are never fatal here. They are counted by reason, see
// Problem.
package hitrace
