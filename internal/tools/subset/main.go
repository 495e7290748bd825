// Subset checks that a schema is a subset of Perfetto's, field by field.
//
//	go run ./internal/tools/subset [-older] OURS UPSTREAM
//
// Both are descriptor sets as `buf build` writes them. From Trace on, each field must be upstream with the
// same number, name, type, label and default, and each value of an enum with the same number. A field that
// upstream declares as an extension is one of the message that it extends. Messages may be in other files
// and packages: nothing of these is in a trace. Those files are printed. With -older, upstream is a release
// that may lack fields: it ignores them. The fields of TracePacket with the result of ohframe must be nobody else's.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"ohframe/internal/result"
)

const root = "perfetto.protos.Trace"

func main() {
	older := flag.Bool("older", false, "upstream may lack fields and values")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: subset [-older] OURS UPSTREAM")
		os.Exit(2)
	}
	differences, err := run(flag.Arg(0), flag.Arg(1), *older, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "subset:", err)
		os.Exit(2)
	}
	if differences > 0 {
		os.Exit(1)
	}
}

// run prints what differs, and returns the number of differences. Moved files are none.
func run(ours, upstream string, older bool, out io.Writer) (differences int, err error) {
	var sets [2]*protoregistry.Files
	var roots [2]protoreflect.MessageDescriptor
	for i, name := range []string{ours, upstream} {
		if sets[i], err = load(name); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		d, err := sets[i].FindDescriptorByName(root)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		roots[i] = d.(protoreflect.MessageDescriptor)
	}
	c := &comparison{upstream: sets[1], seen: map[protoreflect.FullName]bool{}, moved: map[string]bool{}}
	c.messages(roots[0], roots[1])
	if d, err := sets[1].FindDescriptorByName("perfetto.protos.TracePacket"); err == nil {
		for _, number := range []protoreflect.FieldNumber{result.PacketField, result.AllocatedField} {
			if f := c.field(d.(protoreflect.MessageDescriptor), number); f != nil && f.Name() != "ohframe_result" {
				c.differ(d, "field %d, for our result, is %s upstream", number, f.FullName())
			}
		}
	}
	if !older {
		c.differences, c.missing = append(c.differences, c.missing...), nil
	}
	for _, m := range slices.Sorted(maps.Keys(c.moved)) {
		fmt.Fprintln(out, "moved:", m)
	}
	for _, m := range c.missing {
		fmt.Fprintln(out, "not yet:", m)
	}
	for _, d := range c.differences {
		fmt.Fprintln(out, d)
	}
	fmt.Fprintf(out, "%d fields and values, %d differences\n", c.compared, len(c.differences))
	return len(c.differences), nil
}

func load(name string) (*protoregistry.Files, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(data, set); err != nil {
		return nil, err
	}
	return protodesc.NewFiles(set)
}

type comparison struct {
	upstream *protoregistry.Files
	seen     map[protoreflect.FullName]bool // our messages and enums that were compared
	moved    map[string]bool
	// missing is what upstream does not have, differences what it has otherwise.
	missing, differences []string
	compared             int
}

func (c *comparison) differ(d protoreflect.Descriptor, format string, args ...any) {
	c.differences = append(c.differences, string(d.FullName())+": "+fmt.Sprintf(format, args...))
}

func (c *comparison) miss(d protoreflect.Descriptor, what string, number int) {
	c.missing = append(c.missing, fmt.Sprintf("%s: upstream has no %s %d", d.FullName(), what, number))
}

// begin notes where a message or an enum is upstream, and reports whether it is new.
func (c *comparison) begin(ours, upstream protoreflect.Descriptor) bool {
	if c.seen[ours.FullName()] {
		return false
	}
	c.seen[ours.FullName()] = true
	if a, b := ours.ParentFile().Path(), upstream.ParentFile().Path(); a != b {
		c.moved[a+" → "+b] = true
	}
	return true
}

func (c *comparison) messages(ours, upstream protoreflect.MessageDescriptor) {
	if !c.begin(ours, upstream) {
		return
	}
	for i := range ours.Fields().Len() {
		a := ours.Fields().Get(i)
		b := c.field(upstream, a.Number())
		c.compared++
		switch {
		case b == nil:
			c.miss(a, "field", int(a.Number()))
			continue
		case a.Name() != b.Name():
			c.differ(a, "upstream calls field %d %s", a.Number(), b.Name())
		case a.Kind() != b.Kind() || a.IsPacked() != b.IsPacked():
			c.differ(a, "the type is %s upstream, not %s", b.Kind(), a.Kind())
			continue
		case a.Cardinality() != b.Cardinality():
			c.differ(a, "it is %s upstream, not %s", b.Cardinality(), a.Cardinality())
		case a.HasDefault() != b.HasDefault() || a.HasDefault() && !a.Default().Equal(b.Default()):
			c.differ(a, "the default is %v upstream, not %v", b.Default(), a.Default())
		}
		if a.Message() != nil {
			c.messages(a.Message(), b.Message())
		}
		if a.Enum() != nil {
			c.enums(a.Enum(), b.Enum())
		}
	}
}

func (c *comparison) enums(ours, upstream protoreflect.EnumDescriptor) {
	if !c.begin(ours, upstream) {
		return
	}
	for i := range ours.Values().Len() {
		a := ours.Values().Get(i)
		c.compared++
		if b := upstream.Values().ByNumber(a.Number()); b == nil {
			c.miss(a, "value", int(a.Number()))
		} else if a.Name() != b.Name() {
			c.differ(a, "upstream calls value %d %s", a.Number(), b.Name())
		}
	}
}

// field returns the field of a message that has a number, or else the extension; nil if there is none.
func (c *comparison) field(of protoreflect.MessageDescriptor, number protoreflect.FieldNumber) (found protoreflect.FieldDescriptor) {
	if f := of.Fields().ByNumber(number); f != nil {
		return f
	}
	type scope interface {
		Messages() protoreflect.MessageDescriptors
		Extensions() protoreflect.ExtensionDescriptors
	}
	var search func(s scope)
	search = func(s scope) {
		for i := range s.Extensions().Len() {
			if e := s.Extensions().Get(i); e.ContainingMessage().FullName() == of.FullName() && e.Number() == number {
				found = e
			}
		}
		for i := range s.Messages().Len() {
			search(s.Messages().Get(i))
		}
	}
	c.upstream.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		search(f)
		return true
	})
	return found
}
