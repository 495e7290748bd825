package hitrace

import (
	"bytes"
	"math"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// RateVoteText has the fields of a RateVote or RateCounted marker.
type RateVoteText struct {
	analyzer.Vote
	Given   bool // of a RateVote: the vote is given, not withdrawn
	Skipped bool // of a RateCounted: the vote does not count now
	Grouped bool // of a RateCounted: the form is that of 5.0, which counts some voters together
}

// ParseRateVote reads the label of a RateVote or RateCounted marker, such as
// "Deliver voter:VOTER_IDLE(pid:0 extInfo:), status:1, value:[60-60]" and
// "Process voter:VOTER_IDLE(pid:0), value:[60-60] skip: false".
func ParseRateVote(text []byte) (v RateVoteText, ok bool) {
	_, text, _ = bytes.Cut(text, []byte("voter:"))
	name, rest, named := bytes.Cut(text, []byte("("))
	pid, found := field(rest, "pid")
	n, _ := leadingInt(pid)
	_, value, ranged := bytes.Cut(rest, []byte("value:["))
	v.Min, v.Max, rest, ok = rateRange(value, '-')
	if !ok || !named || !found || !ranged || n < 0 || n > math.MaxInt32 || !isVoter(name) {
		return RateVoteText{}, false
	}
	v.Voter, v.PID = string(name), trace.PID(n)
	_, status, _ := bytes.Cut(text, []byte("status:"))
	v.Given = len(status) > 0 && status[0] == '1'
	rest, v.Grouped = bytes.CutPrefix(rest, []byte(" skip: "))
	v.Skipped = bytes.HasPrefix(rest, []byte(" skip")) || v.Grouped && bytes.HasPrefix(rest, []byte("true"))
	return v, true
}

// ParseRateDecided reads the label of a RateDecided marker: "VoteRes: VOTER_IDLE[60, 60]". The voter is
// empty if none limits the rate.
func ParseRateDecided(text []byte) (v analyzer.Vote, ok bool) {
	open := bytes.IndexByte(text, '[')
	if open < 0 {
		return v, false
	}
	name := text[bytes.LastIndexByte(text[:open], ' ')+1 : open]
	v.Min, v.Max, _, ok = rateRange(text[open+1:], ',')
	if !ok || len(name) > 0 && !isVoter(name) {
		return analyzer.Vote{}, false
	}
	v.Voter = string(name)
	return v, true
}

// maxRate is above the refresh rate of any display, in hertz.
const maxRate = 10000

// rateRange reads "60-90]" or "60, 90]".
func rateRange(text []byte, separator byte) (low, high int64, rest []byte, ok bool) {
	low, text = leadingInt(text)
	if len(text) == 0 || text[0] != separator {
		return 0, 0, nil, false
	}
	high, text = leadingInt(text[skipBlanks(text, 1):])
	ok = low >= 0 && high >= low && high <= maxRate && len(text) > 0 && text[0] == ']'
	if !ok {
		return 0, 0, nil, false
	}
	return low, high, text[1:], true
}

// isVoter reports whether a name is spelled like that of a voter.
func isVoter(name []byte) bool {
	for _, c := range name {
		if (c < 'A' || c > 'Z') && c != '_' && !isDigit(c) {
			return false
		}
	}
	return len(name) > 0
}

// ParseTouchState reports whether a TouchState marker says that a finger touches the screen, or has left it.
func ParseTouchState(text []byte) (touches, left bool) {
	return bytes.HasSuffix(text, []byte("-> TouchDown")), bytes.HasSuffix(text, []byte("-> TouchUp"))
}
