package hdc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ohframe/internal/diag"
)

// Device is a device that hdc knows.
type Device struct {
	// Key names the device: the serial number, or IP:PORT of a network device.
	Key string
	// Link is "USB", "TCP" or "UART"; empty if unknown.
	Link string
	// State is one of states.
	State string
}

// Connected is the state of a device that can be used.
const Connected = "Connected"

var states = []string{Connected, "Offline", "Ready", "Unauthorized", "Unknown"}

// Devices lists the devices, at least one. It waits at most wait, and not longer than
// devices need after hdc's server was started, for the first to appear.
func (c *Client) Devices(ctx context.Context, wait time.Duration) (list []Device, err error) {
	err = Retry(ctx, wait, nil, func() (err error) {
		if list, err = c.list(ctx); err == nil && len(list) == 0 {
			err = noDevice()
		}
		return err
	})
	return list, err
}

func (c *Client) list(ctx context.Context) ([]Device, error) {
	answer, err := c.run(ctx, 0, "list", "targets", "-v")
	if err == nil {
		err = classify(answer)
	}
	return parseDevices(answer), err
}

// parseDevices parses the lines of "list targets", with or without -v. Columns are
// separated by one or more tabs; their number differs by version and system.
func parseDevices(answer string) (list []Device) {
	for line := range strings.Lines(answer) {
		columns := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == '\n' })
		if len(columns) == 0 || strings.HasPrefix(columns[0], "[Empty]") || strings.Contains(columns[0], " ") {
			continue
		}
		d := Device{Key: columns[0], State: Connected} // "list targets" without -v lists only these
		for i, column := range columns[1:] {
			if column = strings.TrimSpace(column); slices.Contains(states, column) {
				d.State = column
				if i > 0 {
					d.Link = columns[i]
				}
				break
			}
		}
		list = append(list, d)
	}
	return list
}

// The times for which waiting helps: USB devices need up to startUp to appear after hdc's
// server was started, and a connection up to connectLimit to be set up.
const (
	startUp      = 5 * time.Second
	connectLimit = 10 * time.Second
	pollInterval = 500 * time.Millisecond
)

// Retry calls f until it succeeds, or until waiting does not help any more: for wait if a
// device must be authorized or was lost, and for less if it must appear or connect.
// waiting, which may be nil, is called once if there is a device to wait for.
func Retry(ctx context.Context, wait time.Duration, waiting func(reason error), f func() error) error {
	for start := time.Now(); ; {
		err := f()
		limit := time.Duration(0)
		switch {
		case errors.Is(err, ErrNoDevice):
			limit = min(wait, startUp)
		case errors.Is(err, ErrConnecting):
			limit = min(wait, connectLimit)
		case errors.Is(err, ErrUnauthorized), errors.Is(err, ErrLost):
			limit = wait
		}
		left := limit - time.Since(start)
		if left <= 0 {
			return err
		}
		if waiting != nil && !errors.Is(err, ErrNoDevice) {
			waiting(err)
			waiting = nil
		}
		select {
		case <-time.After(min(left, pollInterval)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Choose waits until the device with the key, or the only one if key is empty, can be
// used, and makes it c.Device. wait and waiting are those of Retry.
func (c *Client) Choose(ctx context.Context, key string, wait time.Duration, waiting func(reason error)) error {
	return Retry(ctx, wait, waiting, func() error {
		list, err := c.list(ctx)
		if err != nil {
			return err
		}
		d, err := choose(list, key)
		c.Device = d.Key
		return err
	})
}

// choose returns the device with the key, or the only connected one.
func choose(list []Device, key string) (Device, error) {
	var keys, connected []string
	for _, d := range list {
		keys = append(keys, d.Key)
		if d.State == Connected {
			connected = append(connected, d.Key)
		}
	}
	switch {
	case len(list) == 0:
		return Device{}, noDevice()
	case key == "" && len(connected) > 1:
		return Device{}, diag.New(nil, "choose with --device KEY: "+strings.Join(connected, ", "), "%d devices are connected", len(connected))
	case key == "" && len(connected) == 1:
		key = connected[0]
	case key == "":
		key = keys[0]
	}
	at := slices.Index(keys, key)
	if at < 0 {
		return Device{}, diag.New(ErrNoDevice, "devices: "+strings.Join(keys, ", "), "no device has the key %q", key)
	}
	return list[at], usable(list[at])
}

// usable returns the reason why a device cannot be used, or nil.
func usable(d Device) error {
	switch d.State {
	case Connected:
		return nil
	case "Unauthorized":
		return diag.New(ErrUnauthorized, hintTrust, "the device does not trust this computer")
	case "Ready":
		return diag.New(ErrConnecting, hintLink, "the connection to the device is being set up")
	}
	return diag.New(ErrLost, hintLink, "the device is offline")
}

// noDevice returns the error of an empty list. Its hint says if a device is on the USB
// bus, which hdc may not open.
func noDevice() error {
	hint := hintConnect
	if vendor := onBus("/sys/bus/usb/devices"); runtime.GOOS == "linux" && vendor != "" {
		hint = fmt.Sprintf("a device of vendor %s is on the USB bus, but hdc may not open it: add a udev rule with ATTR{idVendor}==\"%s\", MODE=\"0666\"", vendor, vendor)
	}
	return diag.New(ErrNoDevice, hint, "no device is connected")
}

// vendors are those of USB devices that run the system: Huawei and Rockchip.
var vendors = []string{"12d1", "2207"}

// onBus returns the vendor of the first device in the folder that is one of vendors.
func onBus(folder string) string {
	files, _ := filepath.Glob(filepath.Join(folder, "*", "idVendor"))
	for _, file := range files {
		id, err := os.ReadFile(file)
		if err == nil && slices.Contains(vendors, strings.TrimSpace(string(id))) {
			return strings.TrimSpace(string(id))
		}
	}
	return ""
}
