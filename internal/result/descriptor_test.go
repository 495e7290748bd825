package result_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"ohframe/internal/result"
	"ohframe/internal/testing/must"
)

// The text of the proto, with which a number is asked for, says what the descriptors say.
func TestDescriptors(t *testing.T) {
	var set descriptorpb.FileDescriptorSet
	must.NoError(t, proto.Unmarshal(result.Descriptors(), &set))
	must.Equal(t, len(set.File), 1, "files")
	var want strings.Builder
	fields := func(list []*descriptorpb.FieldDescriptorProto) {
		for _, f := range list {
			kind := strings.ToLower(strings.TrimPrefix(f.GetType().String(), "TYPE_"))
			if kind == "message" {
				kind = strings.TrimPrefix(f.GetTypeName(), "."+set.File[0].GetPackage()+".")
			}
			fmt.Fprintf(&want, " %s %s %s = %d;", strings.ToLower(strings.TrimPrefix(f.GetLabel().String(), "LABEL_")), kind, f.GetName(), f.GetNumber())
		}
	}
	fmt.Fprintf(&want, `syntax = "proto2"; package %s; import "protos/perfetto/trace/trace_packet.proto";`, set.File[0].GetPackage())
	for _, m := range set.File[0].MessageType {
		fmt.Fprintf(&want, " message %s {", m.GetName())
		fields(m.Field)
		for _, f := range m.Extension {
			fmt.Fprintf(&want, " extend %s {", strings.TrimPrefix(f.GetExtendee(), "."))
			fields([]*descriptorpb.FieldDescriptorProto{f})
			want.WriteString(" }")
		}
		want.WriteString(" }")
	}
	text := must.Get(os.ReadFile("ohframe_trace_packet.proto"))(t)
	got := strings.Join(strings.Fields(regexp.MustCompile(`(?m)//.*`).ReplaceAllString(string(text), "")), " ")
	must.Equal(t, got, want.String(), "ohframe_trace_packet.proto")
	if guide := must.Get(os.ReadFile("../../docs/dev/dependencies.md"))(t); !strings.Contains(string(guide), fmt.Sprintf(`"range": [%d, `, result.AllocatedField)) {
		t.Errorf("docs/dev/dependencies.md asks for another number than %d", result.AllocatedField)
	}
}
