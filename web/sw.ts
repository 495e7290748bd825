// The service worker: keeps the files of one version of the site, so that it works without a connection. A new version
// has another list, and so another script: the browser installs it beside the old one, and the page offers to load it.

declare const version: string;
declare const files: string[];

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const prefix = `ohframe ${worker.registration.scope} `, current = prefix + version;

worker.addEventListener('install', (event) => event.waitUntil(
  caches.open(current).then((cache) => cache.addAll(files.map((file) => new Request(file, {cache: 'reload'}))))));

worker.addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const old of await caches.keys()) if (old.startsWith(prefix) && old !== current) await caches.delete(old);
  await worker.clients.claim();
})()));

worker.addEventListener('message', (event) => {
  if (event.data === 'replace') void worker.skipWaiting();
});

worker.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  event.respondWith((async () => {
    const cache = await caches.open(current);
    return await cache.match(event.request, {ignoreSearch: true}) ?? fetch(event.request);
  })());
});
