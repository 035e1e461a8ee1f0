// Shows a document inside the page, with its text to be selected and read aloud. The
// link to the file stays for everybody else. Pages are drawn when they come into view,
// and only a few are held: phones have little memory. A script may prepare a document
// before it is shown, and keep it for a while after.
const most = 5; // drawn pages at once
const zooms = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3];
const largest = 4096; // pixels of a canvas in each direction

const again = [2, 4, 8, 15]; // s between two tries to read a document, where the network is gone

let library; // loaded once, and only where there is a document
let tries = 0;

// load reads the library. A browser remembers that it could not be read: another try has another address.
function load() {
  library ??= import(`./pdfjs/pdf.min.mjs${tries++ ? `?${tries}` : ''}`).then((pdf) => {
    pdf.GlobalWorkerOptions.workerSrc = new URL('./pdfjs/pdf.worker.min.mjs', import.meta.url).href;
    return pdf;
  }, () => {
    library = undefined;
    throw new Lost('offline');
  });
  return library;
}

// Lost is when a document cannot be read now, though it may be soon. Its message is the key of the words.
class Lost extends Error {}

const idle = []; // workers that have read a document to its end
const farewell = 2000; // ms that a worker has to let go of a document

// hire gives every document a worker of its own, so that one that takes for ever holds
// up no other.
function hire(pdf) {
  const worker = idle.pop() ?? new pdf.PDFWorker();
  worker.promise.catch(() => {}); // the document tells of it
  return worker;
}

// release ends a document. Its worker reads the next, unless it does not come to an end.
async function release(task, worker) {
  const late = new Promise((_, fail) => { setTimeout(fail, farewell); });
  try {
    await Promise.race([Promise.all([task.destroy(), worker.promise]), late]);
    idle.push(worker);
  } catch {
    worker.destroy();
  }
}

function element(name, className, text = '') {
  const e = document.createElement(name);
  e.className = className;
  e.textContent = text;
  return e;
}

// contents are the parts that a document names, with the page each begins at.
async function contents(file) {
  const items = await file.getOutline() ?? [];
  const pages = await Promise.all(items.map(async ({ dest }) => {
    const [page] = typeof dest === 'string' ? await file.getDestination(dest) ?? [] : dest ?? [];
    return page ? await file.getPageIndex(page) + 1 : 0;
  }));
  return items.map(({ title }, i) => ({ title, page: pages[i] })).filter(({ page }) => page);
}

// wordsOf are those of a page, to be looked through.
async function wordsOf(file, n) {
  const { items } = await (await file.getPage(n)).getTextContent();
  return items.map((i) => i.str + (i.hasEOL ? ' ' : '')).join('').toLowerCase();
}

// laid goes to a place in a document once its pane is laid out and not painted yet: to ask for it sooner would
// have everything be laid out for that.
const laid = new ResizeObserver((all, observer) => {
  for (const { target: pane } of all) {
    observer.unobserve(pane);
    pane.closest('document-view')?.settle();
  }
});

class DocumentView extends HTMLElement {
  connectedCallback() {
    this.retry();
    this.prepare();
    if (!this.pane) return;
    laid.observe(this.pane);
    this.spell();
  }

  // settle goes to the page that was looked at, unless somebody went to another already.
  settle() {
    if (!this.settled) this.go(this.at, this.within);
  }

  disconnectedCallback() {
    this.settled = false;
    if (!this.kept) this.close();
  }

  // prepare reads the document and draws the page it opens at, also before it is shown:
  // then for a pane of the width that is given. It ends when the page is drawn, or never
  // will be.
  prepare(width) {
    this.width = width;
    this.words ??= JSON.parse(this.dataset.words);
    this.zoom ??= 1;
    this.opened ??= this.begin();
    return this.opened;
  }

  async begin() {
    this.setAttribute('aria-busy', 'true');
    await this.open(new AbortController()).catch((e) => this.fail(e));
    if (this.opened) this.removeAttribute('aria-busy');
  }

  // wait tells that the document cannot be read now, and reads it as soon as it can be: when the
  // network is back, after a while, or when somebody says so.
  wait(why) {
    this.word ??= this.sentence();
    if (this.word.textContent !== this.say(why)) this.word.textContent = this.say(why);
    this.lost = new AbortController();
    const { signal } = this.lost;
    addEventListener('online', () => this.retry(), { signal });
    this.tries = (this.tries ?? 0) + 1;
    const timer = setTimeout(() => this.retry(), 1000 * again[Math.min(this.tries, again.length) - 1]);
    signal.addEventListener('abort', () => clearTimeout(timer));
  }

