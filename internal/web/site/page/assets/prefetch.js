// The tasks around the one in view, ready to be shown: their part of the page and their
// document, with its first page drawn. At most so many as are wanted are held.
const none = Promise.resolve();
const longest = 5000; // ms that one document may hold up the next

const soon = (what) => Promise.race([what, new Promise((done) => { setTimeout(done, longest); })]);

// adopt gives the document of one drawing of a task to a later one, if it is the same.
export function adopt(from, to) {
  const [old, fresh] = [from, to].map((a) => a.querySelector('document-view'));
  if (!old || old.getAttribute('src') !== fresh?.getAttribute('src')) return;
  old.stay?.();
  fresh.replaceWith(old);
}

export class Prefetch {
  held = new Map(); // by task: what is read, or being read
  queue = none;

  // address gives where the part of a task is read; look tells how documents are shown now.
  // ready is called with the tasks that are prepared, whenever they change.
  constructor(address, look, ready) {
    Object.assign(this, { address, look, ready });
  }

  // want prepares tasks, the first first, and lets go of all others.
  want(tasks, also = []) {
    for (const task of this.held.keys()) if (!tasks.includes(task) && !also.includes(task)) this.drop(task);
    for (const task of tasks) {
      if (this.held.has(task)) continue;
      const entry = {};
      this.held.set(task, entry);
      this.queue = this.queue.then(() => this.fill(task, entry)).catch(() => this.forget(task, entry));
    }
  }

  async fill(task, entry) {
    await soon(this.look().opened); // what is looked at comes first
    if (this.held.get(task) !== entry) return; // it was taken, or is no longer wanted
    entry.reading ??= this.read(task);
    const article = await entry.reading;
    entry.article = article;
    if (this.held.get(task) !== entry) return;
    await this.draw(article.querySelector('document-view'));
    entry.done = true;
    this.tell();
  }

  tell() {
    this.ready([...this.held].filter(([, e]) => e.done).map(([id]) => id));
  }

  // draw prepares a document, and gives up waiting for one that takes too long.
  async draw(view) {
    if (!view) return;
    const { width, zoom } = this.look();
    view.kept = true;
    view.zoom = zoom;
    await soon(view.prepare(width));
  }

  // read fetches the part of a task.
  async read(task) {
    const answer = await fetch(this.address(task), { headers: { Accept: 'text/html' }, redirect: 'manual' });
    if (!answer.ok) throw Object.assign(new Error(answer.status), { status: answer.status });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const article = document.adoptNode(page.getElementById('desk-task'));
    customElements.upgrade(article);
    return article;
  }

  // take gives what was prepared, at once or when it has come, and no longer holds it.
  take(task) {
    const entry = this.held.get(task);
    this.held.delete(task);
    this.tell();
    return entry?.article ?? entry?.reading ?? this.read(task);
  }

  // keep holds a part that was in view.
  keep(task, article) {
    this.drop(task);
    const view = article.querySelector('document-view');
    view?.stay?.();
    view?.rest?.();
    this.held.set(task, { article });
  }

  // renew reads a task that is held again, because something happened to it, and gives it.
  async renew(task) {
    const entry = this.held.get(task);
    if (!entry) return null;
    const fresh = await this.read(task).catch(() => null);
    if (this.held.get(task) !== entry || !fresh || !entry.article) return fresh; // else the old is better than nothing
    adopt(entry.article, fresh);
    entry.article = fresh;
    return fresh;
  }

  forget(task, entry) {
    if (this.held.get(task) === entry) this.held.delete(task);
  }

  // drop lets go of what is known of a task, because it is no longer so or not wanted.
  drop(task) {
    this.held.get(task)?.article?.querySelector('document-view')?.close?.();
    this.held.delete(task);
  }
}
