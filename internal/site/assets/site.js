// Old links put their path behind a #, which browsers keep from servers: it is
// read here and leads to the page of today.
const old = [
  [/^#\/password\?token=([\w-]+)$/, (m) => `/password?token=${m[1]}`],
  [/^#\/projects\/(\d+)/, (m) => `/projects/${m[1]}`],
  [/^#\/units\/(\d+)\/tasks\/inbox/, (m) => `/units/${m[1]}/inbox`],
  [/^#\/(home|sign_in|welcome)?(\?.*)?$/, () => '/home'],
];

for (const [pattern, path] of old) {
  const match = location.hash.match(pattern);
  if (match) {
    location.replace(path(match));
    break;
  }
}
