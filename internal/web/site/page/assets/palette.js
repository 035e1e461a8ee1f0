// The palette finds units, tasks, people, pages and actions while somebody types. site.js opens it
// over any page, and reads this script then; all that is listed comes from the service, which knows
// who may open what.
const dialog = document.getElementById('palette');
const field = document.getElementById('palette-text');
const list = document.getElementById('palette-list');
const note = dialog.querySelector('[role=status]');
const mostRecent = 5;

let shown; // the text whose results are listed
let asking = false;
let entered = false; // Enter was pressed before the results came

const text = () => field.value.trim();
const options = () => [...list.querySelectorAll('[role=option]:not([aria-disabled])')];
const chosen = () => list.querySelector('[aria-selected=true]');

function choose(option) {
  chosen()?.setAttribute('aria-selected', 'false');
  if (!option) {
    field.removeAttribute('aria-activedescendant');
    return;
  }
  option.setAttribute('aria-selected', 'true');
  option.scrollIntoView({ block: 'nearest' });
  field.setAttribute('aria-activedescendant', option.id);
}

function say(words) {
  note.textContent = words;
  note.hidden = !words;
}

// What was opened here before is kept for this tab, and gone when its user signs out.
const recentKey = () => `recent ${dialog.dataset.user}`;
const recent = () => JSON.parse(sessionStorage.getItem(recentKey()) ?? '[]');

function remember(option) {
  const href = option.getAttribute('href');
  if (!href) return;
  const one = { href, words: option.querySelector('bdi').textContent, note: option.querySelector('.muted')?.textContent ?? '' };
  const all = [one, ...recent().filter((r) => r.href !== href)];
  sessionStorage.setItem(recentKey(), JSON.stringify(all.slice(0, mostRecent)));
}

function element(name, className, ...content) {
  const e = document.createElement(name);
  e.className = className;
  e.append(...content);
  return e;
}

function recentKind() {
  const rows = recent().map((r) => {
    const link = element('a', 'res', element('span', 'grow cut', element('bdi', '', r.words), ' ', element('bdi', 'muted', r.note)));
    link.setAttribute('href', r.href);
    return element('li', '', link);
  });
  return rows.length ? [element('section', '', element('h2', '', dialog.dataset.recent), element('ul', '', ...rows))] : [];
}

// show lists what the service found: sections of links and buttons, which become the options
// of one list.
function show(kinds) {
  list.replaceChildren(...kinds);
  for (const kind of list.children) {
    const head = kind.querySelector('h2');
    kind.setAttribute('role', 'group');
    kind.setAttribute('aria-label', head.textContent);
    for (const e of kind.querySelectorAll('h2, ul, li, form')) e.setAttribute('role', 'none');
  }
  [...list.querySelectorAll('.res')].forEach((e, i) => {
    e.id = `palette-${i}`;
    e.setAttribute('role', 'option');
    e.setAttribute('aria-selected', 'false');
    e.tabIndex = -1;
    if (e.localName === 'span') e.setAttribute('aria-disabled', 'true');
  });
  field.setAttribute('aria-expanded', String(kinds.length > 0));
  choose(options()[0]);
}

async function found(asked) {
  const answer = await fetch(`/search/found?${new URLSearchParams({ text: asked })}`,
    { headers: { Accept: 'text/html' }, redirect: 'manual' });
  if (answer.type === 'opaqueredirect') location.assign('/search'); // signed out: in again, and on
  return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
}

function listFound(page, asked) {
  shown = asked;
  const kinds = [...page.querySelectorAll('section')];
  show(asked ? kinds : [...recentKind(), ...kinds]);
  say(kinds.length ? '' : page.querySelector('.empty').textContent.trim());
  if (entered) chosen()?.click();
  entered = false;
}

// ask reads what is found by the text. One question is open at a time: what is typed meanwhile is
// asked for when its answer is there, and an answer to what is no longer asked is dropped.
async function ask() {
  if (asking) return;
  asking = true;
  list.setAttribute('aria-busy', 'true');
  let lost = '';
  while (dialog.open && shown !== text() && !lost) {
    const asked = text();
    let page = null;
    try {
      page = await found(asked);
      if (!page) lost = dialog.dataset.failed;
    } catch {
      lost = dialog.dataset.offline;
    }
    if (page && asked === text()) listFound(page, asked);
  }
  asking = false;
  list.removeAttribute('aria-busy');
  if (!lost) return;
  show([]);
  say(lost);
}

// opened begins with what is in the field, be it typed before this script was there.
export function opened() {
  shown = undefined;
  entered = false;
  say('');
  ask();
}

function step(by) {
  const all = options();
  if (all.length) choose(all[(all.indexOf(chosen()) + by + all.length) % all.length]);
}

function keyed(e) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (by) {
    e.preventDefault();
    step(by);
  } else if (e.key === 'Enter' && !e.isComposing) {
    e.preventDefault();
    if (shown === text()) chosen()?.click();
    else {
      entered = true;
      ask();
    }
  }
}

field.addEventListener('input', () => {
  entered = false;
  ask();
});
field.addEventListener('keydown', keyed);
list.addEventListener('click', (e) => {
  const option = e.target.closest('[role=option]:not([aria-disabled])');
  if (!option) return;
  remember(option);
  dialog.close();
});
