// What waits to be handed in is kept in this browser, files and all, until the server
// said yes: it outlives a lost network, a reload and a closed lid. Every entry names
// its user, so that nobody else at this computer sends it.
const name = 'lectern-hand-in';

function open() {
  return new Promise((done, fail) => {
    const r = indexedDB.open(name, 1);
    r.onupgradeneeded = () => r.result.createObjectStore('waiting', { keyPath: 'id' });
    r.onsuccess = () => done(r.result);
    r.onerror = () => fail(r.error);
    r.onblocked = () => fail(new Error('blocked'));
  });
}

// within runs f on the store in one transaction and gives what its request gave.
async function within(mode, f) {
  const db = await open();
  try {
    return await new Promise((done, fail) => {
      const t = db.transaction('waiting', mode);
      const r = f(t.objectStore('waiting'));
      t.oncomplete = () => done(r.result);
      t.onerror = () => fail(t.error);
      t.onabort = () => fail(t.error);
    });
  } finally {
    db.close();
  }
}

export const keep = (entry) => within('readwrite', (s) => s.put(entry));
export const drop = (id) => within('readwrite', (s) => s.delete(id));
export const find = (id) => within('readonly', (s) => s.get(id));
export const all = () => within('readonly', (s) => s.getAll());

// forget removes everything.
export const forget = () => new Promise((done) => {
  const r = indexedDB.deleteDatabase(name);
  r.onsuccess = done;
  r.onerror = done;
  r.onblocked = done;
});
