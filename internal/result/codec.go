package result

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/unpack"
)

// codec writes or reads values by walking their types: one walk serves both, and no field is named.
//
//	struct     which fields are not zero, a bit for each, and these fields
//	slice      the number of elements, and these
//	pointer    what it points to; nil is zero
//	text       its number plus one, or 0 and, as for all that are new, length and bytes
//	Time       relative to the time before it
//	*Frame     its number, relative to that of the current frame
//	*Process   its number plus one, or 0 and the name of one that the trace does not have
//	*Buffer, *Interaction   the number
//
// Whole numbers are varints, those that may be negative in zigzag encoding.
type codec struct {
	writing bool
	to      io.Writer // nil to keep all in out
	out     []byte    // not yet written
	in      *bufio.Reader
	limits  trace.Limits
	err     error // the first, of reading
	depth   int   // of pointers
	spent   int   // texts and elements of lists that were read

	texts   []string // by number
	numbers map[string]int

	timeline     *analyzer.Timeline
	processes    map[*analyzer.Process]int
	frames       map[*analyzer.Frame]int
	interactions map[*analyzer.Interaction]int
	buffers      map[*analyzer.Buffer]int
	list         []*analyzer.Buffer // of all layers
	// base and current are what the next time and the next frame are relative to. So most numbers
	// are small.
	base    trace.Time
	current int
}

func newCodec(t *analyzer.Timeline, l trace.Limits) *codec {
	return &codec{
		limits: l.WithDefaults(), numbers: map[string]int{}, timeline: t, processes: map[*analyzer.Process]int{},
		frames: make(map[*analyzer.Frame]int, len(t.Frames)), interactions: map[*analyzer.Interaction]int{}, buffers: map[*analyzer.Buffer]int{},
	}
}

// errDamaged is the error of data that this package does not write.
var errDamaged = errors.New("damaged")

func (c *codec) fail() { c.failed(errDamaged) }

func (c *codec) failed(err error) {
	if c.err == nil {
		c.err = err
	}
}

// spend counts a text or an element of a list that is read. It returns false after an error.
func (c *codec) spend() bool {
	if c.spent++; c.spent > c.limits.States {
		c.failed(&unpack.LimitError{Limit: "states", What: "the result in the trace has more facts about frames than are read"})
	}
	return c.err == nil
}

// flush writes what there is, if it is much or the last.
func (c *codec) flush(last bool) {
	const much = 64 << 10
	if c.to != nil && (last || len(c.out) >= much) {
		c.to.Write(c.out) // a bytes.Buffer returns no errors
		c.out = c.out[:0]
	}
}

// unsigned writes a number and returns it, or reads one: 0 after an error.
func (c *codec) unsigned(x uint64) uint64 {
	if c.writing {
		c.out = binary.AppendUvarint(c.out, x)
		return x
	}
	if c.err != nil {
		return 0
	}
	x, err := binary.ReadUvarint(c.in)
	if err != nil {
		c.failed(cut(err))
		return 0
	}
	return x
}

// cut returns the error of data that ends early, or that of its reader.
func cut(err error) error {
	var over *unpack.LimitError
	if errors.As(err, &over) {
		return over
	}
	return errDamaged
}

func (c *codec) signed(x int64) int64 {
	return protowire.DecodeZigZag(c.unsigned(protowire.EncodeZigZag(x)))
}

// index writes or reads the index of an element of a list of the given length.
func (c *codec) index(i, length int) int {
	i = int(c.unsigned(uint64(i)))
	if i < 0 || i >= length {
		c.fail()
		return -1
	}
	return i
}

// number writes or reads the length of a list. That of one that is read may be too large: it is damaged
// where its elements end.
func (c *codec) number(n int) int {
	n = int(c.unsigned(uint64(n)))
	if n < 0 {
		c.fail()
		return 0
	}
	return n
}

