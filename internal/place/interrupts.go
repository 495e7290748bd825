package place

import (
	"bytes"

	"ohframe/analyzer/why"
)

// interrupts are words in the names of interrupts, in lower case. A # stands for a number, and a star
// for the rest of a word. The names are those that drivers give to their interrupts.
var interrupts = []struct {
	wait  why.Wait
	words []string
}{
	{why.WaitNet, []string{
		"net", "net_rx", "net_tx", "virtio#-input", "virtio#-output", "eth#", "enp#*", "eno#", "ens#", "wlan*", "wifi*", "wlp#*",
		"stmmac*", "dwmac*", "gmac*", "e1000*", "r8169*", "rtw*", "iwl*", "ath#*", "mt76*", "wcn*", "qca*", "cnss*", "hi110*",
		"bcmdhd*", "bcmsdh*", "dhd*", "mhi*", "ipa", "rmnet*", "ccmni*", "ccci*", "dpmaif*", "modem*",
	}},
	{why.WaitIO, []string{
		"block", "irq_poll", "ufs*", "mmc*", "emmc*", "sdmmc*", "dwmmc*", "dw-mci", "dw_mci", "sdhci*", "msdc*", "nvme*", "ahci*", "sata*",
		"ata_*", "scsi*", "nand*", "blk*", "virtio#-req*",
	}},
	{why.WaitFence, []string{ // the GPU and the display
		"gpu*", "mali*", "kbase*", "kgsl*", "adreno*", "pvr*", "rgx*", "panfrost*", "panthor*", "lima*", "etnaviv*", "amdgpu*", "i915",
		"dpu*", "mdss*", "sde*", "vop*", "dsi*", "drm*", "disp*", "decon*", "lcdc*",
	}},
	{why.WaitTimer, []string{"timer*", "hrtimer*", "mct_tick*", "sp804*"}},
}

// EndedBy returns what a thread waited for that an interrupt with this name woke: WaitNet, WaitIO,
// WaitFence or WaitTimer, and WaitUnknown if the name does not say it.
func EndedBy(interrupt []byte) why.Wait {
	name := bytes.ToLower(interrupt)
	for _, row := range interrupts {
		for i := range name {
			if i > 0 && isLetter(name[i-1]) {
				continue
			}
			for _, word := range row.words {
				if beginsWord(name[i:], word) {
					return row.wait
				}
			}
		}
	}
	return why.WaitUnknown
}

// beginsWord reports whether a name begins with a word of interrupts.
func beginsWord(name []byte, word string) bool {
	for i := range len(word) {
		switch c := word[i]; {
		case c == '*':
			return true
		case c == '#':
			rest := bytes.TrimLeft(name, "0123456789")
			if len(rest) == len(name) {
				return false
			}
			name = rest
		case len(name) == 0 || name[0] != c:
			return false
		default:
			name = name[1:]
		}
	}
	return len(name) == 0 || !isLetter(name[0])
}

// InterruptOf returns the name of the interrupt that a thread handles: mmc0 of irq/34-mmc0. It returns
// nothing for a thread that handles several, or whose name has only a number.
func InterruptOf(comm []byte) []byte {
	if !bytes.HasPrefix(comm, []byte("irq/")) {
		return nil
	}
	_, name, _ := bytes.Cut(comm, []byte("-"))
	return name
}
