// Tells the times of a page on the clock of this browser. The server wrote them for the zone it
// knows, in the same elements and counting the same way (times.go); what is far away in words
// follows the time while the page is open.
const { lang } = document.documentElement;
const forms = JSON.parse(document.body.dataset.forms);
const words = JSON.parse(document.body.dataset.words);
const { timeZone: here } = new Intl.DateTimeFormat().resolvedOptions();
const minute = 60000; // ms

const parts = { Mon: 'weekday', Jan: 'month', 2: 'day', 2006: 'year', 15: 'hour', '04': 'minute' }; // as layouts name them
const relative = { always: new Intl.RelativeTimeFormat(lang), auto: new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }) };
const clocks = new Map(); // of zones

function clock(timeZone) {
  if (!clocks.has(timeZone)) {
    clocks.set(timeZone, {
      words: new Intl.DateTimeFormat(lang, { timeZone, weekday: 'short', day: 'numeric', month: 'short', year: 'numeric',
        hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
      day: new Intl.DateTimeFormat('en-CA', { timeZone, calendar: 'iso8601', year: 'numeric', month: '2-digit', day: '2-digit' }),
    });
  }
  return clocks.get(timeZone);
}

const day = (at) => Math.round(Date.parse(clock(here).day.format(at)) / (24 * 60 * minute));

function near(at, now) {
  const far = Math.abs(at - now);
  const days = day(at) - day(now);
  const say = (n, unit, numeric = 'always') => relative[numeric].format(Math.trunc(n), unit);
  if (far < minute) return say(0, 'second', 'auto');
  if (far < 60 * minute) return say((at - now) / minute, 'minute');
  if (days === 0 || far < 12 * 60 * minute) return say((at - now) / (60 * minute), 'hour');
  if (Math.abs(days) < 14) return say(days, 'day', 'auto');
  if (Math.abs(days) < 60) return say(days / 7, 'week');
  if (Math.abs(days) < 365) return say(days / 30, 'month');
  return say(days / 365, 'year');
}

const of = (t, zone) => Object.fromEntries(clock(zone).words.formatToParts(t).map((p) => [p.type, p.value]));
const known = new Map(); // what a moment is in a zone: to ask takes long, and a page may have hundreds, often the same

function parted(at, zone) {
  const key = `${at.getTime()} ${zone}`;
  if (known.size > 2000) known.clear();
  if (!known.has(key)) known.set(key, of(at, zone));
  return known.get(key);
}

function moment(at, now, zone) {
  const then = parted(at, zone);
  const form = forms[then.year === parted(now, zone).year ? 'moment' : 'moment-year'];
  return form.replace(/Mon|Jan|2006|15|04|2/g, (name) => then[parts[name]]);
}

const element = (name, ...content) => {
  const e = document.createElement(name);
  e.append(...content);
  return e;
};

// whose names the clock of a unit: the one that most units follow in short, with its name behind it.
function whose({ zone, place }) {
  if (zone !== 'Etc/GMT+12') return place;
  return Object.assign(element('abbr', words.anywhere), { title: place });
}

// content is what stands in the element of a time: on this clock, and on the unit's where that
// shows another one.
function content(e, now) {
  const at = new Date(e.dateTime);
  if (e.dataset.as === 'near') return [near(at, now)];
  const { zone } = e.dataset;
  const full = [moment(at, now, here)];
  const there = zone ? moment(at, now, zone) : full[0];
  if (there !== full[0] && e.dataset.as !== 'until') {
    full.push(' ', element('small', `(${there} `, whose(e.dataset), ')'));
  }
  if (e.dataset.as !== 'both') return full;
  const late = e.dataset.late ? [' ', Object.assign(element('strong', e.dataset.late), { className: 'late' })] : [];
  return [element('strong', near(at, now)), ...late, ' ', element('small', ...full)];
}

function tell(e, now) {
  const filled = element('time', ...content(e, now));
  if (filled.innerHTML !== e.innerHTML) e.replaceChildren(...filled.childNodes);
}

// folded tells of what nobody sees before they unfold it: it is told then, not with all else.
const folded = (e) => e.closest('details:not([open])') && !e.closest('summary');

function tellAll() {
  const now = new Date();
  for (const e of document.querySelectorAll('time[data-as]:not([data-as=day])')) if (!folded(e)) tell(e, now);
}

tellAll();
const note = document.getElementById('clock');
if (note?.textContent) {
  const city = here.split('/').pop().replaceAll('_', ' ');
  note.textContent = words.note.replace('%s', here === 'UTC' ? here : words.place.replace('%s', city));
}
new MutationObserver((changes) => {
  const came = changes.some((c) => [...c.addedNodes].some((n) => n.querySelector?.('time[data-as]') || n.matches?.('time[data-as]')));
  if (came) tellAll();
}).observe(document.body, { childList: true, subtree: true });
document.addEventListener('toggle', ({ target }) => { if (target.matches('details[open]')) tellAll(); }, true);
setInterval(() => { if (!document.hidden) tellAll(); }, minute);
addEventListener('visibilitychange', () => { if (!document.hidden) tellAll(); });
