// The widths that somebody gave to the columns of the desk: they stay from task to task,
// and for the next time in this browser.
const columns = ['#desk-queue', '.desk-work'];
const name = 'desk columns';
const widths = load();

function load() {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch { // nothing is kept here, or nothing that can be read
    return {};
  }
}

// A width is in the style only where somebody dragged the edge of a column.
const watch = new ResizeObserver((list) => {
  const given = list.map((e) => e.target).filter((e) => e.isConnected && e.style.width);
  for (const e of given) widths[columns.find((c) => e.matches(c))] = e.style.width;
  if (given.length === 0) return;
  try {
    localStorage.setItem(name, JSON.stringify(widths));
  } catch { /* they stay as long as the page */ }
});

// fit gives the columns within a part of the page the widths they had.
export function fit(part) {
  for (const c of columns) {
    const e = part.matches(c) ? part : part.querySelector(c);
    if (!e) continue;
    if (/^[\d.]+px$/.test(widths[c])) e.style.width = widths[c];
    watch.observe(e);
  }
}
