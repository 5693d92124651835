import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeBinary } from '../binary/make.ts';
import { NODE_LICENCE } from '../image/node.ts';
import type { Architecture, Pin } from '../image/pins.ts';
import { put, putProgram, toTar, type Tree } from '../image/tree.ts';

/** packBinary makes the standalone program of one processor, and packs it with its licences and manual pages. */
export async function packBinary(from: {
  readonly root: string;
  readonly dist: string;
  readonly architecture: Architecture;
  readonly pin: Pin;
  readonly level: number;
  /** Seconds. */
  readonly time: number;
  /** A folder that is not there yet. */
  readonly work: string;
}): Promise<Buffer> {
  const { root, dist, architecture, pin, work } = from;
  const cache = process.env['IPO_IMAGE_CACHE'] ?? join(root, 'node_modules/.cache/image');
  mkdirSync(work);
  const program = join(work, 'ipo');
  await makeBinary({ root, dist, cache, architecture, pin, out: program });
  const tree: Tree = new Map();
  putProgram(tree, 'ipo', readFileSync(program));
  put(tree, 'LICENSE', readFileSync(join(root, 'LICENSE')));
  put(tree, 'LICENSE-NODE', readFileSync(NODE_LICENCE));
  put(tree, 'THIRD-PARTY.txt', readFileSync(join(dist, 'THIRD-PARTY.txt')));
  // The daemon is not in it.
  for (const page of readdirSync(join(root, 'man')).filter((name) => name.endsWith('.1')))
    put(tree, `man/${page}`, readFileSync(join(root, 'man', page)));
  return gzipSync(await toTar(tree, from.time), { level: from.level });
}
