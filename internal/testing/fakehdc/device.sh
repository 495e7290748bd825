#!/bin/sh
# The tools of a device: the file has a link with the name of each. Variables describe the
# device; device.go sets them, and an empty value means no. Files in $FAKE_STATE are what changes:
#
#	apps              a line for each application: bundle, PID, code of aa start, ability
#	running/BUNDLE    the application runs
#	session           the owner of the open trace session, and its clock
#	traces            a line for each trace that was written
#	answers-MODE      a line for each call of hitrace that Device.Hitrace changes

# app reads the line of an application.
app() {
	while read -r bundle pid code ability; do
		[ "$bundle" = "$1" ] && return 0
	done <"$FAKE_STATE/apps"
	return 1
}

# option prints the argument after an option: option NAME ARGUMENTS
option() {
	name=$1
	while [ $# -gt 2 ]; do
		shift
		[ "$1" = "$name" ] && echo "$2" && return
	done
}

param() {
	value=
	case $2 in
	const.product.model) value=ALN-AL00 ;;
	const.ohos.fullname) value=$FAKE_NAME ;;
	const.ohos.apiversion) value=$FAKE_API ;;
	const.product.software.version) value="ALN-AL00 $FAKE_SYSTEM" ;;
	const.security.developermode.state) value=$FAKE_DEVELOPER ;;
	esac
	[ -n "$value" ] && echo "$value " || echo "Get parameter \"$2\" fail! errNum is:106!"
}

df() {
	echo "Filesystem     1K-blocks     Used Available Use% Mounted on"
	echo "/dev/block/dm-5 104857600 $((104857600 - FAKE_FREE)) $FAKE_FREE 50% /data"
}

ps() {
	echo "UID            PID  PPID C STIME TTY          TIME CMD"
	echo "root             1     0 0 09:00:00 ?     00:00:02 init --second-stage"
	owner=
	[ -e "$FAKE_STATE/session" ] && read -r owner clock <"$FAKE_STATE/session"
	case $owner in
	"" | stale | command | hiview) ;;
	*) echo "shell         4321     1 0 09:30:00 ?     00:00:00 $owner -t 60" ;;
	esac
	while read -r bundle pid code ability; do
		[ -e "$FAKE_STATE/running/$bundle" ] && printf '20010043     %5d   500 1 09:31:00 ?     00:00:05 %s\n' "$pid" "$bundle"
	done <"$FAKE_STATE/apps"
	return 0
}

aa() {
	case $1 in
	force-stop)
		app "$2" || { echo "error: failed to force stop process."; return 0; }
		rm -f "$FAKE_STATE/running/$2"
		echo "force stop process successfully."
		;;
	start)
		app "$(option -b "$@")" && [ "$(option -a "$@")" = "$ability" ] || code=10104001
		if [ "$code" != 0 ]; then
			printf 'error: failed to start ability.\nError Code:%s\n' "$code"
			return 0
		fi
		: >"$FAKE_STATE/running/$bundle"
		echo "start ability successfully."
		;;
	esac
}

bm() {
	app "$(option -n "$@")" || { echo "error: failed to get information and the parameters may be wrong."; return 0; }
	cat <<-END
		$bundle:
		{
		    "applicationInfo": {"versionName": "1.2.3"},
		    "hapModuleInfos": [{"mainAbility": "$ability", "mainElementName": "$ability"}],
		    "versionName": "1.2.3"
		}
	END
}

hidumper() {
	case $(option -s "$@") in
	RenderService | 10)
		cat <<-END
			-------------------------------[ability]-------------------------------

			-- ScreenInfo
			screen[0]: id=0, powerstatus=POWER_STATUS_$FAKE_SCREEN, backlight=120, screenType=EXTERNAL_TYPE, render size: 1260x2720
			  supportedMode[0]: 1260x2720, refreshrate=120
			  supportedMode[1]: 1260x2720, refreshrate=60
			  activeMode: 1260x2720, refreshrate=120
		END
		;;
	3302)
		printf -- '------\ncapacity: 83 \nbatteryLevel: 3 \ntemperature: 310 \n'
		;;
	AbilityManagerService)
		while read -r bundle pid code ability; do
			[ -e "$FAKE_STATE/running/$bundle" ] || continue
			cat <<-END
				    AbilityRecord ID #12
				      app name [$bundle]
				      main name [$ability]
				      bundle name [$bundle]
				      state #FOREGROUND
			END
			return
		done <"$FAKE_STATE/apps"
		;;
	esac
}

# log appends words to the log.
log() {
	line=
	for word; do line="$line,\"$word\""; done
	printf '[%s]\n' "${line#,}" >>"$FAKE_HDC/log.jsonl"
}

# say prints a line of hitrace, from 4.1 on with the time.
say() {
	[ -n "$FAKE_LEGACY" ] || printf '2025/06/01 10:00:00 '
	echo "$*"
}

# new is say, for what 3.2 and 4.0 do not print.
new() { [ -n "$FAKE_LEGACY" ] || say "$@"; }

# complain prints an error of hitrace.
complain() {
	if [ -n "$FAKE_LEGACY" ]; then echo "Error: $*" >&2; else say "error: $*"; fi
	return 255
}

