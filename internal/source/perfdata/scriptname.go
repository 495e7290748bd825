package perfdata

import (
	"bytes"
	"math"
	"strconv"

	"ohframe/analyzer/sample"
	"ohframe/internal/pattern"
)

// scriptFunction is a function of a source file.
type scriptFunction struct {
	module int32
	name   string
}

// script returns the frame of a function of a source file at a line, which is unknown if it is not
// positive.
func (t *tables) script(name string, url []byte, line int64) sample.Frame {
	f := sample.Frame{Module: t.module(url, false), Line: int32(max(0, min(line, math.MaxInt32)))}
	name = functionName(name, f.Line)
	key := scriptFunction{f.Module, name}
	symbol, ok := t.scripts[key]
	if !ok {
		symbol = int32(-1 - len(t.scripts)) // others are not negative
		t.scripts[key] = symbol
	}
	f.Function = t.function(f.Module, symbol, []byte(name))
	return f
}

// codeState is how the code of a function is executed, which makes it no other function.
var codeState = pattern.New(`\((AINT|AINT-D|CINT|AOT|RUNTIME|JIT|DEOPT:[^()]*)\)`)

// anonymous is the name of functions without one.
const anonymous = "anonymous"

// functionName returns the name of a function at a line, without the state of its code. The line is
// the name of a function that has no other.
func functionName(name string, line int32) string {
	name = codeState().ReplaceAllString(name[:min(len(name), maxName)], "")
	switch {
	case name != "" && name != anonymous:
		return name
	case line == 0:
		return anonymous
	}
	return anonymous + ":" + strconv.Itoa(int(line))
}

// scriptSymbol returns the parts of the name that hiperf gives a function of a script, with the
// place where it was:
//
//	build:[url:entry|entry|1.0.0|src/main/ets/pages/Index.ts:20:5]
//
// Engines of JavaScript leave out "url:". The place is not a part of the name, so that all samples
// in the function are of one.
//
// Source: openharmony/hiviewdfx_faultloggerd, dfx_ark.h; openharmony/developtools_hiperf,
// symbols_file.cpp.
func scriptSymbol(symbol []byte) (name string, url []byte, line int64, ok bool) {
	rest, ok := bytes.CutSuffix(symbol, []byte("]"))
	i := bytes.LastIndex(rest, []byte(":["))
	if !ok || i < 0 {
		return "", nil, 0, false
	}
	url = bytes.TrimPrefix(rest[i+2:], []byte("url:"))
	var numbers [2]int64 // column and line
	for n := range numbers {
		colon := bytes.LastIndexByte(url, ':')
		if colon < 0 {
			return "", nil, 0, false
		}
		v, err := strconv.ParseInt(string(url[colon+1:]), 10, 64)
		if err != nil {
			return "", nil, 0, false
		}
		numbers[n], url = v, url[:colon]
	}
	return string(symbol[:i]), url, numbers[1], len(url) > 0
}
