// Comments on the pages of a document: each has its sign where it points, which leads to it, and leads there itself.
const said = [...document.querySelectorAll('.src-note[data-page]')].map((e, i) => ({ e, n: i + 1,
  page: Number(e.dataset.page), quote: e.dataset.quote ?? '', point: e.dataset.x && [e.dataset.x, e.dataset.y] }));

const view = () => document.querySelector('document-view');

// pin puts the sign of a comment onto its page: at its point, or at the margin.
function pin(sheet, { e, n, point }, i) {
  const a = Object.assign(document.createElement('a'), { className: 'work-pin', href: `#${e.id}`, textContent: n });
  a.classList.toggle('done', e.classList.contains('done'));
  a.setAttribute('aria-label', e.querySelector('[aria-label]').getAttribute('aria-label'));
  a.style.left = `${100 * (point ? point[0] : 0.97)}%`;
  a.style.top = point ? `${100 * point[1]}%` : `${2 * i + 2}rem`;
  sheet.append(a);
}

// stretch is where on a page a text stands, whatever space is between its words; null: nowhere.
function stretch(layer, quote) {
  const nodes = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  const at = []; // of each character that is no space: the node and its place
  let all = '';
  for (let n = nodes.nextNode(); n; n = nodes.nextNode()) {
    for (let i = 0; i < n.data.length; i++) {
      if (/\s/.test(n.data[i])) continue;
      all += n.data[i];
      at.push([n, i]);
    }
  }
  const wanted = quote.replace(/\s+/g, '');
  const from = wanted ? all.indexOf(wanted) : -1;
  if (from < 0) return null;
  const range = new Range();
  const [[first, start], [last, end]] = [at[from], at[from + wanted.length - 1]];
  range.setStart(first, start);
  range.setEnd(last, end + 1);
  return range;
}

function quotes() {
  const found = said.flatMap(({ quote, page }) => {
    const layer = quote && view()?.querySelector(`.sheet[data-page="${page}"] .text-layer`);
    return layer ? stretch(layer, quote) ?? [] : [];
  });
  CSS.highlights?.set('said', new Highlight(...found));
}

document.addEventListener('drawn', ({ target }) => {
  for (const old of target.querySelectorAll('.work-pin')) old.remove();
  said.filter(({ page }) => page === Number(target.dataset.page)).forEach((s, i) => pin(target, s, i));
});
document.addEventListener('spelt', quotes);

// A comment that is gone to has its page in view.
function there() {
  const one = said.find(({ e }) => `#${e.id}` === location.hash);
  if (!one) return;
  if (view()?.pane) view().go(one.page);
  else if (view()) view().at = one.page; // where it opens
}
for (const { e, page } of said) {
  e.querySelector('[data-go]')?.addEventListener('click', (click) => {
    if (!view()?.pane) return;
    click.preventDefault();
    view().go(page);
    view().pane.focus();
  });
}
addEventListener('hashchange', there);
there();
// Where there are more tabs than fit, that of the file that is shown is brought into view.
for (const tabs of document.querySelectorAll('.work-tabs')) {
  const tab = tabs.querySelector(':scope > [aria-current]');
  if (tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - 40;
}
