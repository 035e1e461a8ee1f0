// Looks at a file before it is sent: the same questions as the server's, so that nobody
// waits for an upload that will be refused. The server asks again.
const megabyte = 1 << 20;
const pictures = [[0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], [0x47, 0x49, 0x46, 0x38], [0x42, 0x4d],
  [0x49, 0x49, 0x2a, 0], [0x4d, 0x4d, 0, 0x2a]];

const begins = (bytes, start) => start.every((b, i) => bytes[i] === b);

const looks = {
  document: (bytes) => (new TextDecoder('latin1').decode(bytes).includes('%PDF-') ? null : 'pdf'),
  image: (bytes) => (pictures.some((p) => begins(bytes, p)) ? null : 'image'),
  // Text in UTF-16 has zero bytes, and begins with a mark.
  code: (bytes) => (!bytes.includes(0) || begins(bytes, [0xff, 0xfe]) || begins(bytes, [0xfe, 0xff]) ? null : 'text'),
};

// check gives null, or the key of a sentence with its values.
export async function check(file, kind, most) {
  if (file.size === 0) return ['empty', file.name];
  if (file.size > most) {
    return ['large', file.name, (file.size / megabyte).toFixed(1), (most / megabyte).toFixed(1)];
  }
  const bytes = new Uint8Array(await file.slice(0, 1024).arrayBuffer());
  const flaw = looks[kind]?.(bytes);
  return flaw ? [flaw, file.name] : null;
}
