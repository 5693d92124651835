import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../../bin/terminal/exit.ts';
import { DENIAL_LABELS } from '../../src/decision/index.ts';
import { ipo } from './fake-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const page = (name: string): string =>
  read(`man/${name}.1`)
    .replaceAll('\\-', '-')
    .replaceAll(/\\f[A-Z]/g, '');
const flagsOf = (text: string): string[] =>
  [...new Set([...text.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag))].toSorted();

/** The flags of a command's own, without the global ones and without --help. */
async function helped(...command: string[]): Promise<string> {
  const { out } = await ipo([...command, '--help']);
  return (out.split('\nGlobal Options:')[0] ?? '').replaceAll('--help', '');
}

const PAGES: readonly (readonly [name: string, commands: readonly (readonly string[])[]])[] = [
  ['ipo-whatif', [['whatif'], ...['list', 'show', 'download'].map((command) => ['whatif', command])]],
  ['ipo-check', [['check']]],
  [
    'ipo-ledger',
    ['list', 'export', 'verify', 'prove', 'checkpoint', 'put-back', 'accept-clock'].map((command) => [
      'ledger',
      command,
    ]),
  ],
  ['ipo-images', ['list', 'show', 'scan'].map((command) => ['images', command])],
  ['ipo-vulns', [['vulns']]],
  ['ipo-triage', ['add', 'list', 'end'].map((command) => ['triage', command])],
  ['ipo-scan', [['scan', 'import']]],
  [
    'ipo-channel',
    [
      ...['setup', 'list', 'show', 'edit', 'enable', 'disable', 'delete', 'adopt', 'preview', 'plan'],
      ...['test', 'deliveries', 'resend', 'mute', 'unmute'],
    ].map((command) => ['channel', command]),
  ],
  ['ipo-tracker', [['tracker', 'test']]],
  ['ipo-tracking', ['list', 'show', 'summary', 'reopen', 'confirm'].map((command) => ['tracking', command])],
  ['ipo-cluster', ['replicas', 'forget-replica'].map((command) => ['cluster', command])],
  ['ipo-migrate', [['migrate']]],
  ['ipo-release', ['list', 'show', 'notes', 'verify'].map((command) => ['release', command])],
  ['ipo-upgrade', [['upgrade', 'plan']]],
  ['ipo-serve', [['serve']]],
  [
    'ipo-policy',
    [
      ...['lint', 'diff', 'fmt', 'init', 'test', 'schema'],
      ...['list', 'revisions', 'get', 'apply', 'delete', 'whatif'],
    ].map((command) => ['policy', command]),
  ],
  ['ipo-login', [['login'], ['logout'], ['whoami']]],
  [
    'ipo-account',
    ['list', 'create', 'update', 'disable', 'anonymise', 'password'].map((command) => ['account', command]),
  ],
  ['ipo-token', ['create', 'list', 'revoke'].map((command) => ['token', command])],
  ['ipo-audit', [['audit']]],
];

for (const [name, commands] of PAGES) {
  test(`${name}.1 names every flag of its commands, and no other`, async () => {
    const help = (await Promise.all(commands.map((command) => helped(...command)))).join('\n');
    assert.deepEqual(flagsOf(page(name)), flagsOf(help));
    for (const [, command] of commands)
      if (command !== undefined)
        assert.ok(page(name).replaceAll('\\-', '-').includes(`.SS ${command}\n`), command);
  });
}

test('ipo.1 names the global flags, every command and every exit code', async () => {
  const { out } = await ipo(['--help']);
  const options = out.slice(out.indexOf('Options:'), out.indexOf('Commands:'));
  const own = page('ipo').slice(page('ipo').indexOf('.SH OPTIONS'), page('ipo').indexOf('.SH CONVENTIONS'));
  assert.deepEqual(flagsOf(own), flagsOf(options));
  for (const [name] of PAGES) assert.ok(page('ipo').includes(name), name);
  for (const code of Object.values(EXIT)) {
    assert.ok(page('ipo').includes(`.TP\n${code}\n`), `exit code ${code} in ipo.1`);
    assert.match(
      read('docs/commands.md'),
      new RegExp(`^\\| ${code} \\|`, 'm'),
      `exit code ${code} in docs/commands.md`,
    );
  }
});

test('the package names every page to man', () => {
  const { man } = JSON.parse(read('package.json')) as { man: string[] };
  const pages = readdirSync(join(ROOT, 'man')).map((name) => `man/${name}`);
  assert.deepEqual(man.toSorted(), pages.toSorted());
  for (const [name] of PAGES) assert.ok(man.includes(`man/${name}.1`), name);
});

test('the tables of docs/commands.md name every command', () => {
  const rows = read('docs/commands.md')
    .split('\n')
    .filter((line) => line.startsWith('| `ipo '))
    .join('\n');
  const commands = PAGES.flatMap(([, all]) => all).map(([command = '']) => command);
  assert.deepEqual(
    [...new Set(commands)].filter((command) => !new RegExp(`\\b${command}\\b`).test(rows)),
    [],
  );
});

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
  const known = flagsOf(
    (
      await Promise.all(
        PAGES.flatMap(([, commands]) => commands.map((command) => ipo([...command, '--help']))),
      )
    )
      .map(({ out }) => out)
      .join('\n'),
  );
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
