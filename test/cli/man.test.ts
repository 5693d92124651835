import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { suite, test } from 'node:test';
import { EXIT } from '../../bin/terminal/exit.ts';
import { examplesOf, leavesOf } from '../../bin/terminal/examples.ts';
import { DENIAL_LABELS } from '../../src/decision/index.ts';
import { defined, documents, manualPages } from '../../scripts/man.ts';
import { parseSections, toRoff } from '../../scripts/man/markdown.ts';
import { ipo } from './fake-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const page = (name: string): string =>
  read(`man/${name}.1`)
    .replaceAll('\\-', '-')
    .replaceAll(/\\f[A-Z]/g, '');
const flagsOf = (text: string): string[] =>
  [...new Set([...text.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag))].toSorted();

const ALL = defined();
const LEAVES = ALL.flatMap(({ listed, command }) => {
  const leaves = leavesOf(command);
  const examples = examplesOf(leaves, listed.examples);
  return leaves.map((leaf) => ({ ...leaf, name: leaf.words.join(' '), examples: examples.get(leaf) ?? [] }));
});

suite('what npm run man writes', () => {
  test('the pages are as the definitions and the prose beside them make them', () => {
    const pages = manualPages();
    assert.deepEqual(readdirSync(join(ROOT, 'man')).toSorted(), [...pages.keys()].toSorted(), 'npm run man');
    for (const [name, text] of pages) assert.equal(read(`man/${name}`), text, `man/${name}: npm run man`);
  });

  test('a page has each of its headings once', () => {
    for (const [name, text] of manualPages()) {
      const headings = [...text.matchAll(/^\.SH (.+)$/gm)].map(([, heading]) => heading);
      assert.deepEqual(headings, [...new Set(headings)], name);
    }
  });

  test('README, docs/commands.md and package.json are as the definitions make them', () => {
    for (const [path, text] of documents()) assert.equal(read(path), text, `${path}: npm run man`);
  });

  test('prose becomes paragraphs, terms and code, and nothing in it is a request of roff', () => {
    const prose = ['.TH is text', '', '- `a b`: x', '  y', '- *C*: z', '', '```', ".SH 'a'", '```'];
    assert.equal(
      toRoff(prose),
      '.PP\n\\&.TH is text\n.TP\n\\fBa b\\fR\nx y\n.TP\n\\fIC\\fR\nz\n.EX\n\\&.SH \\(aqa\\(aq\n.EE',
    );
    assert.equal(
      toRoff(['see ipo-login(1), --yes and back\\slash']),
      '.PP\nsee \\fBipo\\-login\\fR(1), \\fB\\-\\-yes\\fR and back\\eslash',
    );
    assert.throws(() => toRoff(['- an item without a term']), /has no term/);
    assert.throws(() => parseSections('### too deep'), /too deep/);
  });
});

test('ipo.1 names the global flags and every exit code', async () => {
  const { out } = await ipo(['--help']);
  const options = out.slice(out.indexOf('Options:'), out.indexOf('Policies and decisions:'));
  const own = page('ipo').slice(page('ipo').indexOf('.SH OPTIONS'), page('ipo').indexOf('.SH CONVENTIONS'));
  assert.deepEqual(flagsOf(own), flagsOf(options));
  for (const code of Object.values(EXIT)) {
    assert.ok(page('ipo').includes(`.TP\n${code}\n`), `exit code ${code} in ipo.1`);
    assert.match(
      read('docs/commands.md'),
      new RegExp(`^\\| ${code} \\|`, 'm'),
      `exit code ${code} in docs/commands.md`,
    );
  }
});

test('ipo.1 names every environment variable that the commands read', () => {
  const own = page('ipo').slice(page('ipo').indexOf('.SH ENVIRONMENT'), page('ipo').indexOf('.SH FILES'));
  const missing = [...variablesRead()].filter((name) => !new RegExp(`\\b${name}\\b`).test(own));
  assert.ok(variablesRead().size > 8);
  assert.deepEqual(missing, [], 'add them to scripts/man/environment.ts');
});

test('a page names the variables of a move only where there is one, and values as they are written', () => {
  const named = [...manualPages()]
    .filter(([, text]) => text.includes('IPO_BACKUP_FROM'))
    .map(([name]) => name);
  assert.deepEqual(named, ['ipo.1', 'ipo-backup.1']);
  assert.match(page('ipo-channel'), /^github, gitlab, jira, email, slack, teams or webhook\.$/m);
  for (const [name, text] of manualPages())
    assert.doesNotMatch(text, /^:$/m, `${name}: a group without a name`);
  assert.match(page('ipo-runtime'), /^allow, record or notify\.$/m);
});

