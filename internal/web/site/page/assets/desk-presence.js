// Who else looks at the task in view: told and asked again and again while this page is
// looked at, and at once when somebody comes or goes.
import { desk, home, now, row, say, task } from './desk-page.js';

const beat = 15000; // ms

let timer;
let last = ''; // the task that was looked at

function show(others) {
  const place = now().querySelector('.desk-others');
  const text = others.length ? say('others', others.map((o) => o.name).join(', ')) : '';
  if (place && place.textContent !== text) place.textContent = text;
}

// passing shows in the row of a task who else came to it, or left it.
function passing({ actor_id: id, task_id: at, body }) {
  const place = row(String(at))?.querySelector('.desk-state');
  if (!place || String(id) === desk.dataset.user) return;
  place.querySelector(`[data-looker="${id}"]`)?.remove();
  if (body.action !== 'arrived') return;
  const [badge] = document.getElementById('desk-looker').content.cloneNode(true).children;
  badge.dataset.looker = id;
  badge.querySelector('bdi').textContent = say('here', body.name);
  place.append(badge);
}

// leave tells that a task is looked at no more.
function leave(id) {
  if (id) fetch(`${home}/tasks/${id}/presence`, { method: 'POST', keepalive: true, redirect: 'manual',
    headers: { Accept: 'application/json' }, body: new URLSearchParams({ left: 'true' }) }).catch(() => {});
}

async function tell(id) {
  const answer = await fetch(`${home}/tasks/${id}/presence`, { method: 'POST', redirect: 'manual',
    headers: { Accept: 'application/json' } }).catch(() => null);
  if (!answer?.ok || id !== task()) return;
  show((await answer.json()).others ?? []);
}

function again() {
  clearTimeout(timer);
  const id = document.hidden ? '' : task();
  if (last !== id) leave(last);
  last = id;
  if (!id) return;
  tell(id);
  timer = setTimeout(again, beat);
}

export function presence() {
  desk.addEventListener('shown', again);
  document.addEventListener('visibilitychange', again);
  addEventListener('pagehide', () => leave(task()));
  addEventListener('pageshow', (e) => { if (e.persisted) again(); });
  document.addEventListener('live', ({ detail: e }) => {
    if (e.kind !== 'presence') return;
    passing(e);
    if (String(e.task_id) === task()) tell(task());
  });
  again();
}
