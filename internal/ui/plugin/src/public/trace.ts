import type {time} from '../base/time';
import type m from '../mithril';
import type {Engine} from '../trace_processor/engine';
import type {SelectionManager} from './selection';
import type {Track} from './track';

export interface TrackNode {
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

interface Tab {
  render(): m.Children;
  getTitle(): string;
}

export interface Trace {
  readonly engine: Engine;
  readonly trash: {use(resource: Disposable): void; defer(dispose: () => void): void};
  readonly traceInfo: {readonly uuid: string};
  readonly initialRouteArgs: {readonly startupCommands?: unknown; readonly ts?: unknown; readonly visStart?: unknown; readonly visEnd?: unknown};
  readonly raf: {addCanvasRedrawCallback(callback: () => void): Disposable};
  readonly commands: {
    registerCommand(command: {id: string; name: string; callback: () => unknown; defaultHotkey?: string}): unknown;
    hasCommand(id: string): boolean;
    runCommand(id: string, ...args: unknown[]): unknown;
  };
  readonly selection: SelectionManager;
  readonly tabs: {
    registerTab(tab: {uri: string; content: Tab; isEphemeral?: boolean}): void;
    showTab(uri: string): void;
    addDefaultTab(uri: string): void;
  };
  readonly timeline: {
    readonly visibleWindow: {readonly start: {readonly integral: time}; readonly duration: number};
    panSpanIntoView(start: time, end: time, options: {align: 'zoom'; margin: number; animation: 'step'}): void;
  };
  readonly tracks: {getTrack(uri: string): Track | undefined; getAllTracks(): readonly Track[]};
  readonly currentWorkspace: Workspace;
  readonly workspaces: {readonly all: readonly Workspace[]; switchWorkspace(workspace: Workspace): void};
  readonly onTraceReady: {addListener(callback: () => Promise<void> | void): unknown};
  scrollTo(args: {track?: {uri: string; expandGroup?: boolean}}): void;
}
