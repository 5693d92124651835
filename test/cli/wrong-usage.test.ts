import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

const SHOP = 'fixtures/ledger/shop.ndjson.gz';
const DRAFT = 'fixtures/policies/tighten.yaml';

suite('Wrong usage is named once, in our own words', () => {
  let directory = '';
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'ipo-usage-'));
    mkdirSync(join(directory, 'empty'));
    writeFileSync(join(directory, 'text.ndjson'), 'hello\n');
    writeFileSync(join(directory, 'none.ndjson'), '');
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const missing = /^ipo: none\.yaml: no such file or directory\n {2}Check the path/;
  const labels = 'registry, tag, digest, .*, context, workload_hardening';
  for (const [args, code, said] of [
    // Values of a closed set.
    [
      ['ledger', 'list', '--ledger', SHOP, '--label', 'nosuch'],
      2,
      `^ipo: --label nosuch: choose one of ${labels}\n$`,
    ],
    [
      ['completion', 'tcsh'],
      2,
      /^ipo: tcsh is not a valid shell; choose one of bash, zsh, fish, powershell\n {2}See /,
    ],
    [['demo', 'trackers', 'x'], 2, /^ipo: x is not a valid tracker; choose one of github, /],
    [
      ['policy', 'test', '.', '--registry', 'x'],
      2,
      /^ipo: --registry x: choose one of auto, always, never\n {2}See ipo policy test --help\.\n$/,
    ],
    [['serve', '--listen', 'foo'], 2, /^ipo: --listen: must be HOST:PORT, such as 127\.0\.0\.1:8080/],
    [['demo', '--listen', 'foo'], 2, /^ipo: --listen foo: must be HOST:PORT, such as 127\.0\.0\.1:8080/],
    // What cannot be an ID.
    ...[
      ['download', 'nosuch', '--out', 'x.zip'],
      ['cancel', 'nosuch'],
      ['delete', 'nosuch', '--yes'],
    ].map(
      (args) =>
        [
          ['evidence', ...args],
          2,
          /^ipo: nosuch: not the ID of a package\n {2}ipo evidence list shows their IDs\.\n$/,
        ] as const,
    ),
    [
      ['evidence', 'withdraw', 'nosuch'],
      2,
      /^ipo: nosuch: not the ID of a declaration\n {2}ipo evidence declarations shows their IDs\.\n$/,
    ],
    // A file that is missing is named before a sign-in or a confirmation is asked for.
    [['policy', 'apply', 'none.yaml'], 3, missing],
    [
      ['config', 'import', 'package.json'],
      2,
      /^ipo: package\.json:\d+:\d+: apiVersion must be ipo\.dev\/v1\n/,
    ],
    [
      ['config', 'import', DRAFT],
      2,
      /^ipo: ipo config import needs confirmation, and stdin is not a terminal\n/,
    ],
    [['config', 'import', 'none.yaml'], 3, missing],
    [['runtime', 'policy', 'apply', 'none.yaml'], 3, missing],
    [['runtime', 'rule', 'apply', '-f', 'none.yaml'], 3, missing],
    // What commander finds.
    [['policy', 'diff', 'a.yaml'], 2, /^ipo: no AFTER file given\n/],
    [['policy', 'lint'], 2, /^ipo: no file given\n {2}See ipo policy lint --help\.\n$/],
    [['backup', 'create'], 2, /^ipo: --out <file> is required\n/],
    [
      ['check', 'nginx', '--server'],
      2,
      /^ipo: --server <url>: no value given\n {2}See ipo check --help\.\n$/,
    ],
    ...[
      ['check', '--server', '--offline', 'nginx'],
      ['check', '-p', '--offline', 'nginx'],
      ['check', 'nginx', '-n', '-o', 'json'],
      ['triage', 'add', 'nginx', 'CVE-2024-1234', '--reason', '--server=http://127.0.0.1:9'],
      ['whatif', DRAFT, '--ledger', '-o', 'json'],
      ['runtime', 'rule', 'apply', '-f', '--dry-run'],
      ['backup', 'create', '--out', '--force'],
    ].map((args) => {
      const flag = args.findIndex((word, place) => word.startsWith('-') && args[place + 1]?.startsWith('-'));
      return [
        args,
        2,
        `^ipo: --[a-z]+ <\\S+>: no value given before ${args[flag + 1]}\n  A value that begins with a dash is written --[a-z]+=${args[flag + 1]}\\.\n  See ipo `,
      ] as const;
    }),
    // A dash is stdin, and a number may be negative.
    [['check', 'nginx', '-p', '--', 'none.yaml'], 2, /^ipo: --policy <file>: no value given before --\n/],
    [['check', 'nginx', '--policy=--offline'], 3, /^ipo: --offline: no such file or directory\n/],
    [
      ['whatif', DRAFT, '--ledger', SHOP, '--days', '-1'],
      2,
      /^ipo: --days -1: the period must be a whole number from 1 to 90\n/,
    ],
    [['whoami', 'me'], 2, /^ipo: too many arguments: me\n/],
    [['polcy'], 2, /^ipo: unknown command 'polcy'\n {2}Did you mean policy\?\n {2}See ipo --help\.\n$/],
    [['help', 'polcy'], 2, /^ipo: unknown command 'polcy'\n {2}Did you mean policy\?\n/],
    [['config', 'export', '-o', 'all.yaml'], 2, /\n {2}To write a file: -o yaml=all\.yaml\.\n$/],
    [
      ['triage', 'delete', '7'],
      2,
      /^ipo: unknown command 'delete'\n {2}Did you mean end\?\n {2}See ipo triage --help\.\n$/,
    ],
    [['triage', 'lst'], 2, /^ipo: unknown command 'lst'\n {2}Did you mean list\?\n {2}See/],
    // What stands in the place of something else.
    ...['--ledger', '-l', '--ledger=x'].map(
      (flag) =>
        [
          ['ledger', 'export', flag, SHOP],
          2,
          /^ipo: unknown option '\S+'\n {2}This command reads a database \(--database\) or a service \(--server\), not an export\.\n {2}See/,
        ] as const,
    ),
    [
      ['policy', 'list', '--ledger', SHOP],
      2,
      /^ipo: unknown option '--ledger'\n {2}This command reads a service \(--server\), not an export\.\n {2}See/,
    ],
    [['evidence', 'verify', SHOP, '--server', 'x'], 2, /^ipo: unknown option '--server'\n {2}See/],
    [
      ['ledger', 'list', '--database', 'sqlite:none.db'],
      3,
      /^ipo: \S*none\.db does not exist\n {2}Check the path; the first start of a service makes its database\.\n$/,
    ],
    [
      ['triage', 'add', 'CVE-2024-1234', '--reason', 'x'],
      2,
      /^ipo: no image given: CVE-2024-1234 is a CVE\n {2}Name the image first: ipo triage add IMAGE CVE-2024-1234 --reason TEXT\.\n$/,
    ],
    [
      ['triage', 'add', 'cve-2024-1234', 'nginx'],
      2,
      /^ipo: cve-2024-1234 is a CVE, and stands where the image belongs\n {2}.*: ipo triage add nginx cve-2024-1234 /,
    ],
    [['triage', 'add', 'nginx', '--reason', 'x'], 2, /^ipo: no CVE given\n/],
    [
      ['ledger', 'verify', '--ledger', SHOP, '--key', 'nokey'],
      3,
      /^ipo: nokey: no such file or directory, and not a verifier key\n {2}A verifier key is NAME\+8 hex digits\+base64; .*`ipo ledger checkpoint --verify`/,
    ],
    [
      ['ledger', 'verify', '--ledger', SHOP, '--key', 'text.ndjson'],
      2,
      /^ipo: text\.ndjson: not a valid verifier key\n {2}A verifier key is NAME/,
    ],
    [
      ['ledger', 'verify', '--ledger', SHOP, '--key', 'a+1234567z+AAAA'],
      3,
      /, and not a verifier key\n {2}A verifier key is NAME/,
    ],
    // Values that are out of their bounds.
    [
      ['whatif', DRAFT, '--ledger', SHOP, '--days', 'banana'],
      2,
      /^ipo: --days banana: the period must be a whole number from 1 to 90\n {2}Write for example --days 30\.\n$/,
    ],
    [
      ['whatif', DRAFT, '--ledger', SHOP, '--fail-on', 'foo=1'],
      2,
      /^ipo: --fail-on foo=1: not a valid count;.*\n {2}Write for example --fail-on would_deny=10\.\n$/,
    ],
    [
      ['ledger', 'prove', '99999999', '--ledger', SHOP],
      1,
      /^ipo: row 99999999 is not in .*\n {2}`ipo ledger list --ledger FILE` shows the rows with their numbers\.\n$/,
    ],
    [
      ['check', 'nginx', '-p', DRAFT, '--namespace', 'Bad_NS'],
      2,
      /^ipo: --namespace Bad_NS: is not a namespace name; .*\n {2}Did you mean "bad-ns"\?\n$/,
    ],
    [['check', 'nginx', '-p', DRAFT, '--namespace', ''], 2, /^ipo: --namespace "": is not a namespace name/],
    // Exports.
    [['ledger', 'list', '--ledger', 'text.ndjson'], 2, /^ipo: text\.ndjson:1: the line is not JSON\n/],
    [
      ['ledger', 'list', '--ledger', 'none.ndjson'],
      2,
      /^ipo: none\.ndjson:1: the file is empty: not a ledger export\n/,
    ],
    [['ledger', 'list', '--ledger', 'empty'], 3, /^ipo: empty: is a directory, not a file\n/],
    [['whatif', 'matrix'], 2, /^ipo: no ledger given\n/],
  ] as const)
    test(`ipo ${args.join(' ')}`, async () => {
      const paths = ['text.ndjson', 'none.ndjson', 'empty'];
      const ran = await ipo(args.map((word) => (paths.includes(word) ? join(directory, word) : word)));
      const err = ran.err.replaceAll(`${directory}/`, '');
      assert.deepEqual([ran.code, ran.out], [code, ''], ran.err);
      assert.match(err, typeof said === 'string' ? new RegExp(said) : said);
    });

  test('a list without rows says so once', async () => {
    const ran = await ipo(['ledger', 'list', '--ledger', SHOP, '--namespace', 'nosuch']);
    assert.deepEqual([ran.code, ran.out, ran.err], [0, 'No row.\n', '']);
    const json = await ipo(['ledger', 'list', '--ledger', SHOP, '--namespace', 'nosuch', '-o', 'json']);
    assert.deepEqual([json.out, json.err], ['{"items":[],"total":0}\n', 'ipo: 0 rows\n']);
  });

  test('a valid label of no row is not an error', async () => {
    const ran = await ipo([
      'ledger',
      'list',
      '--ledger',
      SHOP,
      '--label',
      'Workload_Hardening',
      '--policy',
      DRAFT,
    ]);
    assert.deepEqual([ran.code, ran.out], [0, 'No row.\n'], ran.err);
  });
});
