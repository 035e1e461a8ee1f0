// People to add to the staff are listed while somebody types: three characters are enough. One question
// is open at a time; what is typed meanwhile is asked for when its answer is there.
const form = document.querySelector('.staff-find');
const field = document.getElementById('find-staff');
const found = document.getElementById('found');
const count = document.getElementById('found-count');
const least = 3;

let shown = field.value.trim();
let asking = false;

const text = () => field.value.trim();

function show(page) {
  const list = page?.getElementById('found');
  found.replaceChildren(...(list?.childNodes ?? []));
  count.textContent = found.querySelector('[data-count]')?.dataset.count ?? found.textContent.trim();
}

function lost(words) {
  const line = document.createElement('p');
  line.className = 'pad muted';
  line.textContent = words;
  found.replaceChildren(line);
  count.textContent = words;
}

async function ask() {
  if (asking) return;
  asking = true;
  while (shown !== text()) {
    const asked = text();
    try {
      const answer = asked.length < least ? null : await fetch(`${form.action}?${new URLSearchParams({ text: asked })}`,
        { headers: { Accept: 'text/html' } });
      const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
      if (answer && !answer.ok) lost(form.dataset.failed);
      else if (asked === text()) show(page);
    } catch {
      lost(form.dataset.offline);
    }
    shown = asked;
  }
  asking = false;
}

field.addEventListener('input', ask);
