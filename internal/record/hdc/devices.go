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

	"ohframe/internal/failure"
)

// Device is a device that hdc knows.
type Device struct {
	// Key names the device: the serial number, or IP:PORT of a network device.
	Key string
	// Link is "USB", "TCP" or "UART"; empty if unknown.
	Link string
	// State is one of the States.
	State string
}

// The states of a device.
const (
	Connected    = "Connected"
	Offline      = "Offline"
	Ready        = "Ready"
	Unauthorized = "Unauthorized"
	Unknown      = "Unknown"
)

var states = []string{Connected, Offline, Ready, Unauthorized, Unknown}

// Devices lists the devices.
func (c *Client) Devices(ctx context.Context) ([]Device, error) {
	answer, err := c.run(ctx, 0, "list", "targets", "-v")
	if err != nil {
		return nil, err
	}
	if err := classify(answer); err != nil {
		return nil, err
	}
	return parseDevices(answer), nil
}

// parseDevices parses the lines of "list targets", with or without -v. Columns are
// separated by one or more tabs; their number differs by version and system.
func parseDevices(answer string) (list []Device) {
	for line := range strings.Lines(answer) {
		var columns []string
		for column := range strings.SplitSeq(strings.TrimRight(line, " \n"), "\t") {
			if column != "" {
				columns = append(columns, column)
			}
		}
		if len(columns) == 0 || strings.HasPrefix(columns[0], "[Empty]") || strings.ContainsAny(columns[0], " ") {
			continue
		}
		d := Device{Key: columns[0], State: Connected} // "list targets" without -v lists only these
		for i, column := range columns[1:] {
			if slices.Contains(states, column) {
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

// startUp is how long USB devices may need to appear after hdc's server was started.
const startUp = 5 * time.Second

// pollInterval is the time between two lists while waiting for a device.
const pollInterval = 500 * time.Millisecond

// WaitForDevices lists the devices. It waits at most wait, and not longer than devices
// need after hdc's server was started, for the first to appear.
func (c *Client) WaitForDevices(ctx context.Context, wait time.Duration) ([]Device, error) {
	for start := time.Now(); ; {
		list, err := c.Devices(ctx)
		if err != nil || len(list) > 0 {
			return list, err
		}
		if time.Since(start) >= min(wait, startUp) {
			_, err := choose(nil, "")
			return nil, explainNone(err)
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Choose waits until the device with the key, or the only one if key is empty, can be
// used, and makes it c.Device. It waits at most startUp for a device to appear and at
// most wait for it to connect or to be authorized. waiting, which may be nil, is
// called once with the reason if it has to wait for authorization or a connection.
func (c *Client) Choose(ctx context.Context, key string, wait time.Duration, waiting func(reason error)) (Device, error) {
	start := time.Now()
	reported := false
	for {
		list, err := c.Devices(ctx)
		if err != nil {
			return Device{}, err
		}
		d, err := choose(list, key)
		if err == nil {
			c.Device = d.Key
			return d, nil
		}
		left := wait - time.Since(start)
		switch {
		case errors.Is(err, ErrSeveral):
			return Device{}, err
		case errors.Is(err, ErrNoDevice):
			left = min(wait, startUp) - time.Since(start)
		case !reported && waiting != nil:
			waiting(err)
			reported = true
		}
		if left <= 0 {
			return Device{}, explainNone(err)
		}
		select {
		case <-time.After(min(left, pollInterval)):
		case <-ctx.Done():
			return Device{}, context.Cause(ctx)
		}
	}
}

// choose returns the device with the key, or the only connected one.
func choose(list []Device, key string) (Device, error) {
	if key != "" {
		i := slices.IndexFunc(list, func(d Device) bool { return d.Key == key })
		if i < 0 {
			return Device{}, failure.New(ErrNoDevice, keysHint(list), "no device has the key %q", key)
		}
		return list[i], usable(list[i])
	}
	var connected []Device
	for _, d := range list {
		if d.State == Connected {
			connected = append(connected, d)
		}
	}
	switch {
	case len(connected) == 1:
		return connected[0], nil
	case len(connected) > 1:
		return Device{}, failure.New(ErrSeveral, "choose with --device KEY: "+keys(connected), "%d devices are connected", len(connected))
	case len(list) == 0:
		return Device{}, failure.New(ErrNoDevice, hintConnect, "no device is connected")
	}
	return list[0], usable(list[0])
}

// usable returns the reason why a device cannot be used, or nil.
func usable(d Device) error {
	switch d.State {
	case Connected:
		return nil
	case Unauthorized:
		return failure.New(ErrUnauthorized, hintTrust, "the device does not trust this computer")
	case Ready:
		return failure.New(ErrConnecting, hintLink, "the connection to the device is being set up")
	}
	return failure.New(ErrLost, hintLink, "the device is offline")
}

func keys(list []Device) string {
	var names []string
	for _, d := range list {
		names = append(names, d.Key)
	}
	return strings.Join(names, ", ")
}

func keysHint(list []Device) string {
	if len(list) == 0 {
		return hintConnect
	}
	return "devices: " + keys(list)
}

// explainNone adds to the error of an empty list that a device is on the USB bus, which
// hdc may not open.
func explainNone(err error) error {
	f := (*failure.Error)(nil)
	if !errors.Is(err, ErrNoDevice) || !errors.As(err, &f) || runtime.GOOS != "linux" {
		return err
	}
	if vendor := onBus("/sys/bus/usb/devices"); vendor != "" {
		f.Hint = fmt.Sprintf("a device of vendor %s is on the USB bus, but hdc may not open it: add a udev rule with ATTR{idVendor}==\"%s\", MODE=\"0666\"", vendor, vendor)
	}
	return f
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
