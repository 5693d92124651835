import { readFileSync } from 'node:fs';
import { sha256Hex } from '../../src/base/index.ts';
import { contentsOf, controlOf, type Debian } from './debian.ts';
import { NODE_LICENCE } from './node.ts';
import { NAMES, type Architecture, type Pin } from './pins.ts';
import { put, putArchive, putProgram, type Tree } from './tree.ts';

/** The account that the service runs under: no login, no rights. */
export const USER = 65532;

/** baseLayer holds what Node.js needs of a system: libraries, authorities, time zones, the names by which scanners know them, and one program, `chrt`. */
export async function baseLayer(
  debian: Debian,
  pins: Record<string, Pin>,
  architecture: Architecture,
): Promise<Tree> {
  const tree: Tree = new Map();
  const { libraries } = NAMES[architecture];
  for (const [name, path] of debian.files(pins)) {
    await putArchive(tree, contentsOf(path), (entry) => wanted(entry, libraries));
    put(tree, `var/lib/dpkg/status.d/${name}`, controlOf(path));
  }
  put(tree, 'etc/ssl/certs/ca-certificates.crt', authorities(tree));
  put(
    tree,
    'etc/passwd',
    `root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:${USER}:${USER}:nonroot:/var/lib/ipo:/sbin/nologin\n`,
  );
  put(tree, 'etc/group', `root:x:0:\nnobody:x:65534:\nnonroot:x:${USER}:\n`);
  put(tree, 'etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
  return tree;
}

/** Libraries, licences and data; no programs but that of `lowerPriority`, no manual pages, no character sets of the C library, which Node.js has itself. */
function wanted(path: string, libraries: string): boolean {
  if (/^(?:etc|usr\/lib)\/(?:os-release|debian_version)$/.test(path)) return true;
  if (/^usr\/share\/doc\/[^/]+\/copyright$/.test(path) || path.startsWith('usr/share/common-licenses/'))
    return true;
  if (path.startsWith('usr/share/ca-certificates/') || path === 'usr/bin/chrt') return true;
  if (/^usr\/share\/zoneinfo\/(?!right\/|posix\/)/.test(path)) return true;
  if (path.includes('/gconv/') || path.includes('/audit/')) return false;
  return (
    [`lib/${libraries}/`, `usr/lib/${libraries}/`].some((folder) => path.startsWith(folder)) ||
    /^lib(?:64)?\/ld-linux-[^/]+$/.test(path)
  );
}

function authorities(tree: Tree): string {
  return [...tree]
    .filter(([path]) => path.startsWith('usr/share/ca-certificates/'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => (entry.type === 'file' ? Buffer.from(entry.data).toString().trimEnd() : ''))
    .join('\n')
    .concat('\n');
}

/** nodeLayer holds the program of Node.js, which has to be the pinned one. */
export function nodeLayer(path: string, pin: Pin): Tree {
  const program = readFileSync(path);
  const given = sha256Hex(program);
  if (given !== pin.sha256)
    throw new Error(`${path}: SHA-256 is ${given}, but Node.js ${pin.version} is pinned to ${pin.sha256}`);
  const tree: Tree = new Map();
  putProgram(tree, 'usr/local/bin/node', program);
  put(tree, 'usr/share/doc/node/LICENSE', readFileSync(NODE_LICENCE));
  return tree;
}

/** trivyLayer holds the scanner, in a layer of its own. `digest` is the SHA-256 that the program has to have, in hexadecimal. */
export function trivyLayer(path: string, digest: string): Tree {
  const program = readFileSync(path);
  const given = sha256Hex(program);
  if (given !== digest) throw new Error(`${path}: SHA-256 is ${given}, not ${digest}`);
  const tree: Tree = new Map();
  putProgram(tree, 'usr/local/bin/trivy', program);
  return tree;
}