func (c *codec) text(s string) string {
	if c.writing {
		if n, ok := c.numbers[s]; ok {
			c.unsigned(uint64(n))
			return s
		}
		c.numbers[s] = len(c.numbers) + 1
		c.out = binary.AppendUvarint(append(c.out, 0), uint64(len(s)))
		c.out = append(c.out, s...)
		return s
	}
	n := c.unsigned(0)
	switch {
	case c.err != nil:
		return ""
	case n > uint64(len(c.texts)):
		c.fail()
		return ""
	case n > 0:
		return c.texts[n-1]
	}
	length := c.unsigned(0)
	if length > uint64(c.limits.Line) {
		c.failed(&unpack.LimitError{Limit: "line", What: "the result in the trace has a longer text than is read"})
	}
	if !c.spend() {
		return ""
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(c.in, b); err != nil {
		c.failed(cut(err))
		return ""
	}
	c.texts = append(c.texts, string(b))
	return c.texts[len(c.texts)-1]
}

// time writes or reads a time that is known.
func (c *codec) time(t trace.Time) trace.Time {
	d := c.signed(int64(t) - int64(c.base))
	if d > trace.MaxTime || d < -trace.MaxTime || int64(c.base)+d <= 0 || int64(c.base)+d > trace.MaxTime {
		c.fail()
		return 0
	}
	c.base += trace.Time(d)
	return c.base
}

func (c *codec) frame(v reflect.Value) {
	n := 0
	if c.writing {
		n = c.frames[v.Interface().(*analyzer.Frame)] - c.current
	}
	if n = int(c.signed(int64(n))) + c.current; n < 0 || n >= len(c.timeline.Frames) {
		c.fail()
	} else if !c.writing {
		v.Set(reflect.ValueOf(c.timeline.Frames[n]))
	}
}

func (c *codec) process(v reflect.Value) {
	n, name := 0, ""
	if c.writing {
		p := v.Interface().(*analyzer.Process)
		if i, ok := c.processes[p]; ok {
			n = i + 1
		}
		name = p.Name
	}
	if n = c.index(n, len(c.timeline.Processes)+1); n == 0 {
		name = c.text(name)
	}
	switch {
	case c.writing || c.err != nil:
	case n == 0:
		v.Set(reflect.ValueOf(&analyzer.Process{PID: trace.UnknownPID, NoPID: true, Name: name}))
	default:
		v.Set(reflect.ValueOf(c.timeline.Processes[n-1]))
	}
}

// reference writes or reads the number of an element of a list.
func reference[T any](c *codec, v reflect.Value, list []*T, numbers map[*T]int) {
	n := 0
	if c.writing {
		n = numbers[v.Interface().(*T)]
	}
	if n = c.index(n, len(list)); n >= 0 && !c.writing {
		v.Set(reflect.ValueOf(list[n]))
	}
}

// walk writes a value that is not zero, or reads it.
type walk func(*codec, reflect.Value)

// maxDepth is above the number of pointers that lead to a value: to the thread that a thread waited for, which
// the thread of a pick-up waited for.
const maxDepth = 8

// plan returns the walk of a type. It panics for a type that cannot be
// written, or whose values cannot be checked.
func plan(t reflect.Type) walk {
	switch t {
	case reflect.TypeFor[trace.Time]():
		return func(c *codec, v reflect.Value) {
			if t := c.time(trace.Time(v.Int())); !c.writing {
				v.SetInt(int64(t))
			}
		}
	case reflect.TypeFor[*analyzer.Process]():
		return (*codec).process
	case reflect.TypeFor[*analyzer.Frame]():
		return (*codec).frame
	case reflect.TypeFor[*analyzer.Buffer]():
		return func(c *codec, v reflect.Value) { reference(c, v, c.list, c.buffers) }
	case reflect.TypeFor[*analyzer.Interaction]():
		return func(c *codec, v reflect.Value) { reference(c, v, c.timeline.Interactions, c.interactions) }
	}
	switch t.Kind() {
	case reflect.Bool: // false is zero
		return func(c *codec, v reflect.Value) {
			if !c.writing {
				v.SetBool(true)
			}
		}
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		return whole(rangeOf(t))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		end, ok := ends[t]
		if !ok {
			panic("no end of " + t.String())
		}
		return func(c *codec, v reflect.Value) {
			if x := c.unsigned(v.Uint()); x >= end {
				c.fail()
			} else if !c.writing {
				v.SetUint(x)
			}
		}
	case reflect.Float64:
		return func(c *codec, v reflect.Value) {
			x := math.Float64frombits(c.unsigned(math.Float64bits(v.Float())))
			if math.IsNaN(x) || math.IsInf(x, 0) {
				c.fail()
			} else if !c.writing {
				v.SetFloat(x)
			}
		}
	case reflect.String:
		return func(c *codec, v reflect.Value) {
			if s := c.text(v.String()); !c.writing {
				v.SetString(s)
			}
		}
	case reflect.Pointer:
		element := sync.OnceValue(func() walk { return plan(t.Elem()) }) // the type may contain itself
		return func(c *codec, v reflect.Value) {
			if c.depth++; c.depth > maxDepth && !c.writing {
				c.fail()
				return
			}
			if !c.writing {
				v.Set(reflect.New(t.Elem()))
			}
			element()(c, v.Elem())
			c.depth--
		}
	case reflect.Slice:
		element := plan(t.Elem())
		return func(c *codec, v reflect.Value) {
			n := c.number(v.Len())
			for i := 0; i < n && (c.writing || c.spend()); i++ {
				if !c.writing {
					if i == v.Cap() {
						v.Grow(min(n-i, max(i, 16))) // not all at once: the number may be wrong
					}
					v.SetLen(i + 1)
				}
				element(c, v.Index(i))
			}
		}
	case reflect.Struct:
		return fields(t, func(name string) bool { return !computed[t.String()+"."+name] })
	}
	panic("no plan for " + t.String())
}

// whole returns the walk of whole numbers in a range.
func whole(least, most int64) walk {
	return func(c *codec, v reflect.Value) {
		var x int64
		if least == 0 {
			x = int64(c.unsigned(uint64(v.Int())))
		} else {
			x = c.signed(v.Int())
		}
		if x < least || x > most {
			c.fail()
		} else if !c.writing {
			v.SetInt(x)
		}
	}
}

// rangeOf returns the least and the largest value of a type of whole numbers.
func rangeOf(t reflect.Type) (least, most int64) {
	switch {
	case t == reflect.TypeFor[trace.Duration]():
		return -trace.MaxTime, trace.MaxTime
	case t == reflect.TypeFor[trace.PID]():
		return int64(trace.UnknownPID), math.MaxInt32
	case t == reflect.TypeFor[trace.TID]():
		return 0, math.MaxInt32
	case t == reflect.TypeFor[analyzer.DisplaySyncType]():
		return int64(analyzer.CallbackSync), int64(analyzer.UnknownSync)
	case t.Kind() == reflect.Int: // counts, numbers of lines
		return 0, math.MaxInt
	case t.Kind() == reflect.Int32:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// fields returns the walk of some fields of a struct.
func fields(t reflect.Type, some func(name string) bool) walk {
	type member struct {
		number int
		walk   walk
	}
	var members []member
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && some(f.Name) {
			members = append(members, member{i, plan(f.Type)})
		}
	}
	if len(members) > 64 {
		panic("too many fields of " + t.String())
	}
	correct := checks[t]
	most := make([]byte, (len(members)+6)/7) // as a varint, the bits of all
	return func(c *codec, v reflect.Value) {
		set := uint64(0)
		if c.writing {
			start := len(c.out)
			c.out = append(c.out, most...)
			for n := range members {
				if field := v.Field(members[n].number); !field.IsZero() {
					set |= 1 << n
					members[n].walk(c, field)
				}
			}
			if end := len(binary.AppendUvarint(c.out[:start], set)); end < start+len(most) {
				c.out = append(c.out[:end], c.out[start+len(most):]...)
			}
			return
		}
		if set = c.unsigned(0); set>>len(members) != 0 {
			c.fail()
		}
		for n := range members {
			if set>>n&1 == 1 && c.err == nil {
				members[n].walk(c, v.Field(members[n].number))
			}
		}
		if c.err == nil && correct != nil && !correct(v.Addr().Interface()) {
			c.fail()
		}
	}
}