/** Variables that the files of the command line take from the environment, by index, by name, or taken apart. */
function variablesRead(): ReadonlySet<string> {
  const folders = ['bin', 'src/adapters/proxy', 'src/adapters/registry', 'src/app/registry'];
  const texts = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join(folder, name))),
  );
  const found = texts.flatMap((text) => [
    ...[...text.matchAll(/\benv(?:ironment)?(?:\.|\[['"])([A-Z][A-Z_]+)/g)].map(([, name = '']) => name),
    ...[
      ...text.matchAll(/\{([^{}]+)\}(?: = |: )(?:[a-z]+\.)?(?:env|environment|Terminal\['env'\])/g),
    ].flatMap(([, names = '']) => names.match(/\b[A-Z][A-Z_]+\b/g) ?? []),
  ]);
  return new Set(found.filter((name) => !['PATH', 'SSL_CERT_FILE'].includes(name)));
}

suite('examples', () => {
  for (const { name, examples } of LEAVES)
    test(`${name} --help shows an example`, async () => {
      assert.ok(examples.length > 0, `add one to the examples of bin/${name.split(' ')[1]}/index.ts`);
      const { out } = await ipo([...name.split(' ').slice(1), '--help']);
      const shown = out.slice(out.indexOf('\nExamples:\n')).trim().split('\n').slice(1);
      assert.deepEqual(
        shown.map((line) => line.trim()),
        examples.slice(0, 3),
      );
    });

  test('each command shows two or three, and each line calls a command with flags that there are', async () => {
    for (const { listed, command } of ALL) {
      const leaves = leavesOf(command);
      const placed = [...examplesOf(leaves, listed.examples).values()].flat();
      assert.deepEqual(placed.toSorted(), listed.examples.toSorted(), `${listed.name}: no such command`);
      const { out } = await ipo([listed.name, '--help']);
      const shown = out.slice(out.indexOf('\nExamples:\n')).trim().split('\n').length - 1;
      assert.ok(shown === 2 || shown === 3, `${listed.name}: ${shown} examples`);
    }
    const known = ['--stdin', ...flagsOf((await everyHelp()).join('\n'))];
    for (const { listed } of ALL)
      for (const line of listed.examples)
        for (const flag of flagsOf(line.replace(/^trivy .*?(?:&&|;)/, '')))
          assert.ok(known.includes(flag), `${flag} in: ${line}`);
  });
});

function everyHelp(): Promise<string[]> {
  return Promise.all(
    LEAVES.map(async ({ name }) => (await ipo([...name.split(' ').slice(1), '--help'])).out),
  );
}

test('every denial label stands in the page and in the README', () => {
  for (const label of DENIAL_LABELS) assert.ok(page('ipo-whatif').includes(label), label);
});

test('commands and flags that README and the guides show exist', async () => {
  const shown = ['README.md', 'docs/commands.md', 'docs/ci.md', 'docs/service.md'].flatMap((guide) => {
    const lines = [...read(guide).matchAll(/\bipo ((?:whatif|check|policy|ledger)[^\n`|]*)/g)];
    assert.ok(lines.length > 1, guide);
    return lines.map(([, line = '']) => line);
  });
  assert.ok(shown.length > 30);
  const known = flagsOf((await everyHelp()).join('\n'));
  for (const line of shown)
    for (const flag of flagsOf(line)) assert.ok(known.includes(flag), `${flag} in: ipo ${line}`);
});

test('what the README shows of the answer is what one sees', async () => {
  const [, shown = ''] = /```console\n\$ npm ci && npx (ipo whatif .*?)```/s.exec(read('README.md')) ?? [];
  const [command = '', ...lines] = shown.trimEnd().split('\n');
  const args = command
    .split(' ')
    .slice(1)
    .map((arg) => (arg.startsWith('fixtures/') ? relative('', join(ROOT, arg)) : arg));
  const seen = (await ipo(args)).out.split('\n').map((line) => line.trimEnd());
  assert.ok(lines.length > 15);
  for (const line of lines) assert.ok(line === '…' || seen.includes(line), `not seen: ${line}`);
});
