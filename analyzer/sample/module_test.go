package sample_test

import (
	"testing"

	"ohframe/analyzer/sample"
)

func TestOwn(t *testing.T) {
	for _, test := range []struct {
		path   string
		kernel bool
		own    bool
		name   string
	}{
		{"/data/storage/el1/bundle/libs/arm64/libentry.so", false, true, "libentry.so"},
		{"/data/app/el1/bundle/public/com.example.gallery/entry.hap", false, true, "entry.hap"},
		{"/data/local/tmp/bench", false, true, "bench"},
		{"entry/src/main/ets/pages/Index.ets", false, true, "Index.ets"},
		{"entry.hap", false, true, "entry.hap"},
		{"/proc/61446/root/data/storage/el1/bundle/entry.hap", false, true, "entry.hap"},
		{"/proc/61446/root/system/lib64/libc.so", false, false, "libc.so"},
		{"entry|entry|1.0.0|src/main/ets/pages/Index.ts", false, true, "Index.ts"},
		{"/system/lib64/platformsdk/libace_compatible.z.so", false, false, "libace_compatible.z.so"},
		{"/system/app/com.example/entry.hap", false, false, "entry.hap"},
		{"/vendor/lib64/libGLES.so", false, false, "libGLES.so"},
		{"/database/libx.so", false, false, "libx.so"},
		{"[vdso]", false, false, "[vdso]"},
		{"[kernel.kallsyms]", true, false, "kernel"},
		{"/data/modules/wifi.ko", true, false, "kernel"},
		{"", false, false, ""},
	} {
		m := sample.Module{Path: test.path, Kernel: test.kernel}
		if own, name := m.Own(), m.Name(); own != test.own || name != test.name {
			t.Errorf("%q: own %t, name %q, want %t, %q", test.path, own, name, test.own, test.name)
		}
	}
}
