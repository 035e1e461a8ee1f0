// The tasks around the one in view, ready to be shown: their part of the page and their
// document, with its first page drawn. At most so many as are wanted are held.
const none = Promise.resolve(null);

export class Prefetch {
  held = new Map(); // by task: what is read, or being read
  queue = none;

  // address gives where the part of a task is read; look tells how documents are shown now.
  constructor(address, look) {
    this.address = address;
    this.look = look;
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
    if (this.held.get(task) !== entry) return; // it was taken, or is no longer wanted
    entry.reading ??= this.read(task);
    const article = await entry.reading;
    entry.article = article;
    if (this.held.get(task) !== entry) return;
    const view = article.querySelector('document-view');
    if (!view) return;
    const { width, zoom } = this.look();
    view.kept = true;
    view.zoom = zoom;
    await Promise.race([view.prepare(width), new Promise((done) => { setTimeout(done, 5000); })]);
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
    return entry?.article ?? entry?.reading ?? this.read(task);
  }

  // keep holds a part that was in view.
  keep(task, article) {
    this.drop(task);
    const view = article.querySelector('document-view');
    view?.rest?.();
    this.held.set(task, { article });
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
