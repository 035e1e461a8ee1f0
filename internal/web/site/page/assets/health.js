// Keeps what the page tells of the service up to date while somebody looks at it: the server checks
// again what has grown old whenever it is asked. A part that holds the focus stays as it is.
const pause = 15000; // ms
const soon = 2000; // while something is being checked

let timer;

function wait() {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(renew, document.querySelector('[data-checking]') ? soon : pause);
}

async function renew() {
  try {
    const answer = await fetch(location.pathname, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    if (answer.ok) put(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  } catch { /* the network is away: the next try may find it */ }
  wait();
}

function put(page) {
  for (const old of document.querySelectorAll('[data-renew][id]')) {
    const fresh = page.getElementById(old.id);
    if (!fresh || old.contains(document.activeElement) || fresh.outerHTML === old.outerHTML) continue;
    old.replaceWith(document.adoptNode(fresh));
    fresh.dispatchEvent(new CustomEvent('renewed', { bubbles: true }));
  }
}

document.addEventListener('visibilitychange', wait);
wait();
