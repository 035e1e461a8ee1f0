// Sorts files that come at once to the rows that ask for them: by what they are, which is
// asked before, and among the rows of one kind by their names.

// wordsOf are those of a name, also of one such as DrawingTest.cs.
const wordsOf = (name) => name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u)
  .filter((w) => w.length > 1);

const alike = (a, b) => a === b || (Math.min(a.length, b.length) > 3 && (a.startsWith(b) || b.startsWith(a)));

// liking is how well a file goes into a row: best into the one that holds an older version of it,
// then where the names share words, then where there is room.
function liking(file, row) {
  const asked = wordsOf(row.name);
  const shared = wordsOf(file.name).filter((w) => asked.some((a) => alike(a, w))).length;
  return (row.holds === file.name ? 1000 : 0) + 10 * shared + (row.holds ? 0 : 1);
}

// sort gives for each file the row it goes into, or -1. A file says which rows it fits, a row
// its name and the name of the good file it holds, '' for none.
export function sort(files, rows) {
  const pairs = [];
  files.forEach((file, f) => rows.forEach((row, r) => {
    if (file.fits[r]) pairs.push({ f, r, how: liking(file, row) });
  }));
  pairs.sort((a, b) => b.how - a.how || a.r - b.r || a.f - b.f);
  const out = files.map(() => -1);
  for (const { f, r } of pairs) {
    if (out[f] < 0 && !out.includes(r)) out[f] = r;
  }
  return out;
}
