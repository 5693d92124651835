/**
 * fileUri gives a path as a URI reference: a relative one stays relative, an absolute one becomes `file:///…`. Both
 * kinds of slashes separate; what a URI cannot hold is encoded as UTF-8.
 */
export function fileUri(path: string): string {
  const slashes = path.toWellFormed().replaceAll('\\', '/');
  const drive = /^[A-Za-z]:(?=\/)/.exec(slashes)?.[0] ?? '';
  const encoded = slashes.slice(drive.length).split('/').map(encodeURIComponent).join('/');
  if (drive !== '') return `file:///${drive}${encoded}`;
  if (encoded.startsWith('//')) return `file:${encoded}`;
  return encoded.startsWith('/') ? `file://${encoded}` : encoded.replace(/^(\.\/+)+/, '');
}
