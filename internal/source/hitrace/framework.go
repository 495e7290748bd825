package hitrace

import (
	"bytes"
	"math"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// ParseDisplaySync returns the request of a DisplaySync marker,
// "DisplaySyncId[N] Type[T] … DrawFPS[60] VSyncRate[120] Rate[2] noSkip[1]".
// Its type is UnknownSync before 5.0.3, which does not write one, and for numbers that are not
// known. ok is false if the id cannot be read.
func ParseDisplaySync(text []byte) (s analyzer.DisplaySync, ok bool) {
	_, rest, _ := bytes.Cut(text, []byte("["))
	if s.ID, rest = leadingInt(rest); s.ID < 0 || !bytes.HasPrefix(rest, []byte("]")) {
		return analyzer.DisplaySync{}, false
	}
	s.Type = analyzer.UnknownSync
	if rest, ok = bytes.CutPrefix(rest, []byte("] Type[")); ok {
		number, _, _ := bytes.Cut(rest, []byte("]"))
		switch string(number) {
		case "-1":
			s.Type = analyzer.CallbackSync
		case "0":
			s.Type = analyzer.AnimatorSync
		case "1":
			s.Type = analyzer.XComponentSync
		}
	}
	number := func(key string) int32 {
		_, rest, _ := bytes.Cut(text, []byte(key))
		n, rest := leadingInt(rest)
		if n < 0 || n > math.MaxInt32 || !bytes.HasPrefix(rest, []byte("]")) {
			return 0
		}
		return int32(n)
	}
	s.Rate, s.VsyncRate, s.Every = number(" DrawFPS["), number(" VSyncRate["), number(" Rate[")
	if s.Rate == 0 && s.Every > 0 { // before 5.0
		s.Rate = s.VsyncRate / s.Every
	}
	s.Skipped = bytes.Contains(text, []byte(" noSkip[0]"))
	return s, true
}

// ParseFlutterNumber returns the number of a FlutterFrame or FlutterDraw marker; zero if absent.
func ParseFlutterNumber(text []byte) (number int64, damaged bool) {
	l := label{text: text}
	return l.number("frame_number"), l.damaged
}

// ParseFlutterVsync returns the time at which the vsync of a FlutterVsync marker was due; zero
// if absent.
func ParseFlutterVsync(text []byte) (now trace.Monotonic, damaged bool) {
	l := label{text: text}
	return l.time("StartTime"), l.damaged
}

// ParseWebFrame returns the id of the frame of a WebFrame, WebSubmit or WebSkip marker; zero if
// absent, as in systems before ArkWeb wrote it.
func ParseWebFrame(text []byte) (id int64) {
	_, rest, _ := bytes.Cut(text, []byte(" trace_id="))
	id, _ = leadingInt(rest)
	return max(0, id)
}

// ParseVsyncRequested returns the name of the connection of a VsyncRequested marker.
func ParseVsyncRequested(text []byte) []byte { return bytes.TrimSuffix(text, requestSuffix) }

// ParseVsyncSent returns the name of the connection of a VsyncSent marker.
func ParseVsyncSent(text []byte) []byte {
	name, _ := field(text, "conn")
	name, _, _ = bytes.Cut(name, []byte(", now"))
	return name
}

// IsUndamaged reports whether a FlutterDamage marker, "… frame_damage:<x,y,width,height>", is of a picture
// without any change.
func IsUndamaged(text []byte) bool {
	damage, _ := field(text, "frame_damage")
	damage, _ = bytes.CutPrefix(damage, []byte("<"))
	damage, _, ok := bytes.Cut(damage, []byte(">"))
	numbers := bytes.Split(damage, []byte(","))
	zero := func(number []byte) bool { return string(bytes.TrimSpace(number)) == "0" }
	return ok && len(numbers) == 4 && (zero(numbers[2]) || zero(numbers[3]))
}