  // sentence stands where the document would, with a button to try again.
  sentence() {
    const [box, words] = [element('div', 'empty'), element('p', '')];
    const button = element('button', 'btn', this.say('again'));
    words.setAttribute('role', 'status');
    button.type = 'button';
    button.addEventListener('click', () => this.retry());
    box.append(words, button);
    this.append(box);
    return words;
  }

  // retry reads a document that was lost once more, if it is still shown; else it is tried when it is.
  retry() {
    if (!this.lost || !this.isConnected) return;
    this.lost.abort();
    this.lost = this.opened = undefined;
    this.prepare(this.width);
  }

  // found takes away what said that the document was lost.
  found() {
    this.lost?.abort();
    const box = this.word?.parentNode;
    if (box?.contains(document.activeElement)) this.pane?.focus({ preventScroll: true });
    box?.remove();
    this.lost = this.word = this.tries = undefined;
  }

  // stay notes the place that is read: a document that is taken out of the page forgets it.
  stay() {
    if (this.isConnected && this.pane?.clientHeight && this.settled) this.look();
  }

  // rest gives back what is drawn of a document that is kept but not shown, except for
  // the page that is looked at.
  rest() {
    for (const n of this.drawn ?? []) if (n !== this.at) this.clear(this.pane.children[n - 1]);
    this.drawn = this.drawn?.filter((n) => n === this.at);
  }

  // close gives back everything.
  close() {
    this.stop?.abort();
    this.found();
    if (this.task) release(this.task, this.worker);
    this.querySelector('.viewer')?.remove();
    this.opened = this.task = this.worker = this.pane = undefined;
    this.removeAttribute('aria-busy');
  }

  say(key, ...values) {
    return this.words[key].replace(/%s/g, () => values.shift());
  }

  fail(e) {
    if (!this.opened) return; // it was closed meanwhile
    this.querySelector('.viewer')?.remove();
    if (e instanceof Lost) this.wait(e.message);
    else {
      this.found();
      if (!this.querySelector('.hint')) this.append(element('p', 'hint', this.say('failed')));
    }
  }

  async open(stop) {
    this.stop = stop;
    const [pdf, data] = await Promise.all([load(), this.read(stop.signal)]);
    if (stop.signal.aborted) return;
    this.pdf = pdf;
    this.worker = hire(pdf);
    this.task = pdf.getDocument({ data, worker: this.worker, isEvalSupported: false, useWasm: false,
      wasmUrl: new URL('./pdfjs/', import.meta.url).href, enableXfa: false });
    this.document = await this.task.promise;
    this.outline = await contents(this.document).catch(() => []);
    this.begins = this.beginning();
    [this.first] = await Promise.all([1, this.begins].map((n) => this.document.getPage(n)));
    if (stop.signal.aborted) return;
    this.at ??= this.begins; // the page that is looked at
    this.build();
    this.found();
    await this.layOut();
  }

  // beginning is the page the document opens at: where it is a student's work, that behind
  // the cover. The service names the cover first in the outline, then every file.
  beginning() {
    return 'work' in this.dataset ? this.outline[1]?.page ?? 1 : 1;
  }

  async read(signal) {
    try {
      const answer = await fetch(this.getAttribute('src'), { redirect: 'manual', signal });
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
      if (answer.status < 500 && answer.status !== 429) throw new Error(answer.status);
    } catch (e) {
      if (e instanceof TypeError) throw new Lost('offline');
      throw e;
    }
    throw new Lost('unavailable');
  }

  build() {
    const viewer = element('div', 'viewer');
    const bar = element('div', 'viewer-bar row');
    this.place = element('span', 'unseen');
    this.place.setAttribute('role', 'status');
    this.back = this.button('previous', '←', '[', () => this.go(this.at - 1));
    this.next = this.button('next', '→', ']', () => this.go(this.at + 1));
    bar.append(this.place, this.back, ...this.numbers(), this.next,
      this.button('smaller', '−', '-', () => this.scale(-1)), this.button('larger', '+', '+ =', () => this.scale(1)),
      ...this.files(), this.finder());
    this.pane = element('div', 'viewer-pane');
    this.pane.tabIndex = 0;
    this.pane.setAttribute('role', 'region');
    this.pane.setAttribute('aria-label', this.say('label'));
    for (let n = 1; n <= this.document.numPages; n++) this.pane.append(this.sheet(n));
    viewer.append(bar, this.pane);
    this.removeAttribute('aria-busy'); // the skeleton would be pushed down
    this.append(viewer);
    this.pane.addEventListener('scroll', () => { if (this.settled) this.look(); }, { passive: true });
    this.watch();
  }

