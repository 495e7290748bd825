package simulate

// Header is the kind of header before the first line.
type Header string

const (
	HeaderNone      Header = ""
	HeaderNarrow    Header = "narrow"    // as old kernels write it
	HeaderWide      Header = "wide"      // with a wide TGID column
	HeaderFiveFlags Header = "flags5"    // as newer kernels write it, five flags
	HeaderTrace     Header = "trace"     // a line `TRACE:` first, as hitrace 3.2 and 4.0 write it
	HeaderConverter Header = "converter" // with placeholders that nobody filled in
	HeaderPadded    Header = "padded"    // numbers in columns, as hiprofiler writes it
	HeaderServo     Header = "servo"     // without the line of entries
)

// TGID is the kind of column that names a thread's process.
type TGID string

const (
	TGIDNarrow     TGID = ""            // (12345)
	TGIDWide       TGID = "wide"        // (  12345)
	TGIDAbsent     TGID = "absent"      // no column
	TGIDDashes     TGID = "dashes"      // (-----)
	TGIDWideDashes TGID = "wide-dashes" // (-------)
)

// Mark is the name of the event that carries markers.
type Mark string

const (
	MarkOfEra        Mark = ""
	MarkTracing      Mark = "tracing_mark_write"
	MarkPrint        Mark = "print"
	MarkPrintAddress Mark = "print-address" // print: 0xffffffc0106ee2a8: B|…
)

// Kernel is a kernel's way to write the lines of its scheduler.
type Kernel string

const (
	KernelNone     Kernel = ""
	KernelLinux    Kernel = "linux"
	KernelHongMeng Kernel = "hongmeng"
)

// Headers lists the names of the headers, without the empty one.
func Headers() []string {
	return names(HeaderNarrow, HeaderWide, HeaderFiveFlags, HeaderTrace, HeaderConverter, HeaderPadded, HeaderServo)
}

// TGIDs lists the names of the columns other than the default.
func TGIDs() []string { return names(TGIDWide, TGIDAbsent, TGIDDashes, TGIDWideDashes) }

// Marks lists the names that a marker event can be given.
func Marks() []string { return names(MarkTracing, MarkPrint, MarkPrintAddress) }

// Kernels lists the names of the kernels.
func Kernels() []string { return names(KernelLinux, KernelHongMeng) }

func names[T ~string](choices ...T) []string {
	var list []string
	for _, c := range choices {
		list = append(list, string(c))
	}
	return list
}
