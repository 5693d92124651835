import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT, sources, target, type SourceFile } from './sources.ts';

/** What each folder may import besides itself and `base`. A folder that is not here does not belong into the tree. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  image: [],
  findings: ['image'],
  syntax: [],
  policy: ['image', 'syntax'],
  versions: [],
  vex: ['image', 'versions'],
  facts: ['image', 'findings', 'policy', 'vex'],
  'supply-chain': ['image', 'facts', 'vex'],
  decision: ['image', 'findings', 'policy', 'facts'],
  ledger: ['facts', 'decision', 'leadership'],
  backup: ['ledger'],
  pods: ['image', 'policy', 'facts', 'decision'],
  manifests: ['policy', 'pods', 'syntax'],
  admission: ['image', 'policy', 'facts', 'decision', 'ledger', 'pods'],
  whatif: ['image', 'policy', 'facts', 'decision', 'ledger', 'accounts', 'render'],
  inventory: ['image', 'findings', 'policy', 'facts', 'decision', 'ledger'],
  scan: ['image', 'findings'],
  checks: ['image', 'findings', 'policy', 'facts', 'decision', 'pods', 'manifests', 'scan'],
  'policy-test': ['image', 'policy', 'facts', 'decision', 'manifests', 'scan', 'checks'],
  'policy-import': ['policy', 'manifests', 'render'],
  advice: ['findings', 'policy', 'facts', 'decision', 'ledger', 'whatif', 'render'],
  recording: ['image', 'policy', 'facts', 'decision', 'ledger', 'pods', 'admission', 'checks'],
  accounts: [],
  render: [],
  channels: ['syntax'],
  catalogues: [],
  history: ['findings'],
  evidence: ['history', 'ledger', 'policy', 'render'],
  leadership: [],
  text: [],
  trackers: ['findings', 'channels', 'leadership', 'text'],
  notify: ['channels', 'text'],
  runtime: ['image', 'policy', 'leadership'],
  cluster: ['findings', 'policy', 'leadership', 'runtime'],
  certificates: [],
  replicas: ['accounts'],
  reconcile: ['image', 'policy', 'facts', 'decision', 'ledger', 'pods', 'leadership', 'replicas'],
  configuration: ['accounts', 'channels', 'evidence', 'policy', 'runtime'],
  doctor: [],
  licence: ['accounts', 'ledger'],
  releases: ['facts'],
  nodes: ['leadership', 'licence'],
  store: [
    'image',
    'findings',
    'policy',
    'facts',
    'ledger',
    'admission',
    'whatif',
    'inventory',
    'scan',
    'accounts',
    'channels',
    'catalogues',
    'history',
    'evidence',
    'trackers',
    'notify',
    'leadership',
    'runtime',
    'cluster',
    'replicas',
    'reconcile',
    'licence',
    'nodes',
    'supply-chain',
    'backup',
  ],
  adapters: [
    'image',
    'findings',
    'policy',
    'facts',
    'ledger',
    'pods',
    'admission',
    'scan',
    'accounts',
    'channels',
    'catalogues',
    'render',
    'text',
    'trackers',
    'notify',
    'leadership',
    'runtime',
    'cluster',
    'certificates',
    'replicas',
    'reconcile',
    'licence',
    'nodes',
    'vex',
    'supply-chain',
  ],
  api: [
    'findings',
    'policy',
    'facts',
    'ledger',
    'admission',
    'whatif',
    'inventory',
    'scan',
    'accounts',
    'render',
    'channels',
    'catalogues',
    'trackers',
    'notify',
    'runtime',
    'replicas',
    'licence',
    'nodes',
    'releases',
    'supply-chain',
    'backup',
    'configuration',
    'evidence',
    'doctor',
  ],
  telemetry: ['findings', 'policy', 'decision', 'admission', 'channels'],
  app: [
    'image',
    'findings',
    'syntax',
    'policy',
    'ledger',
    'pods',
    'admission',
    'whatif',
    'inventory',
    'scan',
    'checks',
    'accounts',
    'channels',
    'catalogues',
    'history',
    'evidence',
    'trackers',
    'notify',
    'leadership',
    'runtime',
    'cluster',
    'certificates',
    'replicas',
    'reconcile',
    'licence',
    'nodes',
    'supply-chain',
    'backup',
    'configuration',
    'doctor',
    'store',
    'adapters',
    'api',
    'telemetry',
  ],
};

/** Adapters that are parts of others: how calls leave, texts written for them, programs run, and objects of a cluster watched. */
const SHARED_ADAPTERS = ['proxy', 'transport', 'markup', 'program', 'kubernetes'];

