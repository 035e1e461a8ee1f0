// The page that a browser keeps for when there is no network stands at the address that somebody
// meant to open: it leads there again, and goes there by itself as soon as the service answers.
const every = 15000; // ms; a browser may have a network and not know that the service has none

async function retry() {
  const answer = await fetch('/offline', { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  if (answer) location.reload();
}

const { theme } = sessionStorage;
if (theme) document.documentElement.dataset.theme = theme;
if (location.pathname !== '/offline') {
  document.getElementById('again').href = location.href;
  addEventListener('online', retry);
  setInterval(retry, every);
}
