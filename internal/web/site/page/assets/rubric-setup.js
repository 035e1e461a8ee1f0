// The rubric of a task adds up while it is typed: what its best levels are worth, beside the quality points of the task.
const sum = document.getElementById('rubric-sum');
const form = document.getElementById('rubric');
const whole = /^\s*\d+\s*$/;

function count() {
  let total = 0;
  let some = false;
  for (const criterion of form.querySelectorAll('.rs-criterion')) {
    const points = [...criterion.querySelectorAll('[name$="[points]"]')].map((field) => field.value).filter((v) => whole.test(v));
    some ||= points.length > 0;
    total += Math.max(0, ...points.map(Number));
  }
  const line = document.createElement('span');
  line.className = !some || total === Number(sum.dataset.most) ? 'tnum' : 'tnum off';
  line.textContent = some ? sum.dataset.points.replace('%s', total).replace('%s', sum.dataset.most) : sum.dataset.none;
  sum.replaceChildren(line);
}

if (sum) form.addEventListener('input', (e) => { if (e.target.name?.endsWith('[points]')) count(); });

// What a button drew again says where the focus is to be; a browser takes it there only where nothing has it.
document.querySelector('[autofocus]')?.focus();
