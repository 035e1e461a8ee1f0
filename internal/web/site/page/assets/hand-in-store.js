// What waits to be handed in is kept in this browser, files and all, until the server
// said yes: it outlives a lost network, a reload and a closed lid. Every entry names
// its user, so that nobody else at this computer sends it.
import { remove, store } from './browser-store.js';

const name = 'lectern-hand-in';
const within = store(name, 'waiting', 'id');

export const keep = (entry) => within('readwrite', (s) => s.put(entry));
export const drop = (id) => within('readwrite', (s) => s.delete(id));
export const find = (id) => within('readonly', (s) => s.get(id));
export const all = () => within('readonly', (s) => s.getAll());

export const forget = () => remove(name);
