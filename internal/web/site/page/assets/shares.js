// The shares of a group are added up while they are typed, and what is not 100 is told.
const total = document.getElementById('shares-total');
const fields = [...document.querySelectorAll('input[data-share]')];

function add() {
  const sum = fields.reduce((all, f) => all + (Number(f.value) || 0), 0);
  total.textContent = sum === 100 ? '100 %' : `${sum} % ${total.dataset.wrong}`;
  total.classList.toggle('late', sum !== 100);
}

for (const f of fields) f.addEventListener('input', add);
if (total) add();