  sheet(n) {
    const sheet = element('div', 'sheet');
    sheet.dataset.page = n;
    sheet.setAttribute('role', 'group');
    sheet.setAttribute('aria-label', this.say('page', n, this.document.numPages));
    return sheet;
  }

  button(key, sign, shortcut, act) {
    const b = element('button', 'btn', sign);
    b.type = 'button';
    b.setAttribute('aria-label', this.say(key));
    b.title = this.say(key);
    b.addEventListener('click', act);
    return this.keyed(b, b, shortcut);
  }

  // keyed names the key of a control, where single keys are on: on the control, or on its label.
  keyed(control, face, shortcut) {
    if (!('keys' in this.dataset)) return face;
    control.setAttribute('aria-keyshortcuts', shortcut);
    face.append(' ', element('kbd', '', shortcut.split(' ')[0]));
    return face;
  }

  // named puts a field into its label.
  named(key, field, shortcut) {
    const label = element('label', '');
    label.append(element('span', 'unseen', this.say(key)));
    if (shortcut) this.keyed(field, label, shortcut);
    label.append(' ', field);
    return label;
  }

  // numbers are the field of the page and how many there are.
  numbers() {
    this.number = Object.assign(element('input', ''), { type: 'number', min: 1, max: this.document.numPages });
    this.number.addEventListener('change', () => this.go(Number(this.number.value) || this.at));
    const all = element('span', 'hint', `/ ${this.document.numPages}`);
    all.setAttribute('aria-hidden', 'true');
    return [this.named('number', this.number), all];
  }

  // files is the choice of a file or chapter, each by its digit, where there is more than one.
  files() {
    if (this.outline.length < 2) return [];
    const choice = element('select', '');
    this.outline.forEach(({ title }, i) => choice.add(new Option(`${i} ${title}`, i)));
    this.choice = choice;
    const choose = () => this.go(this.outline[choice.value].page);
    choice.addEventListener('change', choose);
    choice.addEventListener('keydown', (e) => {
      if (!/^\d$/.test(e.key) || !this.outline[e.key]) return;
      e.preventDefault();
      choice.value = e.key;
      choose();
      this.pane.focus({ preventScroll: true });
    });
    return [this.named('contents', choice, 't')];
  }

  finder() {
    const field = Object.assign(element('input', ''), { type: 'search', placeholder: this.say('find-here') });
    field.addEventListener('keydown', (e) => {
      if (e.key !== 'Enter' || e.isComposing) return;
      e.preventDefault();
      this.find(field.value);
    });
    field.addEventListener('input', () => { if (!field.value) this.find(''); });
    return this.named('find', field, '/');
  }

  // find goes to the next page that has some words, and marks them there.
  async find(text) {
    const wanted = text.trim().toLowerCase();
    const again = wanted === this.wanted ? 1 : 0;
    const all = this.document.numPages;
    this.wanted = wanted;
    for (let i = 0; wanted && i < all; i++) {
      const n = (this.at - 1 + again + i) % all + 1;
      if (!(await wordsOf(this.document, n)).includes(wanted)) continue;
      this.go(n);
      await this.draw(n);
      break;
    }
    this.spellNow();
    for (const sheet of this.pane.children) this.mark(sheet);
    if (wanted && !this.pane.querySelector('.found')) this.place.textContent = this.say('not-found', text);
  }

  // mark shows where the words that are looked for stand on a page.
  mark(sheet) {
    for (const s of sheet.querySelectorAll('.text-layer span')) {
      s.classList.toggle('found', Boolean(this.wanted) && s.textContent.toLowerCase().includes(this.wanted));
    }
    sheet.querySelector('.found')?.scrollIntoView({ block: 'nearest' });
  }

  // watch draws what comes near, and fits the pages to a pane whose width changes.
  watch() {
    const near = new IntersectionObserver((list) => {
      for (const e of list) if (e.isIntersecting) this.draw(Number(e.target.dataset.page));
    }, { root: this.pane, rootMargin: '0px 0px 50%' }); // people read on, and rarely back
    for (const sheet of this.pane.children) near.observe(sheet);
    const { pane } = this;
    new ResizeObserver(() => {
      if (pane === this.pane && pane.clientWidth > 0 && pane.clientWidth !== this.fitted) this.layOut();
    }).observe(pane);
  }

  // layOut gives every page its size, by that of the first until it is drawn.
  layOut() {
    this.fitted = this.isConnected ? this.pane.clientWidth : this.width;
    if (!this.fitted) return undefined;
    const { at: n, within } = this;
    this.drawn = []; // numbers of the drawn pages, the latest last
    for (const sheet of this.pane.children) this.clear(sheet);
    this.size(this.pane, this.first);
    this.go(n, within);
    return this.draw(n);
  }

