#!/bin/sh
# The tools of a device: a link to this file has the name of each. KEY, SYSTEM, NAME, API,
# BUSY and CHECKS_ON describe the device, see profile. A test may set:
#
#	WITHOUT               a tag that the device does not have
#	DEVELOPER_MODE=false  developer mode is off
#	FREE_KB               the free space
#	KERNEL                what uname says
#	BUSY_OWNER            who has a session open already; "stale" if no process owns it,
#	                      "hiview" if it is one of the device, which hitrace does not end
#	NO_MONO, NO_CLOCK     the kernel has no clock mono, no file that says the clock
#	ERRNO                 writing a trace to a file fails
#	FAIL_SET              param does not set this NAME=VALUE
#	TEMPERATURES, CHARGING   the temperature in tenths of a degree, and the state of
#	                      charging; a word for each time it is asked, then the last
#	SLEEP_SCALE           divides the times of sleep
#	MS_MODE, FAIL_MODE, TIMES_MODE   hitrace --trace_MODE runs for so long before it does
#	                      anything; prints this error, and fails; the first so many times
#
# Files in $STATE are what changes: apps (bundle, PID, code of aa start, ability), running/BUNDLE,
# session (owner and clock of the open one), traces (a line for each written trace),
# parameters/NAME, versions/BUNDLE (of installed packages), calls-battery (a line for each
# time it is asked), and started (a line for each start of an application: its bundle and the
# parameters at that time).

app() { # reads the line of an application
	while read -r bundle pid code ability; do
		[ "$bundle" = "$1" ] && return 0
	done <"$STATE/apps"
	return 1
}

param() {
	value=
	if [ "$1" = set ]; then
		if [ "${FAIL_SET-none}" = "$2=$3" ]; then
			echo "Set parameter $2 $3 fail! errNum is:10!"
		else
			echo "$3" >"$STATE/parameters/$2"
			echo "Set parameter $2 $3 success"
		fi
		return
	fi
	[ -e "$STATE/parameters/$2" ] && read -r value <"$STATE/parameters/$2"
	case $2 in
	const.product.model) value=ALN-AL00 ;;
	const.ohos.fullname) value=$NAME ;;
	const.ohos.apiversion) value=$API ;;
	const.product.software.version) value="ALN-AL00 $SYSTEM" ;;
	const.security.developermode.state) [ "$BUSY" = 0 ] || value=${DEVELOPER_MODE-true} ;;
	esac
	[ -n "$value" ] && echo "$value " || echo "Get parameter \"$2\" fail! errNum is:106!"
}

df() {
	echo "Filesystem     1K-blocks     Used Available Use% Mounted on"
	echo "/dev/block/dm-5 104857600 50000000 ${FREE_KB-50000000} 50% /data"
}

ps() {
	echo "UID            PID  PPID C STIME TTY          TIME CMD"
	echo "root             1     0 0 09:00:00 ?     00:00:02 init --second-stage"
	owner=
	[ -e "$STATE/session" ] && read -r owner clock <"$STATE/session"
	case $owner in
	"" | stale | command | hiview) ;;
	*) echo "shell         4321     1 0 09:30:00 ?     00:00:00 $owner -t 60" ;;
	esac
}

aa() { # aa force-stop BUNDLE, aa start -b BUNDLE -a ABILITY
	if [ "$1" = force-stop ]; then
		rm -f "$STATE/running/$2"
		echo "force stop process successfully."
		return
	fi
	app "$3" && [ "$5" = "$ability" ] || code=10104001
	if [ "$code" = 0 ]; then
		: >"$STATE/running/$bundle"
		echo "$bundle $(cd "$STATE/parameters" && grep -H . * 2>/dev/null | tr '\n' ' ')" >>"$STATE/started"
		echo "start ability successfully."
	else
		printf 'error: failed to start ability.\nError Code:%s\n' "$code"
	fi
}

bm() { # bm dump -n BUNDLE
	app "$3" || { echo "error: failed to get information and the parameters may be wrong."; return 0; }
	version=1.2.3
	[ -e "$STATE/versions/$3" ] && read -r version <"$STATE/versions/$3"
	printf '%s:\n{\n"versionName": "'"$version"'",\n"hapModuleInfos": [{"mainAbility": "%s", "mainElementName": "%s"}]\n}\n' "$3" "$ability" "$ability"
}

nth() { # prints the word for this time that the battery is asked
	n=$(wc -l <"$STATE/calls-battery")
	while [ $# -gt 1 ] && [ "$n" -gt 1 ]; do shift; n=$((n - 1)); done
	echo "$1"
}

hidumper() {
	case $2 in
	RenderService)
		echo "screen[0]: id=0, powerstatus=POWER_STATUS_ON, backlight=120, render size: 1260x2720"
		echo "  supportedMode[0]: 1260x2720, refreshrate=60"
		echo "  activeMode: 1260x2720, refreshrate=120"
		;;
	3302)
		echo >>"$STATE/calls-battery"
		printf 'capacity: 83 \nbatteryLevel: 3 \nchargingStatus: %s \ntemperature: %s \n' "$(nth ${CHARGING-1})" "$(nth ${TEMPERATURES-310})"
		;;
	esac
}

