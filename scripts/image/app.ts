import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER } from './base.ts';
import { NAMES, type Architecture } from './pins.ts';
import { put, putFolder, putProgram, type Tree } from './tree.ts';

interface Lock {
  packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
}

/** installedPackages lists the folders of `node_modules` that the installed package needs: what is bundled is not among them. */
export function installedPackages(root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== '' && entry.dev !== true && entry.devOptional !== true)
    .map(([path]) => path);
}

/** Headers and sources of native packages are for building them, which is done; of the built forms one is for this processor. */
function runs(path: string, architecture: Architecture): boolean {
  if (path.startsWith('prebuilds/')) return path === `prebuilds/linux-${NAMES[architecture].node}.node`;
  return !/^(?:deps|src|tools|test|doc)\//.test(path) && !/\.(?:h|c|cc|cpp|gyp|gypi|md|map)$/.test(path);
}

/** appLayer holds the programs built in `dist`, with `ipo` on the PATH, and the volume's folder, which is the only thing that the service may write to. */
export function appLayer(root: string, dist: string, architecture: Architecture): Tree {
  const tree: Tree = new Map();
  const read = (path: string): Buffer => readFileSync(join(root, path));
  put(tree, 'app/package.json', read('package.json'));
  put(tree, 'app/LICENSE', read('LICENSE'));
  put(tree, 'app/bin/ipo.cjs', read('bin/ipo.cjs'));
  put(tree, 'app/daemon/ipod.cjs', read('daemon/ipod.cjs'));
  putFolder(tree, 'app/dist', dist);
  for (const path of installedPackages(root))
    if (path !== 'node_modules/node-addon-api')
      putFolder(tree, `app/${path}`, join(root, path), (name) => runs(name, architecture));
  for (const name of ['ipo', 'ipod'])
    putProgram(
      tree,
      `usr/local/bin/${name}`,
      `#!/usr/local/bin/node\nrequire('/app/${name === 'ipo' ? 'bin' : 'daemon'}/${name}.cjs');\n`,
    );
  tree.set('var/lib/ipo', { type: 'directory', mode: 0o700, owner: USER });
  return tree;
}