/** What each door may import. Parts with effects come from `app` alone. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  bin: [
    'base',
    'image',
    'findings',
    'syntax',
    'policy',
    'facts',
    'decision',
    'ledger',
    'pods',
    'manifests',
    'evidence',
    'whatif',
    'inventory',
    'scan',
    'checks',
    'policy-test',
    'recording',
    'advice',
    'policy-import',
    'accounts',
    'render',
    'runtime',
    'channels',
    'trackers',
    'licence',
    'nodes',
    'releases',
    'backup',
    'configuration',
    'doctor',
    'app',
  ],
  daemon: ['app'],
};

/** Folders whose files are pure but for `*.service.ts`: no clock, no environment, no files. */
const PURE = [
  'base',
  'syntax',
  'image',
  'findings',
  'policy',
  'facts',
  'decision',
  'ledger',
  'pods',
  'manifests',
  'admission',
  'whatif',
  'inventory',
  'scan',
  'checks',
  'policy-test',
  'recording',
  'advice',
  'policy-import',
  'accounts',
  'render',
  'channels',
  'trackers',
  'leadership',
  'cluster',
  'certificates',
  'replicas',
  'reconcile',
  'licence',
  'nodes',
  'releases',
  'catalogues',
  'history',
  'text',
  'notify',
  'vex',
  'supply-chain',
  'backup',
  'configuration',
  'doctor',
];
const IMPURE = [
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bprocess\.(env|argv|cwd|hrtime|stdout|stderr)\b/,
  /\bMath\.random\b/,
  /\bperformance\.now\b/,
  /from 'node:(fs|fs\/promises|net|tls|http|https|dns|child_process|os|worker_threads)'/,
  /\bfetch\(/,
  /\bconsole\./,
];

/** What reads an address without a network, though it stands beside what needs one. */
const PURE_OF_NET = /^import \{ isIP(?:v[46])?(?:, isIP(?:v[46])?)* \} from 'node:net';$/gm;

function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

const src = sources('src');
const doors = Object.keys(DOORS).flatMap(sources);

test('every folder of src is in the table', () => {
  for (const folder of new Set(src.map(({ path }) => folderOf(path))))
    assert.ok(folder in MAY_IMPORT, `src/${folder} is not in the table of the architecture`);
});

test('folders import only what the walk allows, and others only through their index', () => {
  for (const file of src) {
    const own = folderOf(file.path);
    for (const specifier of file.imports) {
      const path = target(file, specifier);
      if (path === null) continue;
      assert.ok(path.startsWith('src/'), `${file.path} imports ${specifier} from outside src`);
      const other = folderOf(path);
      if (own === 'adapters' && other === 'adapters') {
        const [, , one = ''] = path.split('/');
        const isOwn = one === file.path.split('/')[2];
        assert.ok(isOwn || SHARED_ADAPTERS.includes(one), `${file.path}: adapters do not import each other`);
        assert.ok(isOwn || path.endsWith('/index.ts'), `${file.path} imports ${path} past its index`);
        continue;
      }
      if (other === own) continue;
      const allowed = ['base', ...(MAY_IMPORT[own] ?? [])];
      assert.ok(
        allowed.includes(other),
        `${file.path} imports src/${other}, which stands after it in the walk`,
      );
      const depth = other === 'adapters' ? 4 : 3;
      assert.ok(
        path.endsWith('/index.ts') && path.split('/').length === depth,
        `${file.path} imports ${path} past its index`,
      );
    }
  }
});

test('the daemon uses the terminal of the command line, and nothing else of it; the command line nothing of the daemon', () => {
  for (const file of doors) {
    const own = file.path.split('/')[0] ?? '';
    for (const specifier of file.imports) {
      const path = target(file, specifier);
      if (path === null || !/^(bin|daemon)\//.test(path) || path.startsWith(`${own}/`)) continue;
      assert.equal(path, 'bin/terminal/index.ts', `${file.path} imports ${path}`);
      assert.equal(own, 'daemon', `${file.path} imports ${path}`);
    }
  }
});

test('the commands that the help lists are those of the folders', async () => {
  const { commandList } = await import('../scripts/build/rooms.ts');
  assert.equal(readFileSync(join(ROOT, 'bin/commands.ts'), 'utf8'), await commandList());
});

test('the migrations that run are those of the folder', async () => {
  const { migrationList } = await import('../scripts/build/migrations.ts');
  assert.equal(readFileSync(join(ROOT, 'src/store/migrations/list.ts'), 'utf8'), await migrationList());
});

test('the doors enter through app and the domain folders', () => {
  for (const file of doors) {
    for (const specifier of file.imports) {
      const path = target(file, specifier);
      if (path === null || !path.startsWith('src/')) continue;
      // What the service answers with is the command line's to read: its shapes, which are gone when the program runs.
      if (path.startsWith('src/api/contract/') && isTypeImport(file.text, specifier)) continue;
      const door = file.path.split('/')[0] ?? '';
      assert.ok(DOORS[door]?.includes(folderOf(path)), `${file.path} imports ${path}`);
      // A thread or process of the service starts with what it runs, not with all of `app`.
      if (/^daemon\/[a-z]+-(?:worker|part)\.ts$/.test(file.path) && path.startsWith('src/app/')) continue;
      const inside = path.replace(/^src\/[^/]+\//, '');
      assert.ok(/^(index|report\/index)\.ts$/.test(inside), `${file.path} imports ${path} past its index`);
    }
  }
});

function isTypeImport(text: string, specifier: string): boolean {
  return (
    text.includes(`from '${specifier}'`) &&
    new RegExp(`import type [^;]*from '${specifier.replaceAll('.', '\\.')}'`).test(text)
  );
}

/** Refuses a circle in what uses what, and names all that stand in it. */
function refuseCircles(what: string, uses: ReadonlyMap<string, Iterable<string>>): void {
  const done = new Set<string>();
  const visit = (one: string, trail: readonly string[]): void => {
    const circle = [...trail.slice(trail.indexOf(one)), one].join(' → ');
    assert.ok(!trail.includes(one), `${what} in a circle: ${circle}`);
    if (done.has(one)) return;
    for (const next of uses.get(one) ?? []) visit(next, [...trail, one]);
    done.add(one);
  };
  for (const one of uses.keys()) visit(one, []);
}

test('no files import each other in a circle, by whatever import: what two of them need stands below both', () => {
  const targets = (file: SourceFile): string[] =>
    file.imports.map((specifier) => target(file, specifier)).filter((path) => path !== null);
  const files = [...src, ...doors, ...['scripts', 'bench', 'fakes'].flatMap(sources)];
  refuseCircles('files import each other', new Map(files.map((file) => [file.path, targets(file)])));
});

/** Folders whose files stand in rooms, one for each noun; all other folders of src are one room each. */
const ROOMED = ['src/store', 'src/app', 'src/adapters', 'bin'];

/** The room that a file stands in: `src/store/ledger`, `src/policy`, `bin/check`; the files beside rooms are one of their own. */
function roomOf(path: string): string {
  const parts = path.split('/').slice(0, -1);
  return parts.slice(0, ROOMED.includes(parts.slice(0, 2).join('/')) ? 3 : 2).join('/');
}

/** Which rooms each room imports from, be it a value, a type or when it is needed. */
function usedRooms(): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>();
  for (const file of [...src, ...doors]) {
    const room = roomOf(file.path);
    const uses = used.get(room) ?? new Set<string>();
    used.set(room, uses);
    for (const specifier of file.imports) {
      const path = target(file, specifier);
      if (path !== null && roomOf(path) !== room) uses.add(roomOf(path));
    }
  }
  return used;
}
const used = usedRooms();

test('no rooms use each other in a circle, by whatever import', () => {
  refuseCircles('rooms use each other', used);
  for (const base of ROOMED)
    assert.ok(
      [...used.keys()].filter((room) => room.startsWith(`${base}/`)).length > 1,
      `${base} has no rooms`,
    );
});

test('the table has no edge that nothing uses', () => {
  const edges = (folder: string): string[] => {
    const inside = [...used].filter(([room]) => `${room}/`.startsWith(`${folder}/`));
    const others = inside
      .flatMap(([, uses]) => [...uses])
      .filter((room) => !`${room}/`.startsWith(`${folder}/`));
    return others.filter((room) => room.startsWith('src/')).map((room) => room.split('/')[1] ?? '');
  };
  for (const [folder, allowed] of Object.entries(MAY_IMPORT)) {
    const unused = allowed.filter((other) => !edges(`src/${folder}`).includes(other));
    assert.deepEqual(unused, [], `nothing in src/${folder} uses what it may`);
  }
  for (const [door, allowed] of Object.entries(DOORS)) {
    const unused = allowed.filter((other) => !edges(door).includes(other));
    assert.deepEqual(unused, [], `nothing in ${door} uses what it may`);
  }
});

test('the first file of each folder and room says what stands there and what it uses', () => {
  const folders = Object.keys(MAY_IMPORT).filter((folder) => folder !== 'adapters');
  const rooms = ROOMED.flatMap((base) => [...used.keys()].filter((room) => dirname(room) === base));
  for (const room of [...folders.map((folder) => `src/${folder}`), ...rooms]) {
    const first = [...src, ...doors].find(({ path }) => path === `${room}/index.ts`);
    assert.ok(first, `${room} has no index.ts`);
    const [comment = ''] = /^\/\*\*[^]*?\*\//.exec(first.text) ?? [];
    const [, what = '', said] =
      /^(.*)It uses ([^.]+)\.\s*\*\/$/.exec(comment.replaceAll(/\s*\n \*(?!\/)/g, '')) ?? [];
    assert.ok(said !== undefined, `${room}/index.ts does not end with what it uses`);
    assert.match(what, /\w{3}/, `${room}/index.ts does not say what stands there`);
    const names = [...said.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    // A folder tells the folders that it uses but for `base`, which all do; a room the other rooms of its folder.
    const uses = rooms.includes(room)
      ? [...(used.get(room) ?? [])]
          .filter((other) => dirname(other) === dirname(room))
          .map((other) => basename(other))
      : MAY_IMPORT[basename(room)];
    assert.deepEqual(names.toSorted(), uses?.toSorted(), `${room} uses others than it says`);
  }
});

test('pure folders ask no clock, no environment and no file', () => {
  for (const file of src) {
    if (!PURE.includes(folderOf(file.path)) || file.path.endsWith('.service.ts')) continue;
    const text = file.text.replaceAll(PURE_OF_NET, '');
    for (const pattern of IMPURE) assert.doesNotMatch(text, pattern, `${file.path} is not pure`);
  }
});

test('only what a person runs starts credential helpers', () => {
  const importing = (path: string): readonly string[] =>
    [...src, ...doors]
      .filter((file) => !file.path.startsWith(dirname(path)))
      .filter((file) => file.imports.some((specifier) => target(file, specifier) === path))
      .map((file) => file.path);
  assert.deepEqual(importing('src/adapters/credential-helpers/index.ts'), [
    'src/app/registry/own-artifacts.ts',
    'src/app/registry/registry-facts.ts',
  ]);
  const facts = src.filter(({ imports }) => imports.some((one) => one.endsWith('/registry-facts.ts')));
  assert.deepEqual(
    facts.map(({ path }) => path),
    ['src/app/registry/registry-door.ts'],
  );
  // Through the door of the command line; the service has neither this function nor what it opens.
  const using = [...src, ...doors].filter(({ text }) => /\bopenRegistryFacts\(/.test(text));
  assert.deepEqual(using.map(({ path }) => path).toSorted(), [
    'bin/check/lazy-registry.ts',
    'bin/release/verify.ts',
    'src/app/registry/registry-door.ts',
    'src/app/registry/registry-facts.ts',
  ]);
  const opening = [...src, ...doors].filter(({ text }) => /\bopen(?:Own)?Artifacts\(/.test(text));
  assert.deepEqual(opening.map(({ path }) => path).toSorted(), [
    'bin/backup/create.ts',
    'bin/backup/restore.ts',
    'bin/backup/verify.ts',
    'src/app/backup/open-artifacts.ts',
    'src/app/registry/own-artifacts.ts',
    'src/app/registry/registry-door.ts',
  ]);
});

test('the decision is synchronous', () => {
  for (const file of src.filter(({ path }) => folderOf(path) === 'decision')) {
    assert.doesNotMatch(file.text, /\basync\b|\bawait\b|\bPromise\b/, file.path);
  }
});

test('files are named for what they hold, and none is too long', () => {
  for (const { path, text } of [...src, ...doors]) {
    const name = path.split('/').at(-1) ?? '';
    assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*(\.service)?\.(ts|cjs)$/, `${path}: names are kebab-case`);
    assert.doesNotMatch(
      name,
      /^(utils?|helpers?|common|types|manager)\./,
      `${path} says nothing of what it holds`,
    );
    assert.ok(text.split('\n').length <= 300, `${path} has more than 300 lines`);
  }
});

test('only a definition loads what a command runs, since the build puts all else into the file of the help', () => {
  const definitions = doors.filter(({ path }) => /^bin\/(?!terminal|service)[a-z/-]+\/index\.ts$/.test(path));
  for (const { path, text } of definitions) {
    for (const [, specifier = ''] of text.matchAll(/^import (?!type\b)[^;]*?from '(\.[^']+)';/gms)) {
      const used = doors.find((file) => file.path === join(dirname(path), specifier));
      if (used === undefined || /^bin\/(?:terminal|service)\/|\/index\.ts$/.test(used.path)) continue;
      assert.doesNotMatch(used.text, /\bimport\(/, `${path} imports ${used.path}, which loads others late`);
    }
  }
});

test('--version and --help load no part of the core', () => {
  const eager = new Set<string>();
  const visit = (path: string): void => {
    if (eager.has(path)) return;
    eager.add(path);
    const file = [...src, ...doors].find((candidate) => candidate.path === path);
    const found = file?.text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?\bfrom\s+'([^']+)';/gms) ?? [];
    for (const [, specifier = ''] of found) {
      const next = file === undefined ? null : target(file, specifier);
      if (next !== null) visit(next);
      else
        assert.match(
          specifier,
          /^(node:(events|fs|path|process|util)$|commander$)/,
          `${path} loads ${specifier} at the start`,
        );
    }
  };
  visit('bin/main.ts');
  visit('bin/program.ts');
  const core = [...eager].filter((path) => path.startsWith('src/'));
  assert.deepEqual(core, []);
});
