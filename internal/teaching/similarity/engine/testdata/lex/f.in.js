const re = /a[/"]b\/c/gi, half = total / 2 / n;
let t = `text ${half} "and" more
lines`; var f = async (x) => x === undefined ? null : 'it\'s';
function g() { return /x/.test(t); }
