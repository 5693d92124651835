import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Command } from 'commander';
import { COMMANDS } from '../../bin/commands.ts';
import { shownBelow } from '../../bin/terminal/examples.ts';
import { ipo } from './fake-terminal.ts';

/** Commands that print no result: they run on, or say on stderr alone what they did. */
const PRINT_NOTHING = [
  'demo',
  'demo trackers',
  'demo notifications',
  'demo runtime',
  'serve',
  'login',
  'logout',
];

const folder = mkdtempSync(join(tmpdir(), 'ipo-grammar-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const policy = join(folder, 'policy.yaml');
writeFileSync(
  policy,
  'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: a}\nspec: {denyLatestTag: true}\n',
);

/** What a call needs to get as far as its `-o`. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'runtime whatif': ['rules.yaml'],
  'runtime rule test': ['rules.yaml'],
  'runtime rule show': ['a'],
  'runtime rule add': ['a'],
  'runtime rule edit': ['a'],
  'runtime rule move': ['a', '--place', '1'],
  'runtime rule delete': ['a', '--yes'],
  'runtime rule apply': ['-f', 'rules.yaml', '--yes'],
  'runtime policy show': ['a'],
  'runtime policy apply': ['rules.yaml', '--yes'],
  'runtime policy delete': ['a', '--yes'],
  whatif: [policy, '--ledger', join(folder, 'none.ndjson')],
  'whatif show': ['w'.repeat(16)],
  'whatif download': ['w'.repeat(16)],
  check: ['nginx', '-p', policy],
  completion: ['bash'],
  'release show': ['1.3.7'],
  'release notes': ['1.3.1..1.3.7'],
  'release verify': [`registry.example/a@sha256:${'a'.repeat(64)}`, '--identity', 'a'],
  'config import': [policy, '--dry-run'],
  'licence check': [policy],
  'licence deactivate': ['--yes'],
  'licence keygen': ['--out', join(folder, 'key.pem')],
  'licence issue': ['--key', policy, '--request', policy, '--customer', 'a'],
  'upgrade plan': ['--from', '1.3.1'],
  'policy lint': [policy],
  'policy diff': [policy, policy],
  'policy fmt': [policy],
  'policy import': [policy],
  'policy test': [policy],
  'policy revisions': ['a'],
  'policy get': ['a'],
  'policy apply': [policy, '--yes'],
  'policy delete': ['a', '--yes'],
  'policy whatif': ['a'],
  'ledger verify': ['--ledger', join(folder, 'none.ndjson')],
  'ledger list': ['--ledger', join(folder, 'none.ndjson')],
  'ledger record': ['--audit', '-'],
  'ledger export': ['--database', `sqlite:${join(folder, 'none.db')}`],
  'ledger prove': ['1', '--ledger', join(folder, 'none.ndjson')],
  'ledger checkpoint': ['--ledger', join(folder, 'none.ndjson')],
  'ledger put-back': [folder, '--database', `sqlite:${join(folder, 'none.db')}`],
  'ledger accept-clock': ['--database', `sqlite:${join(folder, 'none.db')}`],
  'backup create': [
    '--database',
    `sqlite:${join(folder, 'none.db')}`,
    '--out',
    join(folder, 'none.ipobackup'),
  ],
  'backup verify': [join(folder, 'none.ipobackup')],
  'backup restore': [join(folder, 'none.ipobackup'), '--database', `sqlite:${join(folder, 'none.db')}`],
  'evidence create': ['--ledger', 'none.ndjson', '--key', 'none.pem', '--out', 'none.zip'],
  'evidence download': ['k3v7q2mzt5a6wxyb', '--out', 'none.zip'],
  'evidence cancel': ['k3v7q2mzt5a6wxyb'],
  'evidence delete': ['k3v7q2mzt5a6wxyb', '--yes'],
  'evidence declare': ['It is so.'],
  'evidence withdraw': ['k3v7q2mzt5a6wxyb'],
  'evidence show': ['none.zip'],
  'evidence verify': ['none.zip'],
  'evidence recompute': ['none.zip'],
  'evidence sample': ['none.zip', '--seed', 's'],
  'evidence diff': ['none.zip', 'none.zip'],
  'images show': ['nginx'],
  'images scan': ['nginx'],
  'triage add': ['nginx', 'CVE-2024-1', '--reason', 'x', '--for', '1h'],
  'triage end': ['t'.repeat(16)],
  'scan import': [policy],
  'channel setup': ['github', '--print'],
  'channel show': ['a'],
  'channel edit': ['a', '--set', 'dailyCap=3'],
  'channel enable': ['a'],
  'channel disable': ['a'],
  'channel delete': ['a', '--yes'],
  'channel adopt': ['a', '--from', 'c'.repeat(16)],
  'channel preview': ['a'],
  'channel plan': ['a'],
  'channel test': ['a'],
  'channel deliveries': ['a'],
  'channel resend': ['a', '--since', '24h'],
  'channel resume': ['a'],
  'channel mute': ['a', '--for', '6h', '--reason', 'x'],
  'channel unmute': ['a'],
  'tracking show': ['t'.repeat(16)],
  'tracking reopen': ['t'.repeat(16)],
  'tracking confirm': ['t'.repeat(16)],
  'cluster forget-replica': ['a', '--yes'],
  migrate: ['--plan', '--database', `sqlite:${join(folder, 'none.db')}`],
  'account create': ['ada@example.com'],
  'account update': ['ada@example.com', '--name', 'Ada'],
  'account disable': ['ada@example.com'],
  'account anonymise': ['ada@example.com', '--yes'],
  'account password': ['ada@example.com'],
  'token create': ['ci'],
  'token revoke': ['a'.repeat(16)],
};

/** Every command that can be called, by its words. */
function* leaves(command: Command, above = ''): Generator<readonly [string, Command]> {
  const words = `${above} ${command.name()}`.trim();
  const isCalled = (command as unknown as { _actionHandler: unknown })._actionHandler !== null;
  if (isCalled) yield [words, command];
  for (const below of shownBelow(command)) yield* leaves(below, words);
}

const LISTED = await Promise.all(COMMANDS.map(({ load }) => load()));
const ALL = LISTED.flatMap(({ define }) => [...leaves(define(() => async () => {}))]);
const PRINTING = ALL.filter(([words]) => !PRINT_NOTHING.includes(words));
const env = { IPO_SERVER: 'http://127.0.0.1:1', IPO_TOKEN: 'none', XDG_CONFIG_HOME: folder };

suite('the grammar of every command', () => {
  test('there are the commands that the help names', async () => {
    const { out } = await ipo(['--help']);
    for (const { name } of COMMANDS) assert.match(out, new RegExp(`^  ${name} `, 'm'));
    assert.ok(PRINTING.length > 50, String(PRINTING.length));
  });

  for (const [words, command] of PRINTING) {
    test(`ipo ${words}: -o is FORMAT[=PATH], and json is one of them`, async () => {
      const output = command.options.find(({ long }) => long === '--output');
      assert.equal(output?.flags, '-o, --output <format[=path]>');
      const args = [...words.split(' '), ...(ARGUMENTS[words] ?? [])];
      const before = readdirSync(folder);
      const { code, out, err } = await ipo([...args, '-o', 'nosuch'], { env });
      assert.equal(code, 2, err);
      assert.match(err, /^ipo: -o nosuch: not a format of this command; it writes .*\b(nd)?json\b/m);
      assert.equal(out, '');
      assert.deepEqual(readdirSync(folder), before, 'nothing is written where the format is wrong');
    });
  }

  for (const [words, command] of ALL) {
    test(`ipo ${words}: one flag has one meaning and one spelling`, () => {
      for (const { flags, short, long } of command.options) {
        if (long === '--output') continue;
        assert.notEqual(short, '-o', flags);
        assert.notEqual(short, '-v', flags);
        if (long === '--policy')
          assert.match(flags, /^(check|policy test)$/.test(words) ? /<file>$/ : /<name>$/);
        if (long === '--yes') assert.equal(flags, '-y, --yes');
        if (long === '--days') assert.match(flags, /<n>$/);
        if (long === '--limit' || long === '--offset') assert.match(flags, /<n>$/);
        if (long === '--server') assert.match(flags, /^--server (<url>|\[url\])$/);
      }
    });
  }
});

suite('which program it is, and where to start', () => {
  test('-v, -V and --version print only the version; ipo version tells what it was built from', async () => {
    const [short, old, long] = await Promise.all(['-v', '-V', '--version'].map((flag) => ipo([flag])));
    assert.match(long?.out ?? '', /^\d+\.\d+\.\d+\S*\n$/);
    assert.deepEqual([short?.out, old?.out], [long?.out, long?.out]);
    const body = JSON.parse((await ipo(['version', '-o', 'json'])).out) as Record<string, string | null>;
    assert.deepEqual(Object.keys(body), ['version', 'commit', 'node', 'platform']);
    assert.equal(`${body['version']}\n`, long?.out);
    assert.equal(body['node'], process.version);
    assert.match((await ipo(['version'])).out, /^ipo +\S+\ncommit +\S+\nNode\.js +v24/);
  });

  test('ipo by itself says where to start, each line a command that there is', async () => {
    const { code, out, err } = await ipo([]);
    assert.deepEqual([code, out], [2, '']);
    const named = [...err.matchAll(/^ {2}ipo (\w+)/gm)].map(([, name]) => name);
    assert.deepEqual(named, ['demo', 'policy', 'check', 'whatif', 'login']);
    for (const name of named) assert.ok(COMMANDS.some((command) => command.name === name));
  });
});

test('hints of the service are said in commands, and none of them names a path', async () => {
  const { commandHint } = await import('../../bin/service/command-hint.ts');
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const hints = sources.flatMap((path) => [
    ...readFileSync(join('src', path), 'utf8').matchAll(
      /hint: ['`](.*\b(?:GET|POST|PUT|DELETE) \/api\/.*)['`]/g,
    ),
  ]);
  assert.ok(hints.length > 4, String(hints.length));
  const unsaid = hints.map(([, hint = '']) => hint).filter((hint) => commandHint(hint) === null);
  // The others belong to the state of the service, which is told as it is.
  const asked = unsaid.filter((hint) => hint.startsWith('GET'));
  assert.deepEqual(asked, ['GET /api/v1/openapi.json lists what there is'], 'no command serves it');
  assert.equal(
    commandHint('GET /api/v1/policies/shop/revisions lists its revisions'),
    '`ipo policy revisions shop` lists its revisions',
  );
  assert.equal(
    commandHint('the newest 100; GET /api/v1/policies/whatif/runs lists them'),
    'the newest 100; `ipo whatif list` lists them',
  );
  assert.equal(
    commandHint('GET /api/v1/policies/whatif/other lists them'),
    null,
    'a path is matched as a whole',
  );
  assert.equal(
    commandHint('Read it again, look at what changed, and send its new ETag as If-Match'),
    'Read it again, look at what changed, and run the command again',
  );
});

test('a flag with a word that it does not take names the flag, the word, the choices and what was meant', async () => {
  for (const [args, said] of [
    [['account', 'list', '--role', 'admnistrator'], /^ipo: --role admnistrator: choose one of viewer, /],
    [
      ['runtime', 'rule', 'add', 'x', '--action', 'stop'],
      /^ipo: --action stop: choose one of allow, record, notify/,
    ],
    [['tracking', 'list', '--state', 'opne'], /choose one of open, closed\n {2}Did you mean "open"\?\n$/],
  ] as const) {
    const { code, err } = await ipo([...args, '--server', 'https://ipo.example']);
    assert.equal(code, 2);
    assert.match(err, said);
  }
});

test('the words that flags list are those that the service takes', async () => {
  const { ROLES, ACCOUNT_STATES } = await import('../../src/accounts/index.ts');
  const { IMAGE_SORTS, TRIAGE_STATES, VULNERABILITY_SORTS } = await import('../../src/inventory/index.ts');
  const { EFFECTS, PRIORITIES } = await import('../../src/runtime/index.ts');
  const { DELIVERY_STATES } = await import('../../src/notify/index.ts');
  const { END_REASONS } = await import('../../src/trackers/index.ts');
  for (const [line, words] of [
    ['account list --role', ROLES],
    ['account list --state', ACCOUNT_STATES],
    ['token create x --role', ROLES],
    ['images list --sort', IMAGE_SORTS],
    ['vulns --sort', VULNERABILITY_SORTS],
    ['triage list --state', TRIAGE_STATES],
    ['tracking list --reason', END_REASONS],
    ['runtime events --effect', EFFECTS],
    ['runtime events --priority', PRIORITIES],
    ['channel deliveries x --state', DELIVERY_STATES],
  ] as const) {
    const { err } = await ipo([...line.split(' '), '?']);
    const [, listed = ''] = /: choose one of (.*)\n/.exec(err) ?? [];
    assert.deepEqual(listed.split(', ').toSorted(), [...words].toSorted(), line);
  }
});
