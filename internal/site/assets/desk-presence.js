// Who else looks at the task in view: told and asked again and again while this page is
// looked at, and at once when somebody comes or goes.
import { desk, now, say, task } from './desk-page.js';

const beat = 20000; // ms

let timer;

function show(others) {
  const place = now().querySelector('.desk-others');
  const text = others.length ? say('others', others.map((o) => o.name).join(', ')) : '';
  if (place && place.textContent !== text) place.textContent = text;
}

async function tell(id) {
  const answer = await fetch(`${location.pathname}/tasks/${id}/presence`, { method: 'POST', redirect: 'manual',
    headers: { Accept: 'application/json' } }).catch(() => null);
  if (!answer?.ok || id !== task()) return;
  show((await answer.json()).others ?? []);
}

function again() {
  clearTimeout(timer);
  if (document.hidden || !task() || !('presence' in desk.dataset)) return;
  tell(task());
  timer = setTimeout(again, beat);
}

export function presence() {
  desk.addEventListener('shown', again);
  document.addEventListener('visibilitychange', again);
  document.addEventListener('live', ({ detail: e }) => {
    if (e.kind === 'presence' && String(e.task_id) === task()) tell(task());
  });
}
