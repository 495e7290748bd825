package serve

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// isOtherUser reports whether a connection comes from another user of this computer, except
// root, who can read everything, and the user of sudo. Unknown is no: under WSL the client may be a browser of
// Windows.
func isOtherUser(client, server netip.AddrPort) bool {
	// The kernel lists sockets while they come and go, so one may be missing once.
	for range 3 {
		for _, list := range []struct {
			path   string
			mapped bool
		}{{"/proc/net/tcp", false}, {"/proc/net/tcp6", true}} {
			f, err := os.Open(list.path)
			if err != nil {
				continue
			}
			user, ok := owner(f, socketName(client, list.mapped), socketName(server, list.mapped))
			f.Close()
			if ok {
				return user != 0 && user != os.Getuid() && user != os.Geteuid() && !isSudoUser(user, os.Geteuid(), os.Getenv("SUDO_UID"))
			}
		}
	}
	return false
}

// isSudoUser reports whether a user started the program with sudo, so that it runs as root: the
// browser is that user's. Only who starts a program as root can set the variable.
func isSudoUser(user, effective int, variable string) bool {
	return effective == 0 && variable == strconv.Itoa(user)
}

// owner returns the user id of the socket with these ends. Source: the kernel's
// Documentation/networking/proc_net_tcp.rst.
func owner(list io.Reader, local, remote string) (user int, ok bool) {
	for lines := bufio.NewScanner(list); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 7 && f[1] == local && f[2] == remote {
			user, err := strconv.Atoi(f[7])
			return user, err == nil
		}
	}
	return 0, false
}

// socketName writes an address as the kernel does: in hexadecimal, each four bytes in the
// order of the processor. mapped writes an IPv4 address in IPv6.
func socketName(a netip.AddrPort, mapped bool) string {
	ip := a.Addr().Unmap().AsSlice()
	if mapped {
		ip16 := a.Addr().As16()
		ip = ip16[:]
	}
	var b strings.Builder
	for ; len(ip) > 0; ip = ip[4:] {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(ip))
	}
	fmt.Fprintf(&b, ":%04X", a.Port())
	return b.String()
}
