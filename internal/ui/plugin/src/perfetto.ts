// The part of the UI's plugin API that the plugin uses: what is the same from v53 to v58,
// and optional what is not. In Perfetto's repository, imports of ui/src/public, of
// trace_processor/query_result and of mithril replace this file. Source of the
// declarations: ui/src/public/*.ts and ui/src/trace_processor/query_result.ts.

// mithril
export type Children = unknown;
export type Attributes = Record<string, unknown>;
type Mithril = (selector: string, ...rest: unknown[]) => Children;

declare global {
  // The UI sets these in ui/src/frontend/debug.ts, after this script has been loaded.
  interface Window {
    m?: Mithril;
    app?: unknown;
  }
}

export const m: Mithril = (selector, ...rest) => window.m!(selector, ...rest);

// Types of columns, which a query asks for.
export const NUM = 0;
export const NUM_NULL: number | null = 1;
export const STR = 'str';
export const STR_NULL: string | null = 'str_null';
export const LONG = 0n;

export type Row = Record<string, number | bigint | string | null>;
export type RowIterator<T extends Row> = T & {valid(): boolean; next(): void};

export interface QueryResult {
  iter<T extends Row>(spec: T): RowIterator<T>;
}

export interface Engine {
  query(sql: string): Promise<QueryResult>;
}

export interface Track {
  readonly uri: string;
  readonly tags?: {
    readonly trackIds?: readonly number[];
    readonly upid?: number;
    readonly utid?: number;
    // Of tracks of samples: of one event, before v58, or of one profiler and not of a sum.
    readonly perfSessionId?: number;
    readonly stackSampleSource?: string;
    readonly stackSampleSummary?: boolean;
  };
}

export interface TrackEventSelection {
  readonly kind: 'track_event';
  readonly trackUri: string;
  readonly eventId: number;
  readonly ts: bigint;
}

export interface AreaSelection {
  readonly kind: 'area';
  readonly start: bigint;
  readonly end: bigint;
  readonly trackUris: readonly string[];
  readonly tracks: readonly Track[];
}

export type Selection =
  | TrackEventSelection
  | AreaSelection
  | {readonly kind: 'track'; readonly trackUri: string}
  | {readonly kind: 'note'; readonly id: string}
  | {readonly kind: 'empty'};

export interface SelectionOptions {
  clearSearch?: boolean;
  switchToCurrentSelectionTab?: boolean;
  scrollToSelection?: boolean;
}

export interface TrackNode {
  readonly uri?: string;
  readonly collapsed: boolean;
  readonly hasChildren: boolean;
  readonly fullPath: readonly string[];
  expand(): void;
  collapse(): void;
}

export interface Workspace {
  readonly title: string;
  readonly flatTracks: readonly TrackNode[];
}

export interface Tab {
  render(): Children;
  getTitle(): string;
}

export interface AreaSelectionTab {
  readonly id: string;
  readonly name: string;
  readonly priority?: number;
  render(selection: AreaSelection): {isLoading: boolean; content: Children} | undefined;
}

export interface Trace {
  readonly engine: Engine;
  readonly traceInfo: {readonly uuid: string; readonly start: bigint; readonly end: bigint};
  readonly initialRouteArgs: {readonly startupCommands?: unknown; readonly ts?: unknown; readonly visStart?: unknown; readonly visEnd?: unknown};
  readonly raf: {scheduleFullRedraw(): void};
  readonly commands: {
    registerCommand(command: {id: string; name: string; callback: () => unknown; defaultHotkey?: string}): unknown;
    hasCommand(id: string): boolean;
    runCommand(id: string, ...args: unknown[]): unknown;
  };
  readonly selection: {
    readonly selection: Selection;
    selectTrackEvent(trackUri: string, eventId: number, options?: SelectionOptions): void;
    // The UI's declaration returns nothing, but its function a promise.
    selectSqlEvent(table: string, id: number, options?: SelectionOptions): void | Promise<void>;
    selectArea(area: {start: bigint; end: bigint; trackUris: readonly string[]}, options?: SelectionOptions): void;
    registerAreaSelectionTab(tab: AreaSelectionTab): void;
  };
  readonly tabs: {
    registerTab(tab: {uri: string; content: Tab; isEphemeral?: boolean}): void;
    showTab(uri: string): void;
    addDefaultTab(uri: string): void;
    // Not of the public API.
    readonly currentTabUri?: string;
    readonly openTabsUri?: readonly string[];
    resolveTab?(uri: string): {content: Tab} | undefined;
  };
  readonly timeline: {
    readonly visibleWindow: {readonly start: {readonly integral: bigint}; readonly duration: number};
    panSpanIntoView?(start: bigint, end: bigint, options?: {align?: string; margin?: number; animation?: string}): void;
    setViewportTime?(start: bigint, end: bigint): void; // before v55
  };
  readonly tracks: {getTrack(uri: string): Track | undefined; getAllTracks(): readonly Track[]};
  readonly currentWorkspace: Workspace;
  readonly workspaces: {readonly all: readonly Workspace[]; switchWorkspace(workspace: Workspace): void};
  readonly onTraceReady: {addListener(callback: () => Promise<void> | void): unknown};
  scrollTo(args: {time?: {start: bigint; end?: bigint}; track?: {uri: string; expandGroup?: boolean}}): void;
}

export interface Plugin {
  onTraceLoad(trace: Trace): Promise<void>;
}

// showTime makes an interval visible, exactly.
export function showTime({timeline}: Trace, start: bigint, end: bigint): void {
  if (timeline.panSpanIntoView) {
    timeline.panSpanIntoView(start, end, {align: 'zoom', margin: 0, animation: 'step'});
  } else {
    timeline.setViewportTime?.(start, end);
  }
}

// quietly prints why something failed. The UI would show a dialog, and the user has lost
// only what the plugin adds.
export function quietly(promise: Promise<unknown>): void {
  promise.catch((e: unknown) => console.info('ohframe:', e));
}