say() { # prints a line of hitrace, from 4.1 on with the time
	[ "$BUSY" = 0 ] || printf '2025/06/01 10:00:00 '
	echo "$*"
}
new() { [ "$BUSY" = 0 ] || say "$@"; } # what 3.2 and 4.0 do not print
complain() {
	if [ "$BUSY" = 0 ]; then echo "Error: $*" >&2; else say "error: $*"; fi
	return 255
}

hitrace() {
	mode= clock=boot output= wanted= buffer=18432 most=300
	case $KERNEL in *HongMeng*) most=1024 ;; esac
	while [ $# -gt 0 ]; do
		case $1 in
		-l) mode=list ;;
		--trace_clock) clock=$2 && shift ;;
		-b) buffer=$2 && shift ;;
		-o) output=$2 && shift ;;
		--trace_*) mode=${1#--trace_} ;;
		*) wanted="$wanted $1" ;;
		esac
		shift
	done
	if [ "$buffer" -gt $((most * 1024)) ]; then
		complain "buffer size must be from 256 KB to $most MB. eg: \"--buffer_size 18432\"."
		return
	fi
	tags="ability ace app ark binder disk freq graphic idle irq mmc multimodalinput nweb ohos sched sync window workq"
	[ "$BUSY" = 0 ] || tags="$tags animation"
	[ "$SYSTEM" = 3.2 ] || tags="$tags musl"
	for tag in $wanted; do
		case " $tags " in
		*" $tag "*) ;;
		*) complain "$tag is not support category on this device."; return ;;
		esac
	done
	eval "ms=\$MS_$mode fail=\$FAIL_$mode times=\${TIMES_$mode-1000}"
	echo >>"$STATE/calls-$mode"
	if [ -n "$ms$fail" ] && [ "$(wc -l <"$STATE/calls-$mode")" -le "$times" ]; then
		/bin/sleep "$(awk "BEGIN { print ${ms:-0} / 1000 }")"
		case $fail in
		"") ;;
		crash) return 255 ;;
		*) complain "$fail"; return ;;
		esac
	fi
	case $mode in
	list)
		new "hitrace enter, running_state is SHOW_LIST_CATEGORY"
		echo "tagName:   description:"
		for tag in $tags; do [ "$tag" = "$WITHOUT" ] || printf '%16s - %s\n' "$tag" "$tag"; done
		;;
	begin) begin ;;
	finish) finish ;;
	finish_nodump)
		new "hitrace enter, running_state is RECORDING_LONG_FINISH_NODUMP"
		if [ -n "$CHECKS_ON" ] && is_hiviews; then
			complain "Trace Close failed, errorCode($((BUSY + 1)))"
			return 0
		fi
		rm -f "$STATE/session"
		say "end capture trace."
		;;
	esac
}

# is_hiviews: the open session is one of the device itself. Only hiview ends it, but a
# recording of hitrace takes its place.
is_hiviews() { grep -q '^hiview ' "$STATE/session" 2>/dev/null; }

begin() {
	new "hitrace enter, running_state is RECORDING_LONG_BEGIN"
	if [ "$BUSY" != 0 ] && [ -e "$STATE/session" ] && ! is_hiviews; then
		complain "OpenRecording failed, errorCode($BUSY)"
		return
	fi
	[ "$clock" = mono ] && [ -n "$NO_MONO" ] && clock=boot
	[ -n "$NO_CLOCK" ] || echo "local global uptime mono boot" | sed "s/$clock/[$clock]/" >"$ROOT/sys/kernel/tracing/trace_clock"
	echo "command $clock" >"$STATE/session"
	if [ "$BUSY" = 0 ]; then say "capturing trace..."; else say "OpenRecording done."; fi
}

finish() {
	if [ -n "$CHECKS_ON" ] && [ ! -e "$STATE/session" ]; then
		say "Warning: tracing on is closed, no trace can be read."
		return
	fi
	new "start to read trace."
	trace=$STATE/trace-$$
	simulate-trace "$KEY" "$trace" || return
	rm -f "$STATE/session"
	if [ -z "$ERRNO" ]; then
		cp "$trace" "$output" 2>/dev/null || complain "opening $output, errno: 2"
	elif [ "$BUSY" = 0 ]; then
		complain "Failed to open file '$output', err=$ERRNO"
	else
		complain "opening $output, errno: $ERRNO"
	fi
	say "trace read done, output: $output"
	rm "$trace"
	[ -z "$CHECKS_ON" ] || say "Trace Closed."
}

case ${0##*/} in
nproc) echo 8 ;;
uname) echo "${KERNEL-Linux 5.10.97-oh}" ;;
pidof) app "$1" && [ -e "$STATE/running/$1" ] && echo "$pid" ;;
sleep) exec /bin/sleep "$(awk "BEGIN { print $1 / ${SLEEP_SCALE-1} }")" ;;
hitrace)
	echo "[\"hitrace\"$(printf ',"%s"' "$@")]" >>"$FAKE_HDC/log.jsonl"
	hitrace "$@"
	status=$?
	[ -e "$STATE/session" ] && on=1 || on=0
	echo $on >"$ROOT/sys/kernel/tracing/tracing_on"
	echo '["hitrace ended"]' >>"$FAKE_HDC/log.jsonl"
	exit $status
	;;
*) "${0##*/}" "$@" ;;
esac
