// Says when a task is due on the clock of this browser, where it is not in the zone of
// the unit.
for (const e of document.querySelectorAll('[data-ends]')) {
  const at = new Date(e.dataset.ends);
  if (-at.getTimezoneOffset() === Number(e.dataset.offset)) continue;
  const text = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'short', day: 'numeric',
    month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' }).format(at);
  e.append(JSON.parse(e.dataset.words).here.replace('%s', text));
}
