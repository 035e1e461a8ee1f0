// Checks receipts in the browser, with the keys that the page holds: nothing is sent,
// and a page that was saved goes on working. It is no module, as browsers load none
// from a saved page. Where the browser cannot check, the form goes to the service.
(() => {
  const form = document.getElementById('receipt-form');
  const result = document.getElementById('receipt-result');

  // canonical writes a value as the service signs it: RFC 8785 for whole numbers and
  // keys of ASCII; anything else is refused, as there.
  function canonical(v) {
    if (v === null || typeof v === 'boolean') return String(v);
    if (typeof v === 'string') return JSON.stringify(v.toWellFormed ? v.toWellFormed() : v);
    if (typeof v === 'number') {
      if (!Number.isSafeInteger(v)) throw new Error('not a whole number below 2^53');
      return String(v);
    }
    if (Array.isArray(v)) return '[' + v.map(canonical).join(',') + ']';
    return '{' + Object.keys(v).sort().map((k) => {
      if (/[^\0-\x7f]/.test(k)) throw new Error('a key is not ASCII');
      return JSON.stringify(k) + ':' + canonical(v[k]);
    }).join(',') + '}';
  }

  // parse refuses numbers that are not written as whole ones, where the browser tells
  // how they were written.
  function parse(text) {
    return JSON.parse(text, (_, value, context) => {
      if (typeof value === 'number' && context?.source && !/^-?\d+$/.test(context.source)) {
        throw new Error('not a whole number');
      }
      return value;
    });
  }

  function bytes(base64) {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  }

  // verify gives what a good receipt says, or throws an Error with the name of words
  // that say what is wrong.
  async function verify(text, keys) {
    let receipt;
    try {
      receipt = parse(text);
      receipt = receipt.receipt ?? receipt;
      if (!receipt.body) throw new Error();
    } catch {
      throw new Error('unreadable');
    }
    const key = [keys.current, ...keys.former].find((k) => k && k.id === receipt.key_id);
    if (!key) throw new Error('unknown');
    let body;
    try {
      body = new TextEncoder().encode(canonical(receipt.body));
    } catch {
      throw new Error('unreadable');
    }
    const publicKey = await crypto.subtle.importKey('raw', bytes(key.public_key), 'Ed25519', false, ['verify']);
    let signature;
    try {
      signature = bytes(receipt.signature);
    } catch {
      throw new Error('forged');
    }
    if (!await crypto.subtle.verify('Ed25519', publicKey, signature, body)) throw new Error('forged');
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
    if ([...sum].map((b) => b.toString(16).padStart(2, '0')).join('') !== receipt.hash) throw new Error('hash');
    if (receipt.body.type !== 'lectern-receipt-1') throw new Error('type');
    return receipt.body;
  }

  // For tests, which hold both against the service's own.
  window.receipts = { canonical: (text) => canonical(parse(text)), verify };
  if (!form) return;
  const words = JSON.parse(form.dataset.words);

  function element(name, text, parent) {
    const e = document.createElement(name);
    e.textContent = text;
    parent?.append(e);
    return e;
  }

  function show(body) {
    element('h2', words.good, result).className = 'green';
    const list = element('dl', '', result);
    list.className = 'meanings';
    const row = (name, text) => {
      const div = element('div', '', list);
      element('dt', words[name], div);
      return element('bdi', text, element('dd', '', div)).parentElement;
    };
    row('service', body.service);
    row('student', body.student);
    if (body.submitted_by !== body.student) row('sender', body.submitted_by);
    row('task', `${body.unit.code} ${body.task.abbreviation} ${body.task.name}`);
    row('at', new Date(body.submitted_at).toLocaleString(document.documentElement.lang,
      { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }));
    row('number', body.sequence);
    for (const file of body.files ?? []) {
      const dd = row('file', file.name);
      const form = new Intl.PluralRules(document.documentElement.lang).select(file.size);
      dd.append(', ' + (words.bytes[form] ?? words.bytes.other).replace('%d', file.size));
      element('br', '', dd);
      element('code', file.sha256, dd);
    }
  }

  function complain(name) {
    const p = element('p', words[name], result);
    p.className = 'wrong';
  }

  async function check() {
    const file = document.getElementById('receipt-file').files[0];
    if (file && file.size > Number(form.dataset.most)) return complain('unreadable');
    const text = file ? await file.text() : document.getElementById('receipt').value;
    try {
      show(await verify(text, JSON.parse(form.dataset.keys)));
    } catch (err) {
      if (!(err.message in words)) throw err; // the browser cannot check
      complain(err.message);
    }
  }

  form.addEventListener('submit', async (e) => {
    if (!globalThis.crypto?.subtle) return;
    e.preventDefault();
    result.replaceChildren();
    document.querySelector('.wrong, .banner.red')?.remove();
    try {
      await check();
      result.focus();
    } catch {
      form.submit();
    }
  });
})();
