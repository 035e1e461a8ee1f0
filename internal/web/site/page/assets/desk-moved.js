// What somebody else does to a task shows at once: in its row, and in a sentence where it is in view.
import { desk, notice, row, say, state } from './desk-page.js';

const waits = new Set(['ready_for_feedback', 'need_help']); // statuses

const pill = (of) => of.querySelector('header .pill');
const name = (article) => pill(article).textContent.trim();
const mine = ({ dataset: { moverId } }) => moverId === desk.dataset.user;

// follow makes the row of a task tell what the task is now.
export function follow(article) {
  const r = row(article.dataset.task);
  const [now, before] = [pill(article), r?.querySelector('.pill')];
  if (!now || !before || name(article) === before.textContent.trim()) return;
  before.replaceWith(now.cloneNode(true));
  const { task, kind, mover, status } = article.dataset;
  const by = mover && !mine(article) ? say('saved-by', name(article), mover) : '';
  if (waits.has(status)) {
    r.dataset.kind = kind;
    state(task, '', by);
  } else {
    state(task, 'saved', by || say('saved', name(article)));
  }
}

// tell says what became of the task in view, where somebody else did it.
export function tell(article) {
  if (!pill(article) || mine(article)) return;
  const { mover } = article.dataset;
  notice(mover ? say('moved-by', mover, name(article)) : say('moved', name(article)));
}
