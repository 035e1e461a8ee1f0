// Levels of a rubric for all submissions of a batch. The form notes which points are the sum and nobody's own, as the
// page does without this.
import { named, picking } from './levels.js';

const form = document.getElementById('inbox-batch');
const panel = document.getElementById('batch-rubric');
const points = document.getElementById('batch-quality');
const summed = form.elements.summed;

const rub = picking({
  panel: () => panel,
  points: () => points,
  sign: () => document.getElementById('batch-by-hand'),
  keyed: () => true,
  hears: (e) => panel.contains(e.target),
  said(c, level) { document.getElementById('batch-said').textContent = named(c, level); },
  filled(sum) { summed.value = sum; },
});

points?.addEventListener('input', () => { summed.value = ''; }); // they are typed
rub.listens(form);
rub.begin();
