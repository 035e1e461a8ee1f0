// The databases that this browser keeps for us: each has one table.

function open(name, table, key) {
  return new Promise((done, fail) => {
    const r = indexedDB.open(name, 1);
    r.onupgradeneeded = () => r.result.createObjectStore(table, { keyPath: key });
    r.onsuccess = () => done(r.result);
    r.onerror = () => fail(r.error);
    r.onblocked = () => fail(new Error('blocked'));
  });
}

// store gives a function that runs f on the table of a database in one transaction, made as options
// say, and gives what its request gave.
export const store = (name, table, key, options) => async (mode, f) => {
  const db = await open(name, table, key);
  try {
    return await new Promise((done, fail) => {
      const t = db.transaction(table, mode, options);
      const r = f(t.objectStore(table));
      t.oncomplete = () => done(r?.result);
      t.onerror = () => fail(t.error);
      t.onabort = () => fail(t.error);
    });
  } finally {
    db.close();
  }
};

// remove removes a database.
export const remove = (name) => new Promise((done) => {
  const r = indexedDB.deleteDatabase(name);
  r.onsuccess = done;
  r.onerror = done;
  r.onblocked = done;
});
