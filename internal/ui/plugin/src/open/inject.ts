// Registers the plugin in a UI that was built without it. The UI's debug globals are not
// API: if something is missing, the page works as without the plugin.
// Source: Perfetto's ui/src/frontend/debug.ts and ui/src/core/plugin_manager.ts.

import OpenHarmonyFrames from '../plugins/org.openharmony.Frames';
import styles from '../plugins/org.openharmony.Frames/styles.scss';
import type {Trace} from '../public/trace';
import {keepInFront} from './front';
import {keepView} from './keep';
import widgets from './widgets.css';

const {id, tab} = OpenHarmonyFrames;

interface Shown {
  readonly openTabsUri?: readonly string[];
}

interface App {
  readonly plugins: {
    registerPlugin(plugin: typeof OpenHarmonyFrames): void;
    activatePlugins(app: App, ids: readonly string[]): void;
    getAllPlugins(): readonly {readonly active?: boolean}[];
  };
  readonly initialRouteArgs?: {readonly enablePlugins?: string; readonly ts?: unknown};
  readonly trace?: Trace & {readonly tabs: Shown};
  readonly isLoadingTrace?: boolean;
}

// needed are the functions of a trace that the plugin calls.
const needed: {readonly [K in keyof Trace]?: readonly (keyof Trace[K] & string)[]} = {
  engine: ['query'],
  trash: ['use', 'defer'],
  raf: ['addCanvasRedrawCallback'],
  commands: ['registerCommand', 'hasCommand', 'runCommand'],
  selection: ['resolveSqlEvents', 'selectTrackEvent', 'selectSqlEvent', 'selectArea', 'registerAreaSelectionTab'],
  tabs: ['registerTab', 'showTab', 'addDefaultTab'],
  timeline: ['panSpanIntoView'],
  tracks: ['getTrack', 'getAllTracks'],
  workspaces: ['switchWorkspace'],
  onTraceReady: ['addListener'],
};

// Guarded is the plugin, in a UI that may lack something: an exception would end the loading
// of the trace.
class Guarded extends OpenHarmonyFrames {
  override async onTraceLoad(trace: Trace): Promise<void> {
    try {
      for (const [object, names] of Object.entries(needed)) {
        for (const name of names) {
          const of = trace[object as keyof Trace] as unknown as Record<string, unknown> | undefined;
          if (typeof of?.[name] !== 'function') throw new Error(`the UI has no trace.${object}.${name}`);
        }
      }
      await super.onTraceLoad(trace);
      if (this.frames) keepInFront(trace, this.frames, tab);
      keepView(trace);
    } catch (e) {
      without(e);
    }
  }
}

function without(e: unknown): void {
  console.info(`ohframe: the page works without the tab "Why late?": ${e instanceof Error ? e.message : String(e)}`);
}

const interval = 20; // milliseconds
const patience = 60_000; // milliseconds

// missing names what the UI lacks, or returns undefined.
function missing(app: App | undefined): string | undefined {
  const plugins = app?.plugins;
  for (const name of ['registerPlugin', 'activatePlugins', 'getAllPlugins'] as const) {
    if (typeof plugins?.[name] !== 'function') return `app.plugins.${name}`;
  }
  return typeof window.m === 'function' ? undefined : 'm';
}

// ready reports whether the UI has activated its own plugins, which it does once. Later it
// would leave ours out.
function ready(app: App): boolean {
  return app.plugins.getAllPlugins().some((p) => p.active === true);
}

// showFirst puts the tab in front of those that the commands of the address open. It does so
// when one was opened, not in the end: commands may run for seconds after that, and the user
// may have turned to another tab. The plugin does so when the frame of the address is selected.
function showFirst(app: App, before = 0): void {
  const {trace, isLoadingTrace} = app;
  const open = trace?.tabs?.openTabsUri ?? []; // an exception here would be a dialog
  if (open.length > before && open.includes(tab)) trace?.tabs.showTab(tab);
  if (trace === undefined || isLoadingTrace === true) setTimeout(() => showFirst(app, open.length), interval);
}

function tryRegister(start: number): void {
  try {
    const app = window.app as App | undefined;
    const lacks = missing(app);
    if (app !== undefined && lacks === undefined && ready(app)) {
      if (app.trace !== undefined) throw new Error('a trace has been loaded already');
      document.head.append(Object.assign(document.createElement('style'), {textContent: styles + widgets}));
      app.plugins.registerPlugin(Guarded);
      // The UI forgets plugins that are not named again.
      const others = (app.initialRouteArgs?.enablePlugins ?? '').split(',').filter((id) => id !== '');
      app.plugins.activatePlugins(app, [...others, id]);
      if (app.initialRouteArgs?.ts !== undefined) showFirst(app); // the address selects a frame
      return;
    }
    if (app !== undefined && lacks !== undefined) throw new Error(`the UI has no ${lacks}`);
    if (performance.now() - start > patience) throw new Error(`the UI has no ${lacks ?? 'active plugins'}`);
    setTimeout(() => tryRegister(start), interval);
  } catch (e) {
    without(e);
  }
}

tryRegister(performance.now());
