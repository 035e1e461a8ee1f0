// Looking through a file that is shown line by line: what is found is marked, and gone to one by one.
// It stays within the file, whatever else of the page comes and goes.
const most = 2000; // that are marked
const pause = 150; // ms of typing

const box = (e) => e.closest('.src-box');
const field = (of) => of.querySelector('[data-find]');
const found = new WeakMap(); // by box: where it was found, and which of these is looked at

// within gives what a stretch of a line covers, wherever its colours begin and end.
function within(line, from, to) {
  const range = new Range();
  const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let at = 0;
  for (let n = nodes.nextNode(); n; n = nodes.nextNode()) {
    const end = at + n.data.length;
    if (from >= at && from <= end) range.setStart(n, from - at);
    if (to <= end) {
      range.setEnd(n, to - at);
      break;
    }
    at = end;
  }
  return range;
}

function all(of, wanted) {
  const ranges = [];
  for (const code of of.querySelectorAll('.ln > code')) {
    const text = code.textContent.toLowerCase();
    for (let i = text.indexOf(wanted); i >= 0 && ranges.length < most; i = text.indexOf(wanted, i + wanted.length)) {
      ranges.push(within(code, i, i + wanted.length));
    }
  }
  return ranges;
}

function say(of, key, ...values) {
  of.querySelector('output').textContent = JSON.parse(field(of).dataset.find)[key].replace(/%s/g, () => values.shift());
}

function look(of) {
  const wanted = field(of).value.toLowerCase();
  const ranges = wanted.trim() ? all(of, wanted) : [];
  found.set(of, { wanted, ranges, at: -1 });
  CSS.highlights?.set('found', new Highlight(...ranges));
  if (!wanted.trim()) of.querySelector('output').textContent = '';
  else if (ranges.length === 0) say(of, 'none');
  else go(of, 1);
}

// go leads to the next of what was found, or back.
function go(of, steps) {
  const here = found.get(of);
  if (here?.wanted !== field(of).value.toLowerCase()) {
    look(of);
    return;
  }
  const n = here.ranges.length;
  if (n === 0) return;
  here.at = (here.at + steps + n) % n;
  const line = here.ranges[here.at].startContainer.parentElement.closest('.ln');
  line.scrollIntoView({ block: 'center' });
  CSS.highlights?.set('found-here', new Highlight(here.ranges[here.at]));
  say(of, 'found', here.at + 1, n);
}

let timer;
document.addEventListener('input', ({ target }) => {
  if (!target.matches?.('[data-find]')) return;
  clearTimeout(timer);
  timer = setTimeout(look, pause, box(target));
});
document.addEventListener('keydown', (e) => {
  if (e.key !== 'Enter' || e.isComposing || !e.target.matches?.('[data-find]')) return;
  e.preventDefault();
  clearTimeout(timer);
  go(box(e.target), e.shiftKey ? -1 : 1);
});
document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-found]');
  if (button) go(box(button), Number(button.dataset.found));
});
