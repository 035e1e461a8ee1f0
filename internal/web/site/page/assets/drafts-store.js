// What drafts.js keeps is kept here as well, because browsers write localStorage to the disk seconds
// later: one that is killed meanwhile has lost it. Every entry is a key and a text as it has there.
import { remove, store } from './browser-store.js';

const name = 'lectern-desk';
const within = store(name, 'drafts', 'key', { durability: 'strict' }); // on the disk when it ends

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

export const forget = () => remove(name);
