// The tabs beside the work, and the queue as a sheet. Without this they are links and a popover.
import { beside, desk, now, row, task } from './desk-page.js';

const sheet = document.getElementById('desk-line');
const panel = () => now().querySelector('a[data-panel][aria-current]')?.dataset.panel ?? '';
let shown = { task: task(), panel: panel() }; // what is open

const shut = () => { if (sheet.matches(':popover-open')) sheet.hidePopover(); };

// open shows one part beside the work.
function open(link) {
  for (const other of link.parentElement.querySelectorAll('a')) {
    other.removeAttribute('aria-current');
    document.getElementById(other.dataset.panel).hidden = other !== link;
  }
  link.setAttribute('aria-current', 'true');
  shown = { task: task(), panel: link.dataset.panel };
}

// Before desk.js takes them for links to another task.
desk.addEventListener('click', (e) => {
  const link = e.target.closest('a[data-panel]');
  if (!link || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
  e.preventDefault();
  e.stopPropagation();
  open(link);
  now().querySelector('.desk-talk').scrollTop = 0;
}, true);

// stay shows what was open where the same task was drawn anew.
function stay() {
  const same = shown.task === task() && shown.panel !== panel();
  const link = same && now().querySelector(`a[data-panel=${shown.panel}]`);
  if (link) open(link);
  else shown = { task: task(), panel: panel() };
}

// around makes the links of the sheet follow the queue.
function around() {
  for (const link of sheet.querySelectorAll('[data-beside]')) {
    const id = beside(task(), Number(link.dataset.beside));
    link.hidden = !id;
    if (!id) continue;
    link.href = row(id).querySelector('a').href;
    const name = link.querySelector('bdi');
    if (name) name.textContent = row(id).querySelector('.desk-who > bdi').textContent;
  }
}

desk.addEventListener('shown', () => {
  if (shown.task !== task()) shut();
  stay();
  around();
});
sheet.addEventListener('click', (e) => { if (e.target.closest('[aria-current]')) shut(); });
sheet.addEventListener('toggle', ({ newState }) => {
  if (newState === 'open') sheet.querySelector('li > [aria-current]')?.scrollIntoView({ block: 'center' });
});

// Rare: its script comes when somebody asks for it.
desk.addEventListener('click', async (e) => {
  const kind = e.target.closest('[data-attach]')?.dataset.attach;
  if (kind) (await import('./desk-attach.js')).open(kind);
});
