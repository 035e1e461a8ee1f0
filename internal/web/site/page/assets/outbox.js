// Verdicts on their way: each is kept until the server answered, sent again with the
// same key when the network is lost, and told of when it is refused. Those of one task
// go one after the other.
import { allSent, dropSent, keepSent, sentAs, user } from './drafts.js';

const waits = [1, 2, 4, 8, 15, 30, 60]; // s between two tries
const longest = 30000; // ms that one try may take
const mostAlive = 60000; // bytes that a browser sends on after the page has ended; more it would not send at all
const passing = new Set([401, 408, 425, 429, 500, 502, 503, 504]);
const hex = (b) => b.toString(16).padStart(2, '0');

export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map(hex).join('');

// Outbox tells of "change" whenever an entry begins, is lost, refused or gone, and of
// "saved" with the entry and the answer. An entry has the address and the fields to be
// sent, its key, its task, and what people call it.
export class Outbox extends EventTarget {
  entries = allSent().map((e) => ({ ...e, tries: 1 })); // they may have arrived
  busy = new Set(); // tasks one of whose entries is on its way
  timers = new Map(); // until the next try, by task

  ends = new AbortController();

  constructor() {
    super();
    const { signal } = this.ends;
    addEventListener('online', () => this.resume(), { signal });
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.resume(); }, { signal });
  }

  // close sends nothing any more.
  close() {
    this.ends.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  // resume sends at once what waits.
  resume() {
    for (const task of new Set(this.entries.map((e) => e.task))) this.next(task);
  }

  add(entry) {
    keepSent(entry);
    entry.lost = this.of(entry.task).find((e) => !e.refused)?.lost; // it waits as that one does
    this.entries.push(entry);
    this.tell('change', entry);
    this.next(entry.task);
  }

  of(task) {
    return this.entries.filter((e) => e.task === task);
  }

  // drop forgets an entry.
  drop(entry) {
    this.entries = this.entries.filter((e) => e !== entry);
    dropSent(entry);
    this.tell('change', entry);
  }

  // settled ends when nothing of a task is on its way or waits to be.
  async settled(task) {
    while (this.of(task).some((e) => !e.refused)) {
      await new Promise((done) => { this.addEventListener('change', done, { once: true }); });
    }
  }

  async next(task) {
    const entry = this.of(task).find((e) => !e.refused);
    if (!entry || this.busy.has(task)) return;
    clearTimeout(this.timers.get(task));
    if (entry.tries) {
      const kept = sentAs(entry);
      if (!kept) { // another window had the answer, or its user signed out
        this.drop(entry);
        this.next(task);
        return;
      }
      entry.fields = kept.fields; // another window may have had the answer to the one before
    }
    this.busy.add(task);
    const { answer, body } = await send(entry);
    this.busy.delete(task);
    if ((answer?.ok && body) || heard(entry, answer)) this.save(entry, body);
    else if (!body || passing.has(answer.status)) this.lose(entry, answer);
    else this.refuse(entry, answer.status, body);
    if (entry.refused || !this.entries.includes(entry)) this.next(task);
  }

  save(entry, body) {
    if (body.version) for (const later of this.of(entry.task)) if (later !== entry) follow(later, entry, body.version);
    this.tell('saved', { entry, body });
    this.drop(entry);
  }

  lose(entry, answer) {
    entry.tries = (entry.tries ?? 0) + 1;
    const why = answer?.status === 401 ? 'sign-in' : 'lost';
    for (const e of this.of(entry.task)) if (!e.refused) e.lost = why; // those behind it wait, too
    const wait = waits[Math.min(entry.tries, waits.length) - 1] * (0.75 + Math.random() / 2);
    const asked = Number(answer?.headers.get('Retry-After')) || 0;
    this.timers.set(entry.task, setTimeout(() => this.next(entry.task), 1000 * Math.max(wait, asked)));
    this.tell('change', entry);
  }

  refuse(entry, status, body) {
    entry.refused = { status, ...body };
    keepSent(entry);
    this.tell('refused', entry);
    this.tell('change', entry);
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

// follow makes a verdict that was given in the knowledge of another one about what came
// of that: a page that is closed now must find it so.
function follow(later, entry, version) {
  const { fields, refused } = later;
  if (fields.version === entry.fields.version) fields.version = String(version);
  else if (String(refused?.stands?.version) === entry.fields.version) refused.stands.version = version;
  else return;
  keepSent(later);
}

// heard tells whether a comment that is sent again has arrived before: nobody can say the
// same twice.
function heard(entry, answer) {
  return answer?.status === 409 && entry.tries > 0 && !entry.fields.status;
}

// send tries once. What answers in no words of ours is not our service.
async function send(entry) {
  const body = new URLSearchParams({ ...entry.fields, key: entry.key, by: user });
  const keepalive = body.toString().length < mostAlive;
  try {
    const answer = await fetch(entry.action, { method: 'POST', headers: { Accept: 'application/json' },
      body, redirect: 'manual', keepalive,
      signal: AbortSignal.timeout(longest) });
    const ours = answer.headers.get('Content-Type')?.startsWith('application/json');
    return { answer, body: ours ? await answer.json() : null };
  } catch {
    return {};
  }
}
