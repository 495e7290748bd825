// How the plugin gets into a UI, with a UI that has less and less.
import {beforeEach, expect, test, vi} from 'vitest';

vi.mock('../plugins/org.openharmony.Frames/styles.scss', () => ({default: ''}));
vi.mock('./widgets.css', () => ({default: ''}));

interface Page {
  app?: Record<string, any>;
  m?: unknown;
}

const id = 'org.openharmony.Frames';

let said: string[] = [];

beforeEach(() => {
  said = [];
  vi.useFakeTimers();
  vi.resetModules();
  vi.spyOn(console, 'info').mockImplementation((text) => void said.push(text));
  vi.stubGlobal('document', {createElement: () => ({}), head: {append: () => undefined}});
});

// load runs the script in a page.
async function load(page: Page): Promise<void> {
  vi.stubGlobal('window', page);
  await import('./inject');
}

const wait = (ms: number) => vi.advanceTimersByTime(ms);

// ui is a UI that has activated its plugins.
function ui() {
  const registered: string[] = [];
  const activated: unknown[] = [];
  const app: Record<string, any> = {initialRouteArgs: {}};
  app.plugins = {
    registerPlugin: (plugin: {id: string}) => {
      registered.push(plugin.id);
      app.plugin = plugin;
    },
    activatePlugins: (app: unknown, ids: readonly string[]) => activated.push([app, ids]),
    getAllPlugins: () => [{active: false}, {active: true}],
  };
  const page: Page = {app, m: () => undefined};
  return {app, registered, activated, page};
}

test('the plugin is registered and activated once', async () => {
  const {app, registered, activated, page} = ui();
  app.initialRouteArgs.enablePlugins = 'com.example.A,';
  await load(page);
  wait(100_000);
  expect(registered).toEqual([id]);
  expect(activated).toEqual([[app, ['com.example.A', id]]]);
  expect(said).toEqual([]);
});

test('it waits until the UI has activated its own', async () => {
  const {app, registered, page} = ui();
  const all = app.plugins.getAllPlugins;
  app.plugins.getAllPlugins = () => [{}];
  await load({});
  wait(1000);
  vi.stubGlobal('window', page);
  wait(1000);
  expect(registered).toEqual([]);
  app.plugins.getAllPlugins = all;
  wait(20);
  expect([registered, said]).toEqual([[id], []]);
});

const refuse = () => {
  throw new Error('exists');
};

test.for<[string, (u: ReturnType<typeof ui>) => unknown, RegExp]>([
  ['no registerPlugin', (u) => delete u.app.plugins.registerPlugin, /app\.plugins\.registerPlugin/],
  ['no plugins', (u) => delete u.app.plugins, /app\.plugins\.registerPlugin/],
  ['no activatePlugins', (u) => delete u.app.plugins.activatePlugins, /app\.plugins\.activatePlugins/],
  ['no getAllPlugins', (u) => delete u.app.plugins.getAllPlugins, /app\.plugins\.getAllPlugins/],
  ['no mithril', (u) => delete u.page.m, /no m$/],
  ['no globals', (u) => delete u.page.app, /app\.plugins/],
  ['no active plugin', (u) => (u.app.plugins.getAllPlugins = () => []), /active plugins/],
  ['a trace already', (u) => (u.app.trace = {}), /a trace/],
  ['one that refuses', (u) => (u.app.plugins.registerPlugin = refuse), /exists/],
])('a UI with %s works without the plugin, with one line on the console', async ([, spoil, want]) => {
  const u = ui();
  spoil(u);
  await load(u.page);
  wait(200_000);
  expect(u.registered).toEqual([]);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(want);
  expect(said[0]).toMatch(/^ohframe: the page works without/);
});

test('a trace that lacks a function is loaded without the plugin', async () => {
  const {app, page} = ui();
  await load(page);
  await new app.plugin({}).onTraceLoad({engine: {query: () => undefined}, trash: {}});
  expect(said).toEqual(['ohframe: the page works without the tab "Why late?": the UI has no trace.trash.use']);
});

test('an address that selects a frame, of a trace that lacks tabs', async () => {
  const {app, page} = ui();
  app.initialRouteArgs.ts = '7';
  await load(page);
  app.isLoadingTrace = true;
  app.trace = {};
  wait(1000);
  app.isLoadingTrace = false;
  wait(1000);
  expect(said).toEqual([]);
});

// trace is a trace of a UI that has all functions. It notes those that are called.
function trace(query: (sql: string) => Promise<unknown>) {
  const called: string[] = [];
  const of = (name: string) =>
    new Proxy({query}, {
      get: (o, member) => (member === 'query' ? o.query : () => void called.push(`${name}.${String(member)}`)),
    });
  return {called, trace: new Proxy({initialRouteArgs: {}, traceInfo: {uuid: ''}}, {get: (o, name) => Reflect.get(o, name) ?? of(String(name))})};
}

test('a trace whose queries fail is loaded without the plugin', async () => {
  const {app, page} = ui();
  await load(page);
  await new app.plugin({}).onTraceLoad(trace(() => Promise.reject(new Error('no such table'))).trace);
  expect(said).toEqual(['ohframe: the page works without the tab "Why late?": no such table']);
});

test('nothing is registered for the trace of another system', async () => {
  const {app, page} = ui();
  await load(page);
  vi.stubGlobal('sessionStorage', {getItem: () => null});
  vi.stubGlobal('addEventListener', () => undefined);
  const asked: string[] = [];
  const foreign = trace(async (sql) => {
    asked.push(sql);
    return {columns: () => [], iter: () => ({valid: () => false})};
  });
  await new app.plugin({}).onTraceLoad(foreign.trace);
  expect(said).toEqual([]);
  expect(asked).toHaveLength(1);
  // What keeps the view over a reload is not of the plugin.
  expect(foreign.called).toEqual(['onTraceReady.addListener', 'trash.defer']);
});
