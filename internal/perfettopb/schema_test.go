package perfettopb_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
)

// The trace processor reads the columns only when they are packed, and the
// comparison with upstream does not look at packing.
func TestCompactSchedColumnsArePacked(t *testing.T) {
	fields := (&perfettopb.FtraceEventBundle_CompactSched{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Kind() != protoreflect.StringKind && !field.IsPacked() {
			t.Errorf("%s is not packed", field.FullName())
		}
	}
}

// Upstream names the message of an event after its field throughout.
func TestFtraceEventFieldsHaveTheirOwnMessage(t *testing.T) {
	events := (&perfettopb.FtraceEvent{}).ProtoReflect().Descriptor().Oneofs().ByName("event").Fields()
	for i := range events.Len() {
		field := events.Get(i)
		var want strings.Builder
		for word := range strings.SplitSeq(string(field.Name()), "_") {
			want.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		want.WriteString("FtraceEvent")
		must.Equal(t, string(field.Message().Name()), want.String(), "%s has message", field.Name())
	}
}

// A declaration that no packet can contain is not in use.
func TestEveryDeclarationIsPartOfTrace(t *testing.T) {
	used := map[protoreflect.FullName]bool{
		// Bits of TracePacket.sequence_flags and the jank_type fields, which
		// are declared as numbers.
		"perfetto.protos.TracePacket.SequenceFlags":   true,
		"perfetto.protos.FrameTimelineEvent.JankType": true,
	}
	var visit func(protoreflect.MessageDescriptor)
	visit = func(message protoreflect.MessageDescriptor) {
		if used[message.FullName()] {
			return
		}
		used[message.FullName()] = true
		for i := range message.Fields().Len() {
			field := message.Fields().Get(i)
			if field.Enum() != nil {
				used[field.Enum().FullName()] = true
			}
			if field.Message() != nil {
				visit(field.Message())
			}
		}
	}
	visit((&perfettopb.Trace{}).ProtoReflect().Descriptor())

	check := func(descriptor protoreflect.Descriptor) {
		if !used[descriptor.FullName()] {
			t.Errorf("%s is not part of Trace", descriptor.FullName())
		}
	}
	var checkAll func(scope)
	checkAll = func(parent scope) {
		for i := range parent.Enums().Len() {
			check(parent.Enums().Get(i))
		}
		for i := range parent.Messages().Len() {
			m := parent.Messages().Get(i)
			if m.Fields().Len() > 0 || m.Messages().Len()+m.Enums().Len() == 0 { // else it is only a scope
				check(m)
			}
			checkAll(m)
		}
	}
	protoregistry.GlobalFiles.RangeFilesByPackage("perfetto.protos", func(file protoreflect.FileDescriptor) bool {
		checkAll(file)
		return true
	})
}

// scope is a file or a message that contains declarations.
type scope interface {
	Messages() protoreflect.MessageDescriptors
	Enums() protoreflect.EnumDescriptors
}
