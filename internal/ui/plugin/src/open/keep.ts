// The view of a trace over a reload of the page.
//
// The UI loads the trace again from its cache, without the arguments of the address that it
// was opened with. So the view is stored when the page is left, and restored when the trace
// was loaded again.

import {Time} from '../base/time';
import type {Selection} from '../public/selection';
import type {Trace, TrackNode, Workspace} from '../public/trace';

// View is what is stored. Times are texts: JSON has no integers of 64 bits.
export interface View {
  readonly trace: string;
  readonly commands: string; // the startup commands of the address
  readonly start: string;
  readonly end: string;
  readonly selection?:
    | {readonly kind: 'track_event'; readonly trackUri: string; readonly eventId: number}
    | {readonly kind: 'area'; readonly start: string; readonly end: string; readonly trackUris: readonly string[]};
  readonly workspace: string;
  readonly expanded: readonly string[];
  readonly tab?: string; // its title
}

const key = 'ohframe.view';

// parse returns a stored view, if it is one of the trace.
export function parse(text: string | null, trace: string): View | undefined {
  let v: Partial<View>;
  try {
    v = JSON.parse(text ?? 'null') as Partial<View>;
  } catch {
    return undefined;
  }
  const isTime = (t: unknown) => typeof t === 'string' && /^-?\d+$/.test(t);
  const isTexts = (l: unknown) => Array.isArray(l) && l.every((e) => typeof e === 'string');
  if (
    v === null || typeof v !== 'object' || trace === '' || v.trace !== trace || typeof v.commands !== 'string' ||
    !isTime(v.start) || !isTime(v.end) || typeof v.workspace !== 'string' || !isTexts(v.expanded)
  ) {
    return undefined;
  }
  const s = v.selection;
  const valid =
    s === undefined ||
    (s.kind === 'track_event' && typeof s.trackUri === 'string' && Number.isSafeInteger(s.eventId)) ||
    (s.kind === 'area' && isTime(s.start) && isTime(s.end) && isTexts(s.trackUris));
  return valid ? (v as View) : undefined;
}

// allowed are the commands that a view may have: those of the links that "ohframe open" makes.
// The UI checks the commands of an address against such a list, too, but not later ones, and
// anyone can make an address. Source: Perfetto's ui/src/core/startup_command_allowlist.ts.
const allowed: ReadonlySet<string> = new Set([
  'dev.perfetto.CreateWorkspace',
  'dev.perfetto.CopyTracksToWorkspaceByRegexWithAncestors',
  'dev.perfetto.SwitchWorkspace',
  'dev.perfetto.ExpandTracksByRegex',
  'dev.perfetto.AddNoteAtTimestamp',
  'dev.perfetto.RunQuery',
  'dev.perfetto.RunQueryAndShowTab',
]);

// commandsOf returns the allowed calls of commands in a text, as in an address.
export function commandsOf(text: string): {id: string; args: unknown[]}[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(list)) return [];
  return (list as {id?: unknown; args?: unknown}[]).flatMap((c) =>
    c !== null && typeof c === 'object' && typeof c.id === 'string' && allowed.has(c.id) ? [{id: c.id, args: Array.isArray(c.args) ? c.args : []}] : [],
  );
}

// keepView stores the view of a trace when the page is left. It restores the view that was
// stored, unless the address says what to show.
export function keepView(trace: Trace): void {
  const {uuid} = trace.traceInfo;
  const given = trace.initialRouteArgs.startupCommands;
  const stored = typeof given === 'string' ? undefined : parse(sessionStorage.getItem(key), uuid);
  const commands = typeof given === 'string' ? given : (stored?.commands ?? '[]');
  let ready = false;
  trace.onTraceReady.addListener(async () => {
    try {
      if (stored) await restore(trace, stored);
    } catch (e) {
      console.info('ohframe: the view is not restored:', e);
    }
    ready = true;
  });
  const left = new AbortController();
  trace.trash.defer(() => left.abort());
  addEventListener(
    'pagehide',
    () => {
      if (ready) sessionStorage.setItem(key, JSON.stringify(current(trace, commands)));
    },
    {signal: left.signal},
  );
}

// Tabs are those of the UI, with what is not part of its plugin API.
type Tabs = Trace['tabs'] & {
  readonly currentTabUri?: string;
  readonly openTabsUri?: readonly string[];
  resolveTab?(uri: string): {content: {getTitle(): string}} | undefined;
};

// showTime makes an interval visible, exactly.
export function showTime({timeline}: Trace, start: bigint, end: bigint): void {
  timeline.panSpanIntoView(Time.fromRaw(start), Time.fromRaw(end), {align: 'zoom', margin: 0, animation: 'step'});
}

function current(trace: Trace, commands: string): View {
  const {start, duration} = trace.timeline.visibleWindow;
  const {currentWorkspace: workspace} = trace;
  const tabs: Tabs = trace.tabs;
  return {
    trace: trace.traceInfo.uuid,
    commands,
    start: String(start.integral),
    end: String(start.integral + BigInt(Math.round(duration))),
    selection: stored(trace.selection.selection),
    workspace: workspace.title,
    expanded: groups(workspace).filter((n) => !n.collapsed).map(pathOf),
    tab: tabs.currentTabUri === undefined ? undefined : tabs.resolveTab?.(tabs.currentTabUri)?.content.getTitle(),
  };
}

function stored(s: Selection): View['selection'] {
  switch (s.kind) {
    case 'track_event':
      return {kind: s.kind, trackUri: s.trackUri, eventId: s.eventId};
    case 'area':
      return {kind: s.kind, start: String(s.start), end: String(s.end), trackUris: s.trackUris};
    default:
      return undefined;
  }
}

function groups(workspace: Workspace): TrackNode[] {
  return workspace.flatTracks.filter((n) => n.hasChildren);
}

function pathOf(node: TrackNode): string {
  return node.fullPath.join('\n');
}

async function restore(trace: Trace, view: View): Promise<void> {
  for (const {id, args} of commandsOf(view.commands)) {
    if (!trace.commands.hasCommand(id)) continue; // v53 has no notes
    try {
      await trace.commands.runCommand(id, ...args);
    } catch (e) {
      console.info(`ohframe: ${id}:`, e);
    }
  }
  const {workspaces, selection} = trace;
  const tabs: Tabs = trace.tabs;
  const workspace = workspaces.all.find((w) => w.title === view.workspace);
  if (workspace) workspaces.switchWorkspace(workspace);
  const expanded = new Set(view.expanded);
  for (const node of groups(trace.currentWorkspace)) {
    if (expanded.has(pathOf(node))) node.expand();
    else node.collapse();
  }
  const s = view.selection;
  if (s?.kind === 'track_event' && trace.tracks.getTrack(s.trackUri)) {
    selection.selectTrackEvent(s.trackUri, s.eventId, {switchToCurrentSelectionTab: false});
    trace.scrollTo({track: {uri: s.trackUri, expandGroup: true}});
  } else if (s?.kind === 'area') {
    const {start, end, trackUris} = s;
    selection.selectArea({start: Time.fromRaw(BigInt(start)), end: Time.fromRaw(BigInt(end)), trackUris}, {switchToCurrentSelectionTab: false});
  }
  showTime(trace, BigInt(view.start), BigInt(view.end));
  const title = view.tab;
  const uri = tabs.openTabsUri?.find((u) => tabs.resolveTab?.(u)?.content.getTitle() === title);
  tabs.showTab(title !== undefined && uri !== undefined ? uri : 'current_selection');
}
