package simulate

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// values are the values of the fields of a marker's text.
type values struct {
	name   string
	bytes  int64
	now    monotonic
	end    monotonic
	id     int64
	fd     int64
	count  int64
	pid    trace.PID
	tid    trace.TID
	index  int64
	period trace.Duration
	rate   int
	size   int64
}

// template is a parsed text with fields, which is fast to write.
type template []part

type part struct {
	literal string
	field   field
}

type field byte

const (
	noField field = iota
	nameField
	bytesField
	nowField
	endField
	idField
	fdField
	countField
	pidField
	tidField
	indexField
	periodField
	rateField
	sizeField
)

var fields = map[string]field{
	"name": nameField, "bytes": bytesField, "now": nowField, "end": endField, "id": idField,
	"fd": fdField, "count": countField, "pid": pidField, "tid": tidField, "index": indexField,
	"period": periodField, "rate": rateField, "size": sizeField,
}

// parseTemplate panics on an unknown field: texts are part of the program.
func parseTemplate(text string) template {
	var t template
	for text != "" {
		literal, rest, found := strings.Cut(text, "{")
		p := part{literal: literal}
		if found {
			name, after, _ := strings.Cut(rest, "}")
			p.field = fields[name]
			if p.field == noField {
				panic(fmt.Sprintf("simulate: no field %q", name))
			}
			rest = after
		}
		t = append(t, p)
		text = rest
	}
	return t
}

func (t template) append(b []byte, v *values) []byte {
	for _, p := range t {
		b = append(b, p.literal...)
		switch p.field {
		case nameField:
			b = append(b, v.name...)
		case bytesField:
			b = strconv.AppendInt(b, v.bytes, 10)
		case nowField:
			b = strconv.AppendInt(b, int64(v.now), 10)
		case endField:
			b = strconv.AppendInt(b, int64(v.end), 10)
		case idField:
			b = strconv.AppendInt(b, v.id, 10)
		case fdField:
			b = strconv.AppendInt(b, v.fd, 10)
		case countField:
			b = strconv.AppendInt(b, v.count, 10)
		case pidField:
			b = strconv.AppendInt(b, int64(v.pid), 10)
		case tidField:
			b = strconv.AppendInt(b, int64(v.tid), 10)
		case indexField:
			b = strconv.AppendInt(b, v.index, 10)
		case periodField:
			b = strconv.AppendInt(b, int64(v.period), 10)
		case rateField:
			b = strconv.AppendInt(b, int64(v.rate), 10)
		case sizeField:
			b = strconv.AppendInt(b, v.size, 10)
		}
	}
	return b
}
