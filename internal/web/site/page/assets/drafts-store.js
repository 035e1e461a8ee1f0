// What drafts.js keeps is kept here as well, because browsers write localStorage to the disk seconds
// later: one that is killed meanwhile has lost it. Every entry is a key and a text as it has there.
const name = 'lectern-desk';

function open() {
  return new Promise((done, fail) => {
    const r = indexedDB.open(name, 1);
    r.onupgradeneeded = () => r.result.createObjectStore('drafts', { keyPath: 'key' });
    r.onsuccess = () => done(r.result);
    r.onerror = () => fail(r.error);
    r.onblocked = () => fail(new Error('blocked'));
  });
}

// within runs f on the store in one transaction, which is on the disk when it ends, and gives what its
// request gave.
async function within(mode, f) {
  const db = await open();
  try {
    return await new Promise((done, fail) => {
      const t = db.transaction('drafts', mode, { durability: 'strict' });
      const r = f(t.objectStore('drafts'));
      t.oncomplete = () => done(r?.result);
      t.onerror = () => fail(t.error);
      t.onabort = () => fail(t.error);
    });
  } finally {
    db.close();
  }
}

export const all = () => within('readonly', (s) => s.getAll());

// write keeps entries, and removes those whose text is null.
export const write = (entries) => within('readwrite', (s) => {
  for (const e of entries) {
    if (e.text === null) s.delete(e.key);
    else s.put(e);
  }
});

const there = async () => (await indexedDB.databases()).some((db) => db.name === name);

// keepOnly removes what does not begin as the entries of one user do.
export async function keepOnly(mine) {
  if (!await there()) return;
  await within('readwrite', (s) => {
    s.delete(IDBKeyRange.upperBound(mine, true));
    s.delete(IDBKeyRange.lowerBound(`${mine}\uffff`));
  });
}

// forget removes everything.
export const forget = () => new Promise((done) => {
  const r = indexedDB.deleteDatabase(name);
  r.onsuccess = done;
  r.onerror = done;
  r.onblocked = done;
});
