package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"ohframe/internal/testing/must"
)

// The upstream schemas differ from ours in one thing each.
func TestRun(t *testing.T) {
	const (
		ours = `file { name: "trace.proto" package: "perfetto.protos"
			message_type { name: "Trace" field { name: "frame" number: 7 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".perfetto.protos.Frame" } extension_range { start: 8 end: 9 } } }
			file { name: "frame.proto" package: "perfetto.protos"
			message_type { name: "Frame" field { name: "jank" number: 1 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".perfetto.protos.Jank" } field { name: "n" number: 2 label: LABEL_OPTIONAL type: TYPE_INT32 default_value: "1" } }
			enum_type { name: "Jank" value { name: "NONE" number: 0 } value { name: "LATE" number: 2 } } }`
		// The frame is an extension, declared in another message, file and package.
		moved = `file { name: "trace.proto" package: "perfetto.protos" message_type { name: "Trace" extension_range { start: 7 end: 8 } } }
			file { name: "native.proto" package: "com.example" dependency: "trace.proto"
			message_type { name: "Extensions" extension { name: "frame" extendee: ".perfetto.protos.Trace" number: 7 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".com.example.Frame" } }
			message_type { name: "Frame" field { name: "jank" number: 1 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".com.example.Jank" } field { name: "n" number: 2 label: LABEL_OPTIONAL type: TYPE_INT32 default_value: "1" } }
			enum_type { name: "Jank" value { name: "NONE" number: 0 } value { name: "LATE" number: 2 } } }`
	)
	for _, test := range []struct{ old, new, want, older string }{
		{"", "", "", ""},
		{`name: "jank" number: 1`, `name: "janks" number: 1`, "perfetto.protos.Frame.jank: upstream calls field 1 janks", "1"},
		{`name: "jank" number: 1`, `name: "jank" number: 3`, "perfetto.protos.Frame.jank: upstream has no field 1", "0"},
		{`number: 1 label: LABEL_OPTIONAL`, `number: 1 label: LABEL_REQUIRED`, "perfetto.protos.Frame.jank: it is required upstream, not optional", "1"},
		{`type: TYPE_ENUM type_name: ".perfetto.protos.Jank"`, `type: TYPE_INT32`, "perfetto.protos.Frame.jank: the type is int32 upstream, not enum", "1"},
		{`default_value: "1"`, `default_value: "3"`, "perfetto.protos.Frame.n: the default is 3 upstream, not 1", "1"},
		{`name: "LATE" number: 2`, `name: "LATE" number: 4`, "perfetto.protos.LATE: upstream has no value 2", "0"},
		{`name: "LATE" number: 2`, `name: "LATER" number: 2`, "perfetto.protos.LATE: upstream calls value 2 LATER", "1"},
	} {
		upstream := strings.ReplaceAll(ours, test.old, test.new)
		got, n := compare(t, ours, upstream, false)
		if test.want == "" {
			must.Equal(t, n, 0, "the same")
			continue
		}
		must.Equal(t, n, 1, "%s → %s: %s", test.old, test.new, got)
		must.Equal(t, strings.Split(got, "\n")[0], test.want)
		got, n = compare(t, ours, upstream, true)
		must.Equal(t, map[int]string{0: "0", 1: "1"}[n], test.older, "older: %s", got)
	}
	for _, number := range []string{"8471", "2000"} {
		taken := ours + ` file { name: "packet.proto" package: "perfetto.protos" message_type { name: "TracePacket"
			field { name: "theirs" number: ` + number + ` label: LABEL_OPTIONAL type: TYPE_INT32 } } }`
		got, n := compare(t, ours, taken, false)
		must.Equal(t, n, 1, "a number of ours that is taken")
		must.Equal(t, strings.Split(got, "\n")[0], "perfetto.protos.TracePacket: field "+number+", for our result, is perfetto.protos.TracePacket.theirs upstream")
	}
	got, n := compare(t, ours, moved, false)
	must.Equal(t, n, 0, "moved: %s", got)
	must.Equal(t, got, "moved: frame.proto → native.proto\n5 fields and values, 0 differences\n")
}

func compare(t *testing.T, ours, upstream string, older bool) (out string, differences int) {
	t.Helper()
	var names []string
	for i, set := range []string{ours, upstream} {
		files := &descriptorpb.FileDescriptorSet{}
		must.NoError(t, prototext.Unmarshal([]byte(set), files))
		for _, f := range files.File {
			if f.GetName() == "trace.proto" && len(f.GetMessageType()[0].GetField()) > 0 {
				f.Dependency = []string{"frame.proto"}
			}
		}
		name := filepath.Join(t.TempDir(), []string{"ours", "upstream"}[i])
		must.NoError(t, os.WriteFile(name, must.Get(proto.Marshal(files))(t), 0o600))
		names = append(names, name)
	}
	var text strings.Builder
	differences = must.Get(run(names[0], names[1], older, &text))(t)
	return text.String(), differences
}
