// Tests of how the plugin gets into a UI, with a UI that has less and less.
import assert from 'node:assert/strict';
import test from 'node:test';

let number = 0;

// load runs the script in a page, and returns what it prints and the plugins that it registers.
async function load(t, page) {
  const said = [];
  t.mock.method(console, 'info', (text) => said.push(text));
  globalThis.window = page;
  t.mock.timers.enable({apis: ['setTimeout']});
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  await import(`../modules/inject.mjs?${number++}`);
  return {
    said,
    wait(milliseconds) {
      for (const end = now + milliseconds; now < end; ) {
        now += 20;
        t.mock.timers.tick(20);
      }
    },
  };
}

// ui is a UI that has activated its plugins.
function ui() {
  const registered = [];
  const activated = [];
  const plugins = {
    registerPlugin: (plugin) => {
      registered.push(plugin.id);
      app.plugin = plugin;
    },
    activatePlugins: (app, ids) => activated.push([app, ids]),
    getAllPlugins: () => [{active: false}, {active: true}],
  };
  const app = {plugins, initialRouteArgs: {}};
  return {app, registered, activated, page: {app, m: () => undefined}};
}

test('the plugin is registered and activated once', async (t) => {
  const {app, registered, activated, page} = ui();
  app.initialRouteArgs.enablePlugins = 'com.example.A,';
  const {said, wait} = await load(t, page);
  wait(100_000);
  assert.deepEqual(registered, ['org.openharmony.Frames']);
  assert.deepEqual(activated, [[app, ['com.example.A', 'org.openharmony.Frames']]]);
  assert.deepEqual(said, []);
});

test('it waits until the UI has activated its own', async (t) => {
  const {app, registered, page} = ui();
  const all = app.plugins.getAllPlugins;
  app.plugins.getAllPlugins = () => [{}];
  const {said, wait} = await load(t, {});
  wait(1000);
  globalThis.window = page;
  wait(1000);
  assert.deepEqual(registered, []);
  app.plugins.getAllPlugins = all;
  wait(20);
  assert.deepEqual([registered, said], [['org.openharmony.Frames'], []]);
});

for (const [what, spoil, want] of [
  ['no registerPlugin', (u) => delete u.app.plugins.registerPlugin, /app\.plugins\.registerPlugin/],
  ['no plugins', (u) => delete u.app.plugins, /app\.plugins\.registerPlugin/],
  ['no activatePlugins', (u) => delete u.app.plugins.activatePlugins, /app\.plugins\.activatePlugins/],
  ['no getAllPlugins', (u) => delete u.app.plugins.getAllPlugins, /app\.plugins\.getAllPlugins/],
  ['no mithril', (u) => delete u.page.m, /no m$/],
  ['no globals', (u) => delete u.page.app, /app\.plugins/],
  ['no active plugin', (u) => (u.app.plugins.getAllPlugins = () => []), /active plugins/],
  ['a trace already', (u) => (u.app.trace = {}), /a trace/],
  ['one that refuses', (u) => (u.app.plugins.registerPlugin = () => { throw new Error('exists'); }), /exists/],
]) {
  test(`a UI with ${what} works without the plugin, with one line on the console`, async (t) => {
    const u = ui();
    spoil(u);
    const {said, wait} = await load(t, u.page);
    wait(200_000);
    assert.deepEqual(u.registered, []);
    assert.equal(said.length, 1);
    assert.match(said[0], want);
    assert.match(said[0], /^ohframe: the page works without/);
  });
}

test('a trace that lacks a function is loaded without the plugin', async (t) => {
  const {app, page} = ui();
  const {said} = await load(t, page);
  await new app.plugin({}).onTraceLoad({engine: {query: () => undefined}, raf: {}});
  assert.deepEqual(said, ['ohframe: the page works without the tab "Why late?": the UI has no trace.raf.scheduleFullRedraw']);
});

test('an address that selects a frame, of a trace that lacks tabs', async (t) => {
  const {app, page} = ui();
  app.initialRouteArgs.ts = '7';
  const {said, wait} = await load(t, page);
  app.isLoadingTrace = true;
  app.trace = {};
  wait(1000);
  app.isLoadingTrace = false;
  wait(1000);
  assert.deepEqual(said, []);
});

test('a trace whose queries fail is loaded without the plugin', async (t) => {
  const {app, page} = ui();
  const {said} = await load(t, page);
  const any = new Proxy({query: () => Promise.reject(new Error('no such table'))}, {get: (o, name) => o[name] ?? (() => undefined)});
  const trace = new Proxy({}, {get: () => any});
  await new app.plugin(trace).onTraceLoad(trace);
  assert.deepEqual(said, ['ohframe: the page works without the tab "Why late?": no such table']);
});
