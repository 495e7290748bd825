package record

import (
	"fmt"
	"strings"

	"ohframe/internal/record/device"
)

func describeDevice(key string, f *device.Facts) string {
	parts := []string{"Device  " + key}
	for _, text := range []string{f.Model, f.System} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if f.API != 0 {
		parts[len(parts)-1] += fmt.Sprintf(" (API %d)", f.API)
	}
	if f.RefreshHz != 0 {
		parts = append(parts, fmt.Sprintf("%g Hz", f.RefreshHz))
	}
	if f.Battery != 0 {
		parts = append(parts, fmt.Sprintf("battery %d %%", f.Battery))
	}
	if f.Temperature != 0 {
		parts = append(parts, fmt.Sprintf("%.0f °C", f.Temperature))
	}
	return strings.Join(parts, "  ")
}

func describeTags(tags, missing []string) string {
	text := "Tags    " + strings.Join(tags, " ")
	if len(missing) > 0 {
		text += "; not on this device: " + strings.Join(missing, " ")
	}
	return text
}

// megabytes formats a number of KB.
func megabytes(kb int64) string { return fmt.Sprintf("%.0f MB", float64(kb)/1024) }
