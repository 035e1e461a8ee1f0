// Selects all students of the page, or none, in place. Without this the link draws the page anew.
const link = document.getElementById('select-all');
const boxes = [...document.querySelectorAll('.student-table input[name="chosen"]')];
const every = () => boxes.every((b) => b.checked);

function tell() {
  link.textContent = every() ? link.dataset.none : link.dataset.all;
}

link?.addEventListener('click', (e) => {
  if (e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const on = !every();
  for (const b of boxes) b.checked = on;
  tell();
});

document.addEventListener('change', (e) => { if (link && boxes.includes(e.target)) tell(); });
