// Looks at a file before it is sent: the same questions as the server's, so that nobody
// waits for an upload that will be refused. The server asks again.
const megabyte = 1 << 20;
const head = 4096; // bytes that tell what a file is
const tail = 4096; // bytes in which a whole PDF ends

const begins = (bytes, start) => start.every((b, i) => bytes[i] === b);
const letters = (text) => [...text].map((c) => c.charCodeAt(0));

const pictures = [[0x89, ...letters('PNG\r\n'), 0x1a, 0x0a], [0xff, 0xd8, 0xff], letters('GIF87a'), letters('GIF89a'),
  [...letters('II*'), 0], [...letters('MM'), 0, 0x2a]];

// bitmap tells a BMP, whose header says how long it is, from a text that begins with the same letters.
const headers = [16, 24, 40, 48, 52, 56, 64, 108, 124];
const bitmap = (bytes) => bytes.length >= 18 && begins(bytes, letters('BM')) &&
  headers.includes(bytes[14] + 256 * (bytes[15] + bytes[16] + bytes[17]));

// What may hold text, or a PDF, and is neither.
const zips = ['PK\u0003\u0004', 'PK\u0005\u0006'].map(letters);
const others = ['PK\u0003\u0004', 'PK\u0005\u0006', 'PK\u0007\b', '%!PS-Adobe-', '%FDF', '8BPS', 'MZ', '\u007fELF',
  '!<arch>', '#EXTM3U', '/* XPM */'].map(letters);

const utf8 = [0xef, 0xbb, 0xbf];
const wide = (bytes) => begins(bytes, [0xff, 0xfe]) || begins(bytes, [0xfe, 0xff]);

// binary tells of a byte that no text holds.
const binary = (b) => b <= 8 || b === 0x0b || (b >= 0x0e && b <= 0x1a) || (b >= 0x1c && b <= 0x1f);

// kindOf tells by its first bytes what a file is: document, image, code or other.
export function kindOf(bytes) {
  if (others.some((o) => begins(bytes, o))) return 'other';
  if (new TextDecoder('latin1').decode(bytes.slice(0, 1024)).includes('%PDF-')) return 'document';
  if (bitmap(bytes) || pictures.some((p) => begins(bytes, p))) return 'image';
  return begins(bytes, utf8) || wide(bytes) || !bytes.some(binary) ? 'code' : 'other';
}

const bytesOf = async (file, from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer());

// flawOf tells what is wrong with the content of a file that is to be of a kind; '' for nothing. Of a zip, where
// one may be sent, the server tells.
async function flawOf(file, kind, zip) {
  const start = await bytesOf(file, 0, head);
  if (zip && zips.some((z) => begins(start, z))) return '';
  const found = kindOf(start);
  if (found !== kind && kind === 'code' && found === 'document') return 'pdf-as-text';
  if (found !== kind) return zip ? 'text-or-zip' : flaws[kind];
  if (kind === 'document') {
    const end = new TextDecoder('latin1').decode(await bytesOf(file, Math.max(0, file.size - tail), file.size));
    return end.includes('%%EOF') ? '' : 'cut';
  }
  return kind === 'code' && !wide(start) && await controls(file) ? 'text' : '';
}

const flaws = { document: 'pdf', image: 'image', code: 'text' };

// controls tells whether a whole file holds what no text does.
async function controls(file) {
  let bad = 0;
  for (let at = 0; at < file.size; at += megabyte) {
    for (const b of await bytesOf(file, at, at + megabyte)) {
      if (b === 0) return true;
      if (b < 0x20 && !(b >= 9 && b <= 13) && b !== 0x1b) bad += 1;
    }
  }
  return bad > 8 && bad > file.size / 50;
}

// check gives null, or the key of a sentence with its values.
export async function check(file, kind, most, zip) {
  if (file.size === 0) return ['empty', file.name];
  if (file.size > most) {
    return ['large', file.name, (file.size / megabyte).toFixed(1), (most / megabyte).toFixed(1)];
  }
  const flaw = await flawOf(file, kind, zip);
  return flaw ? [flaw, file.name] : null;
}