hitrace() {
	mode= clock=boot output= tags=
	while [ $# -gt 0 ]; do
		case $1 in
		-l) mode=list ;;
		--trace_begin | --trace_dump | --trace_finish | --trace_finish_nodump)
			[ -z "$mode" ] || { complain "the parameter is set incorrectly, $mode and $1 cannot coexist."; return; }
			mode=${1#--trace_}
			;;
		--trace_clock) clock=$2 && shift ;;
		-b) shift ;;
		-o) output=$2 && shift ;;
		*) tags="$tags${tags:+ }$1" ;;
		esac
		shift
	done
	for tag in $tags; do
		case " $FAKE_TAGS " in
		*" $tag "*) ;;
		*)
			[ -z "$FAKE_LEGACY" ] || { complain "\"$tag\" is not support category on this device"; return; }
			complain "$tag is not support category on this device."
			complain "parsing args failed, exit."
			return
			;;
		esac
	done
	eval "seconds=\$FAKE_SECONDS_$mode times=\$FAKE_TIMES_$mode fail=\$FAKE_FAIL_$mode"
	if [ -n "$seconds" ]; then
		echo >>"$FAKE_STATE/answers-$mode"
		if [ "$times" = 0 ] || [ "$(wc -l <"$FAKE_STATE/answers-$mode")" -le "$times" ]; then
			/bin/sleep "$seconds"
			case $fail in
			"") ;;
			*[!\ ]*)
				complain "$fail"
				return
				;;
			*) return 255 ;;
			esac
		fi
	fi
	case $mode in
	list)
		new "hitrace enter, running_state is SHOW_LIST_CATEGORY"
		echo "tagName:   description:"
		for tag in $FAKE_TAGS; do printf '%16s - %s\n' "$tag" "$tag"; done
		;;
	begin) begin ;;
	dump | finish) finish ;;
	finish_nodump)
		new "hitrace enter, running_state is RECORDING_LONG_FINISH_NODUMP"
		if [ -n "$FAKE_CHECKS_ON" ] && is_hiviews; then
			complain "Trace Close failed, errorCode($((FAKE_BUSY + 1)))"
			return 0
		fi
		rm -f "$FAKE_STATE/session"
		say "end capture trace."
		;;
	*) complain "this mode is not imitated" ;;
	esac
}

# is_hiviews: the open session is one of the device itself. Only hiview ends it, but a
# recording of hitrace takes its place.
is_hiviews() { grep -q '^hiview ' "$FAKE_STATE/session" 2>/dev/null; }

begin() {
	new "hitrace enter, running_state is RECORDING_LONG_BEGIN"
	if [ -z "$FAKE_LEGACY" ] && [ -e "$FAKE_STATE/session" ] && ! is_hiviews; then
		complain "OpenRecording failed, errorCode($FAKE_BUSY)"
		return
	fi
	[ -n "$tags" ] || { complain "tag is empty, please add."; return; }
	[ "$clock" = mono ] && [ -n "$FAKE_NO_MONO" ] && clock=boot
	clocks=
	for c in local global counter uptime perf mono mono_raw boot; do
		[ "$c" = "$clock" ] && c="[$c]"
		clocks="$clocks${clocks:+ }$c"
	done
	[ -n "$FAKE_NO_CLOCK" ] || echo "$clocks" >"$FAKE_ROOT/sys/kernel/tracing/trace_clock"
	echo "command $clock" >"$FAKE_STATE/session"
	if [ -n "$FAKE_LEGACY" ]; then say "capturing trace..."; else say "OpenRecording done."; fi
}

# finish writes the trace, and ends the session unless it is a dump.
finish() {
	if [ -n "$FAKE_CHECKS_ON" ] && [ ! -e "$FAKE_STATE/session" ]; then
		say "Warning: tracing on is closed, no trace can be read."
		return
	fi
	new "start to read trace."
	trace=$FAKE_STATE/trace-$$
	simulate-trace "$trace" || return
	[ "$mode" = finish ] && rm -f "$FAKE_STATE/session"
	if [ "$FAKE_ERRNO" != 0 ]; then
		if [ -n "$FAKE_LEGACY" ]; then
			complain "Failed to open file '$output', err=$FAKE_ERRNO"
		else
			complain "opening $output, errno: $FAKE_ERRNO"
			say "trace read done, output: $output"
		fi
	else
		cp "$trace" "$output" 2>/dev/null || complain "opening $output, errno: 2"
		if [ -n "$FAKE_LEGACY" ]; then say "write trace to $output"; else say "trace read done, output: $output"; fi
	fi
	rm "$trace"
	[ -n "$FAKE_CHECKS_ON" ] && [ "$mode" = finish ] && say "Trace Closed."
	return 0
}

tool=${0##*/}
case $tool in
nproc) echo 8 ;;
uname) echo 5.10.97-oh ;;
pidof) app "$1" && [ -e "$FAKE_STATE/running/$1" ] && echo "$pid" ;;
uitest) [ "$1" = uiInput ] && echo "No Error" || { echo "usage: uitest uiInput"; exit 1; } ;;
sleep)
	[ "$FAKE_SLEEP_SCALE" = 1 ] || set -- "$(awk "BEGIN { print $1 / $FAKE_SLEEP_SCALE }")"
	exec /bin/sleep "$1"
	;;
hitrace)
	log hitrace "$@"
	hitrace "$@"
	status=$?
	[ -e "$FAKE_STATE/session" ] && on=1 || on=0
	echo $on >"$FAKE_ROOT/sys/kernel/tracing/tracing_on"
	log "hitrace ended"
	exit $status
	;;
*) "$tool" "$@" ;;
esac