  // size notes how large a page is in the units of the document, as the style reads it.
  size(e, page) {
    const { width, height } = page.getViewport({ scale: 1 });
    e.style.setProperty('--sheet-width', width);
    e.style.setProperty('--sheet-height', height);
    const room = Math.max(200, this.fitted - 32);
    e.style.setProperty('--total-scale-factor', (this.zoom * Math.min(room, 1000)) / width);
    return (this.zoom * Math.min(room, 1000)) / width;
  }

  // look finds the page that is looked at after scrolling, and how much of it lies above.
  look() {
    const { scrollTop, clientHeight, children } = this.pane;
    let [at] = children;
    for (const sheet of children) if (sheet.offsetTop <= scrollTop + clientHeight / 3) at = sheet;
    this.within = (scrollTop - at.offsetTop) / at.offsetHeight;
    this.tell(Number(at.dataset.page));
  }

  tell(n) {
    this.at = n;
    const text = this.say('page', n, this.document.numPages);
    if (this.place.textContent !== text) this.place.textContent = text;
    this.number.value = n;
    if (this.choice) this.choice.value = this.outline.findLastIndex(({ page }) => page <= n);
    this.back.disabled = n <= 1;
    this.next.disabled = n >= this.document.numPages;
  }

  // go shows a page from its top, or with a part of it above.
  go(n, within) {
    const to = Math.max(1, Math.min(n, this.document.numPages));
    const { offsetTop, offsetHeight } = this.pane.children[to - 1];
    this.pane.scrollTop = within === undefined ? offsetTop - 8 : offsetTop + within * offsetHeight;
    this.within = within;
    this.settled = this.isConnected;
    this.tell(to);
  }

  scale(step) {
    const at = zooms.indexOf(this.zoom) + step;
    if (at < 0 || at >= zooms.length) return;
    this.zoom = zooms[at];
    this.layOut();
  }

  async draw(n) {
    const sheet = this.pane.children[n - 1];
    if (sheet.firstChild) return;
    const canvas = element('canvas', '');
    canvas.setAttribute('aria-hidden', 'true');
    const text = element('div', 'text-layer');
    sheet.append(canvas);
    this.drawn.push(n);
    if (this.drawn.length > most) this.clear(this.pane.children[this.drawn.shift() - 1]);
    const page = await this.document.getPage(n).catch(() => null);
    if (!page || canvas.parentNode !== sheet) return; // the document was closed, or the page left meanwhile
    const viewport = page.getViewport({ scale: this.size(sheet, page) });
    const fine = Math.min(devicePixelRatio || 1, largest / viewport.width, largest / viewport.height);
    canvas.width = Math.floor(viewport.width * fine);
    canvas.height = Math.floor(viewport.height * fine);
    const layer = new this.pdf.TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport });
    const drawing = page.render({ canvas, viewport, transform: [fine, 0, 0, fine, 0, 0] });
    sheet.stop = () => { drawing.cancel(); layer.cancel(); };
    const [seen] = await Promise.allSettled([drawing.promise, layer.render()]);
    if (canvas.parentNode !== sheet) return;
    sheet.spelt = text;
    if (seen.status === 'fulfilled') sheet.classList.add('drawn');
    sheet.dispatchEvent(new CustomEvent('drawn', { bubbles: true }));
    this.spell();
  }

  // spell lays the words of drawn pages over them, to be selected, found and read out. People see a page
  // before they do that: it is painted first. All words of a page come at once, as each by itself would
  // let the browser lay out everything again.
  spell() {
    requestAnimationFrame(() => setTimeout(() => this.spellNow()));
  }

  spellNow() {
    if (!this.isConnected) return; // it is done when they are shown
    for (const sheet of this.pane?.children ?? []) {
      if (sheet.spelt) sheet.append(sheet.spelt);
      if (sheet.spelt && this.wanted) this.mark(sheet);
      if (sheet.spelt) sheet.dispatchEvent(new CustomEvent('spelt', { bubbles: true }));
      sheet.spelt = undefined;
    }
  }

  clear(sheet) {
    sheet.stop?.();
    sheet.stop = sheet.spelt = undefined;
    sheet.classList.remove('drawn');
    for (const canvas of sheet.querySelectorAll('canvas')) canvas.width = 0; // its memory is free at once
    sheet.replaceChildren();
  }
}

customElements.define('document-view', DocumentView);
