package text

import (
	"cmp"

	"ohframe/analyzer"
)

// scenes are the names of common scenes with what the user did.
var scenes = map[string]string{
	"APP_LIST_FLING":                           "fling of a list",
	"APP_SWIPER_FLING":                         "fling of a swiper",
	"APP_SWIPER_SCROLL":                        "drag of a swiper",
	"APP_TAB_SWITCH":                           "switch of a tab",
	"ABILITY_OR_PAGE_SWITCH":                   "switch of a page",
	"ABILITY_OR_PAGE_SWITCH_INTERACTIVE":       "switch of a page by a gesture",
	"SCROLLER_ANIMATION":                       "animated scrolling",
	"WEB_LIST_FLING":                           "fling of a web page",
	"SHOW_INPUT_METHOD_ANIMATION":              "keyboard appears",
	"HIDE_INPUT_METHOD_ANIMATION":              "keyboard disappears",
	"LAUNCHER_APP_LAUNCH_FROM_ICON":            "launch from an icon",
	"LAUNCHER_APP_LAUNCH_FROM_DOCK":            "launch from the dock",
	"LAUNCHER_APP_LAUNCH_FROM_RECENT":          "launch from the recent applications",
	"LAUNCHER_APP_LAUNCH_FROM_CARD":            "launch from a card",
	"LAUNCHER_APP_SWIPE_TO_HOME":               "swipe to the home screen",
	"LAUNCHER_APP_BACK_TO_HOME":                "back to the home screen",
	"INTO_HOME_ANI":                            "home screen appears",
	"LAUNCHER_APP_LAUNCH_FROM_APPCENTER":       "launch from the list of applications",
	"LAUNCHER_APP_LAUNCH_FROM_MULTI_CARD":      "launch from a card",
	"LAUNCHER_APP_LAUNCH_FROM_NOTIFICATIONBAR": "launch from a notification",
}

// Scene returns what the user did in a scene; empty if that is unknown.
func Scene(name string) string { return scenes[name] }

// InteractionName returns the name of an interaction: that of the scene, or "cold launch".
func InteractionName(i *analyzer.Interaction) string {
	if i.Launch() {
		return i.Scene + " launch"
	}
	return Printable(i.Scene)
}

// Interaction returns what the user did, or InteractionName if that is unknown.
func Interaction(i *analyzer.Interaction) string { return cmp.Or(Scene(i.Scene), InteractionName(i)) }
