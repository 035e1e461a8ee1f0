// Shows how far the document of a submission is, until it is ready or has failed. The
// server draws each state; this puts the newest in place of the one that is shown.
const first = 1000;
const most = 15000;
const late = 120000;

// wait ends after a pause, or at once when the live stream tells of a document.
function wait(pause) {
  return new Promise((done) => {
    const heard = (e) => { if (['document', 'any'].includes(e.detail.kind)) end(); };
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener('live', heard);
      done();
    };
    const timer = setTimeout(end, pause);
    document.addEventListener('live', heard);
  });
}

async function follow(box) {
  const began = Date.now();
  for (let pause = first; box?.dataset.progress; pause = Math.min(pause * 1.3, most)) {
    await wait(pause);
    box = await renew(box, Date.now() - began > late) ?? box;
  }
}

// renew fetches the state and gives its box, or null where nothing came or changed.
async function renew(box, isLate) {
  let text;
  try {
    const answer = await fetch(box.dataset.progress, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    if (!answer.ok) return null;
    text = await answer.text();
  } catch {
    return null; // the network is away: the next try may find it
  }
  const next = new DOMParser().parseFromString(text, 'text/html').querySelector('.making');
  if (!next) return null;
  if (isLate && next.dataset.progress) {
    const note = document.createElement('p');
    note.textContent = JSON.parse(next.dataset.words).late;
    next.append(note);
  }
  if (next.innerHTML === box.innerHTML && next.dataset.progress) return null;
  box.replaceWith(next);
  return next;
}

for (const box of document.querySelectorAll('.making[data-progress]')) follow(box);
