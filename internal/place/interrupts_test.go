package place

import (
	"testing"

	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// The names are those of /proc/interrupts of devices and virtual machines, and those that Linux gives
// to its softirqs.
func TestEndedBy(t *testing.T) {
	for want, names := range map[why.Wait][]string{
		why.WaitNet:   {"wlan_pci", "wifi_irq", "eth0", "enp3s0-rx-0", "virtio0-input.0", "virtio-net", "bcmsdh_sdmmc", "ath10k_pci", "iwlwifi:queue_1", "NET_RX", "NET_TX", "rmnet_ipa0"},
		why.WaitIO:    {"ufshcd", "1d84000.ufshc", "mmc0", "fe2b0000.dwmmc", "fe310000.sdhci", "nvme0q1", "dw-mci", "virtio1-req.0", "virtio-blk", "BLOCK", "ata_piix", "msdc0"},
		why.WaitFence: {"mali_gpu", "fb000000.gpu", "e82c0000.mali", "kgsl_3d0_irq", "kgsl-3d0", "adreno", "panfrost-job", "fde40000.gpu", "virtio-gpu", "dpu_crtc0", "mdss"},
		why.WaitTimer: {"arch_timer", "arch_sys_timer", "hrtimer", "TIMER", "HRTIMER", "riscv-timer", "mct_tick0"},
		why.WaitUnknown: {
			"", "xhci-hcd:usb1", "dwc3", "i2c_designware", "goodix_ts", "spi0", "TASKLET", "HI", "SCHED", "RCU", "thermal", "arm-smmu", "internet", "network1", "subnet",
			"dma0chan0", "udk", "ufo", "inputhub",
		},
	} {
		for _, name := range names {
			must.Equal(t, EndedBy([]byte(name)), want, "%s", name)
		}
	}
}

func TestInterruptOf(t *testing.T) {
	for comm, want := range map[string]string{"irq/34-mmc0": "mmc0", "irq/201-wlan_pc": "wlan_pc", "irq/7": "", "udk-irq-3": "", "ksoftirqd/1": ""} {
		must.Equal(t, string(InterruptOf([]byte(comm))), want, "%q", comm)
	}
}
