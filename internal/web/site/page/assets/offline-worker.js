// Keeps one page for when there is no network, and shows it to whoever opens a page meanwhile. It
// holds nothing of anybody, and nothing else is kept: the computer may be a shared one. What the
// service answers is never replaced, whatever it says.
// The service writes a line before these: the page that is kept, all that is kept with it, and the
// name it is kept under, which another version of any of it changes.
/* global kept */
const shown = new Set(); // the windows that have the kept page

async function keep() {
  const cache = await caches.open(kept.name);
  // Nobody is signed in without cookies.
  await cache.addAll(kept.files.map((file) => new Request(file, { credentials: 'omit' })));
  await self.skipWaiting(); // no open page depends on what an earlier version keeps
}

async function tidy() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== kept.name).map((name) => caches.delete(name)));
  // The service is asked while this is started, so that no page waits for it.
  await self.registration.navigationPreload?.enable();
}

const find = (what) => caches.match(what, { cacheName: kept.name, ignoreVary: true });

async function open(e) {
  try {
    return await e.preloadResponse ?? await fetch(e.request);
  } catch (lost) {
    const page = await find(kept.page);
    if (!page) throw lost;
    shown.add(e.resultingClientId);
    return page;
  }
}

const load = async (request) => await find(request) ?? fetch(request);

addEventListener('install', (e) => e.waitUntil(keep()));
addEventListener('activate', (e) => e.waitUntil(tidy()));
addEventListener('fetch', (e) => {
  const { mode, destination, method } = e.request;
  if (mode !== 'navigate') {
    if (shown.has(e.clientId)) e.respondWith(load(e.request));
  } else if (destination === 'document' && method === 'GET') { // the browser can send a form again itself
    e.respondWith(open(e));
  }
});
