import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { policyLine, row, toText } from '../whatif/ledger-text.ts';
import { ipo } from './fake-terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-policy-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let made = 0;
function file(data: string | Uint8Array, name = `f${(made += 1)}.yaml`): string {
  const path = join(directory, name);
  writeFileSync(path, data);
  return path;
}

const policy = (spec: string, name = 'shop'): string =>
  `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
const CLEAN = policy('  enforcement: Enforce\n  severityThreshold: HIGH\n');
const WARNED = policy('  vex:\n    mode: apply\n');
const NOTED = policy('  denyLatestTag: true\n  digestEnforcement: require\n');
const WRONG = policy('  severityThreshold: critical\n');

describe('ipo policy lint', () => {
  test('a file of test cases that is named with policies is passed over with a note, but not when it is the only file', async () => {
    const path = file(CLEAN);
    const tests = file(
      'apiVersion: ipo.dev/v1\nkind: PolicyTest\npolicy: x.yaml\ncases: []\n',
      'x.test.yaml',
    );
    const { code, err } = await ipo(['policy', 'lint', path, tests]);
    assert.equal(code, 0, err);
    assert.match(err, /passed over .*x\.test\.yaml, which holds test cases/);
    assert.match(err, /1 policy in 1 file: no problem found/);
    assert.equal((await ipo(['policy', 'lint', tests])).code, 1, 'nothing was linted');
    const disguised = file(WRONG, 'y.test.yaml');
    assert.equal((await ipo(['policy', 'lint', path, disguised])).code, 1, 'it is a policy');
  });

  test('a clean file says so only on stderr, and nothing at all under --quiet', async () => {
    const path = file(CLEAN);
    assert.deepEqual(await ipo(['policy', 'lint', path]), {
      code: 0,
      out: '',
      err: 'ipo: 1 policy in 1 file: no problem found\n',
    });
    assert.deepEqual(await ipo(['policy', 'lint', path, '--quiet']), { code: 0, out: '', err: '' });
  });

  test('a problem is one line that editors read, and the next says what to do', async () => {
    const path = file(WRONG);
    const { code, out } = await ipo(['policy', 'lint', path]);
    assert.equal(code, 1);
    assert.equal(
      out,
      `${path}:6:3: error: spec.severityThreshold is "critical"; allowed: CRITICAL, HIGH, MEDIUM, LOW, NONE [value]\n    Did you mean "CRITICAL"?\n`,
    );
  });

  test('--fail-on sets the mildest level that exits 1, whatever the format', async () => {
    const [wrong, warned, noted] = [WRONG, WARNED, NOTED].map((text) => file(text));
    for (const [path, level, expected] of [
      [wrong, 'error', 1],
      [warned, 'error', 0],
      [warned, 'warning', 1],
      [noted, 'warning', 0],
      [noted, 'notice', 1],
    ] as const) {
      for (const format of ['table', 'json', 'sarif', 'junit', 'github']) {
        const { code } = await ipo(['policy', 'lint', path ?? '', '--fail-on', level, '-o', format]);
        assert.equal(code, expected, `${level} ${format}`);
      }
    }
    const { code, err } = await ipo(['policy', 'lint', warned ?? '', '--fail-on', 'warnings']);
    assert.equal(code, 2);
    assert.match(err, /Did you mean "warning"\?\n$/);
  });

  test('a file that cannot be read does not hide what is wrong with the others, and exits 3', async () => {
    const wrong = file(WRONG);
    const missing = join(directory, 'missing.yaml');
    const below = join(wrong, 'below.yaml');
    const { code, out, err } = await ipo(['policy', 'lint', missing, wrong, below]);
    assert.equal(code, 3);
    assert.match(out, /severityThreshold/);
    assert.match(err, /missing\.yaml: no such file/);
    assert.match(err, /a part of the path is not a directory/);
    assert.match(err, /2 files could not be read\n$/);
    assert.doesNotMatch(err, /\n +at /);
  });

  test('goes on behind a field that is written twice, without saying what hangs on it', async () => {
    const twice = (lines: string) => file(policy(lines));
    const rulesOf = async (path: string) =>
      JSON.parse((await ipo(['policy', 'lint', path, '-o', 'json'])).out).problems.map(
        ({ rule, path: at }: { rule: string; path: string }) => `${rule} ${at}`.trim(),
      );
    assert.deepEqual(
      await rulesOf(
        twice('  denyLatestTag: true\n  denyLatestTag: 1\n  severityThreshold: critical\n  foo: 1\n'),
      ),
      ['duplicate-field', 'value spec.severityThreshold', 'unknown-field spec.foo'],
    );
    assert.deepEqual(
      await rulesOf(twice('  signature:\n    required: true\n    required: true\n  ignoreUnfixed: 1\n')),
      ['duplicate-field', 'type spec.ignoreUnfixed'],
      'that required signatures need a signer may hang on what is meant',
    );
  });

  test('says how many of how many policies are valid', async () => {
    const summaryOf = async (...paths: string[]) =>
      (await ipo(['policy', 'lint', ...paths])).err.replace(/: [^:]*$/, '');
    assert.equal(await summaryOf(file(CLEAN)), 'ipo: 1 policy in 1 file');
    assert.equal(await summaryOf(file(WRONG)), 'ipo: 0 of 1 policy valid in 1 file');
    assert.equal(await summaryOf(file('a: [b')), 'ipo: 0 of 1 policy valid in 1 file');
    assert.equal(
      await summaryOf(file(`${CLEAN}---\n${WRONG}---\na: *b\n`), file(CLEAN)),
      'ipo: 2 of 4 policies valid in 2 files',
    );
  });

  test('a file that is not UTF-8, or too large, is a finding of that file', async () => {
    const latin = file(Buffer.from([...Buffer.from(CLEAN), 0x23, 0xe9]));
    const large = file(`${CLEAN}#${'x'.repeat(300_000)}`);
    const huge = file(Buffer.alloc(3_000_000, 0x20));
    const { code, out } = await ipo(['policy', 'lint', latin, large, huge, '-o', 'json']);
    assert.equal(code, 1);
    assert.deepEqual(
      (JSON.parse(out) as { problems: { rule: string; line: number }[] }).problems.map(({ rule, line }) => [
        rule,
        line,
      ]),
      [
        ['encoding', 1],
        ['size', 1],
        ['size', 1],
      ],
    );
  });

  test('stdin is read once, and named so', async () => {
    const { code, out } = await ipo(['policy', 'lint', '-'], { stdin: WARNED });
    assert.equal(code, 1);
    assert.match(out, /^stdin:7:5: warning: /);
    assert.equal((await ipo(['policy', 'lint', '-', '--against', '-'], { stdin: WARNED })).code, 2);
  });

  test('JSON has the policies with their revisions, the problems and the counts', async () => {
    const path = file(WARNED);
    const { out } = await ipo(['policy', 'lint', path, '-o', 'json']);
    const body = JSON.parse(out) as {
      policies: object[];
      problems: object[];
      summary: object;
      unreadable: object[];
    };
    assert.equal(body.policies.length, 1);
    assert.deepEqual(Object.keys(body.problems[0] ?? {}), [
      'level',
      'rule',
      'path',
      'message',
      'hint',
      'file',
      'line',
      'column',
    ]);
    assert.deepEqual(body.summary, { files: 1, policies: 1, errors: 0, warnings: 1, notices: 0 });
    assert.deepEqual(body.unreadable, []);
  });

  test('SARIF, JUnit and annotations stand on the line of the field', async () => {
    const path = file(WARNED);
    const [sarif, junit, github] = [
      join(directory, 'l.sarif'),
      join(directory, 'l.xml'),
      join(directory, 'l.txt'),
    ];
    await ipo([
      'policy',
      'lint',
      path,
      '-o',
      `sarif=${sarif}`,
      '-o',
      `junit=${junit}`,
      '-o',
      `github=${github}`,
    ]);
    const log = JSON.parse(readFileSync(sarif, 'utf8')) as {
      runs: {
        results: { ruleId: string; level: string; locations: { physicalLocation: { region: object } }[] }[];
      }[];
    };
    const [result] = log.runs[0]?.results ?? [];
    assert.deepEqual([result?.ruleId, result?.level], ['vex-nobody', 'warning']);
    assert.deepEqual(result?.locations[0]?.physicalLocation.region, { startLine: 7, startColumn: 5 });
    assert.match(readFileSync(junit, 'utf8'), /tests="1" failures="1"/);
    assert.match(readFileSync(github, 'utf8'), /^::warning file=.*,line=7,col=5,/);
  });

  test('--against tells what became looser than a policy file or the current policies of an export', async () => {
    const draft = file(policy('  severityThreshold: CRITICAL\n'));
    const spec = { enforcement: 'Enforce', severityThreshold: 'HIGH' };
    const ledger = toText({
      policies: [
        policyLine('shop', 'r2', true, spec),
        policyLine('shop', 'r1', false, { ...spec, knownExploited: 'block' }),
      ],
      images: [],
      rows: [row(1)],
    });
    for (const against of [file(CLEAN), file(ledger, 'e.ndjson'), file(gzipSync(ledger), 'e.ndjson.gz')]) {
      const { code, out } = await ipo(['policy', 'lint', draft, '--against', against, '-o', 'json']);
      assert.equal(code, 1);
      assert.deepEqual(
        (JSON.parse(out) as { problems: { rule: string; level: string; path: string }[] }).problems.map(
          (found) => `${found.level} ${found.rule} ${found.path}`,
        ),
        ['warning enforce-to-audit spec.enforcement', 'notice looser spec.severityThreshold'],
        against,
      );
    }
    assert.equal((await ipo(['policy', 'lint', draft, '--against', file(WRONG)])).code, 2);
    assert.equal((await ipo(['policy', 'lint', draft, '--against', join(directory, 'none.yaml')])).code, 3);
    assert.equal((await ipo(['policy', 'lint', draft, '--against', '-'], { stdin: ledger })).code, 2);
  });

  test('no file is wrong usage', async () => {
    const { code, err } = await ipo(['policy', 'lint']);
    assert.equal(code, 2);
    assert.match(err, /file/);
  });

  test('a terminal gets colour, a file and NO_COLOR do not', async () => {
    const path = file(WRONG);
    const report = join(directory, 'report.txt');
    assert.match((await ipo(['policy', 'lint', path], { tty: true })).out, /\p{Cc}\[31merror/u);
    assert.doesNotMatch((await ipo(['policy', 'lint', path, '--no-color'], { tty: true })).out, /\p{Cc}\[/u);
    await ipo(['policy', 'lint', path, '-o', `table=${report}`], { tty: true });
    assert.doesNotMatch(readFileSync(report, 'utf8'), /\p{Cc}\[/u);
  });
});

describe('ipo policy diff', () => {
  const before = file(CLEAN);
  const after = file(
    policy(
      '  enforcement: Enforce\n  severityThreshold: CRITICAL\n  targetNamespaces: [a]\n  denyLatestTag: true\n',
    ),
  );

  test('says each change with its direction, and one line in sum', async () => {
    const { code, out } = await ipo(['policy', 'diff', before, after]);
    assert.equal(code, 0);
    assert.equal(
      out,
      [
        'shop',
        '  looser   spec.targetNamespaces   the whole cluster → [a]',
        '  looser   spec.severityThreshold  HIGH → CRITICAL',
        '  tighter  spec.denyLatestTag      false → true',
        '1 policy changed (1 tighter, 2 looser, 0 neither)',
        '',
      ].join('\n'),
    );
  });

  test('--exit-code gives 1 when they differ, in every format, and 0 when they mean the same', async () => {
    const spelled = file(CLEAN.replace('spec:\n', 'spec:\n  denyLatestTag: false\n  targetNamespaces: []\n'));
    for (const format of ['table', 'json', 'yaml', 'markdown']) {
      assert.equal(
        (await ipo(['policy', 'diff', before, after, '--exit-code', '-o', format])).code,
        1,
        format,
      );
      assert.equal(
        (await ipo(['policy', 'diff', before, spelled, '--exit-code', '-o', format])).code,
        0,
        format,
      );
    }
  });

  test('JSON and YAML have the same body', async () => {
    const json = JSON.parse((await ipo(['policy', 'diff', before, after, '-o', 'json'])).out) as {
      policies: { changes: object[] }[];
      summary: object;
    };
    assert.deepEqual(parse((await ipo(['policy', 'diff', before, after, '-o', 'yaml'])).out), json);
    assert.deepEqual(json.policies[0]?.changes[1], {
      path: 'spec.severityThreshold',
      before: 'HIGH',
      after: 'CRITICAL',
      direction: 'looser',
      entries: null,
    });
  });

  test('a window that was not set is told as null', async () => {
    const { out } = await ipo(['policy', 'diff', before, file(CLEAN + '  sla: {low: 720h}\n'), '-o', 'json']);
    assert.match(out, /"path":"spec\.sla\.low","before":null,"after":"720h"/);
  });

  test('markdown holds foreign text in spans', async () => {
    const hostile = file(policy('  breakGlass: {allowed: true, groups: ["@all | <img> `x`"]}\n'));
    const { out } = await ipo(['policy', 'diff', before, hostile, '-o', 'markdown']);
    assert.doesNotMatch(out.replace(/(`+)[\s\S]*?\1/g, ''), /@all|<img>/);
  });

  test('markdown is a comment that a forge takes, and says what is left out', async () => {
    const many = (registry: string): string =>
      Array.from({ length: 90 }, (_, i) => {
        const entries = Array.from({ length: 15 }, (__, j) => `${registry}-${j}.example/${'x'.repeat(60)}`);
        return policy(
          `  allowedRegistries: [${entries.join(', ')}]\n  denyLatestTag: ${registry === 'b'}\n`,
          `p${i}`,
        );
      }).join('---\n');
    const { out } = await ipo(['policy', 'diff', file(many('a')), file(many('b')), '-o', 'markdown']);
    assert.ok(out.length <= 65_000 && out.length > 40_000, String(out.length));
    const rows = out.split('\n').filter((line) => /^\| (?:tighter|looser|neither)/.test(line)).length;
    assert.match(out, new RegExp(`\n${180 - rows} more differences not listed here\\.\n`));
    assert.match(out, /\n90 policies changed .*\n$/);
  });

  test('foreign text gives a pipeline no command', async () => {
    const evil = file(
      policy('  breakGlass: {allowed: true, groups: ["##vso[x]", "::error::y"]}\n'),
      '##[x] ::add.yaml',
    );
    const wrong = file(policy('  severityThreshold: "##vso[a] ::error::b"\n'), '##[y] ::set.yaml');
    const there = join(directory, '##[z] ::new.yaml');
    for (const args of [
      ['diff', before, evil],
      ['diff', evil, evil],
      ['lint', evil, wrong],
      ['fmt', '--check', evil],
      ['fmt', '--write', evil],
      ['init', 'shop', '--out', there],
    ]) {
      const { out, err } = await ipo(['policy', ...args]);
      assert.notEqual(out + err, '');
      assert.doesNotMatch(out + err, /##|::[a-z]/i, args.join(' '));
    }
  });

  test('policies that only one side has are listed', async () => {
    const both = file(`${CLEAN}---\n${policy('  denyLatestTag: true\n', 'extra')}`);
    assert.match((await ipo(['policy', 'diff', before, both])).out, /extra is only in .*\n1 policy added\n$/);
    assert.match((await ipo(['policy', 'diff', both, before])).out, /1 policy removed\n$/);
  });

  test('stdin is one of the two, not both; an invalid policy is 2, a missing file 3', async () => {
    assert.equal((await ipo(['policy', 'diff', '-', after], { stdin: CLEAN })).code, 0);
    assert.equal((await ipo(['policy', 'diff', '-', '-'], { stdin: CLEAN })).code, 2);
    assert.equal((await ipo(['policy', 'diff', before, file(WRONG)])).code, 2);
    assert.equal((await ipo(['policy', 'diff', before, join(directory, 'none')])).code, 3);
  });
});

describe('ipo policy fmt', () => {
  const UGLY = `kind: ImagePolicy\nspec: {sla: {low: 720h}, enforcement: Audit} # why\nmetadata: {name: shop}\napiVersion: ipo.dev/v1\n`;
  const PRETTY = `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: shop\nspec:\n  enforcement: Audit\n  sla:\n    low: 720h\n  # why\n`;

  test('prints one file, and reads stdin', async () => {
    assert.deepEqual(await ipo(['policy', 'fmt', file(UGLY)]), { code: 0, out: PRETTY, err: '' });
    assert.equal((await ipo(['policy', 'fmt', '-'], { stdin: UGLY })).out, PRETTY);
  });

  test('--check lists what would change and changes nothing', async () => {
    const [ugly, pretty] = [file(UGLY), file(PRETTY)];
    const { code, out } = await ipo(['policy', 'fmt', '--check', ugly, pretty]);
    assert.deepEqual([code, out], [1, `${ugly}\n`]);
    assert.equal(readFileSync(ugly, 'utf8'), UGLY);
    assert.equal((await ipo(['policy', 'fmt', '--check', pretty])).code, 0);
  });

  test('--write changes files in place, and none when one is invalid or unreadable', async () => {
    const [ugly, wrong] = [file(UGLY), file(WRONG)];
    const invalid = await ipo(['policy', 'fmt', '--write', ugly, wrong]);
    assert.equal(invalid.code, 2);
    assert.match(invalid.err, /error: spec\.severityThreshold/);
    assert.equal((await ipo(['policy', 'fmt', '--write', ugly, join(directory, 'none')])).code, 3);
    assert.equal(readFileSync(ugly, 'utf8'), UGLY);
    assert.equal((await ipo(['policy', 'fmt', '--write', ugly])).code, 0);
    assert.equal(readFileSync(ugly, 'utf8'), PRETTY);
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.includes('tmp')),
      [],
    );
  });

  test('flags that do not go together are wrong usage', async () => {
    const [a, b] = [file(UGLY), file(PRETTY)];
    for (const args of [
      [a, b],
      ['--write', '--check', a],
      ['--write', '-'],
    ]) {
      assert.equal((await ipo(['policy', 'fmt', ...args], { stdin: UGLY })).code, 2, args.join(' '));
    }
  });
});

describe('ipo policy init', () => {
  test('what it writes lints clean and is in canonical form', async () => {
    const { code, out } = await ipo([
      'policy',
      'init',
      'shop',
      '--enforce',
      '--namespaces',
      'cart,checkout',
      '--registries',
      'ghcr.io/acme',
    ]);
    assert.equal(code, 0);
    assert.match(
      out,
      /name: shop\n[\s\S]*- cart\n {4}- checkout\n[\s\S]*enforcement: Enforce\n[\s\S]*- ghcr\.io\/acme\n/,
    );
    assert.deepEqual(await ipo(['policy', 'lint', '-', '--fail-on', 'notice', '-q'], { stdin: out }), {
      code: 0,
      out: '',
      err: '',
    });
    assert.equal((await ipo(['policy', 'fmt', '--check', '-'], { stdin: out })).code, 0);
  });

  test('without a name it asks nothing, on a terminal or off it', async () => {
    for (const tty of [true, false])
      assert.match((await ipo(['policy', 'init'], { tty })).out, /name: image-policy\n/);
  });

  test('--out never overwrites without --force', async () => {
    const path = join(directory, 'new', 'policy.yaml');
    assert.equal((await ipo(['policy', 'init', 'first', '--out', path])).code, 0);
    const again = await ipo(['policy', 'init', 'second', '--out', path]);
    assert.equal(again.code, 2);
    assert.match(again.err, /already exists/);
    assert.match(readFileSync(path, 'utf8'), /name: first/);
    assert.equal((await ipo(['policy', 'init', 'second', '--out', path, '--force'])).code, 0);
    assert.match(readFileSync(path, 'utf8'), /name: second/);
    assert.equal((await ipo(['policy', 'init', '--out', directory, '--force'])).code, 3);
    assert.equal((await ipo(['policy', 'init', '--out', directory])).code, 2);
  });

  test('an empty file is a file, and a place that is not writable says so', async (t) => {
    const empty = file('');
    assert.equal((await ipo(['policy', 'init', '--out', empty])).code, 2);
    assert.equal(readFileSync(empty, 'utf8'), '');
    if (process.getuid?.() === 0) return t.diagnostic('root writes everywhere: the rest was left out');
    const closed = mkdtempSync(join(directory, 'closed-'));
    chmodSync(closed, 0o500);
    assert.equal((await ipo(['policy', 'init', '--out', join(closed, 'p.yaml')])).code, 3);
    assert.equal(existsSync(join(closed, 'p.yaml')), false);
  });

  test('names that no policy can have are refused, and nothing is written', async () => {
    for (const args of [
      ['Shop_Base'],
      ['a', '--namespaces', 'Shop'],
      ['a', '--namespaces', 'a,,b'],
      ['a', '--registries', 'https://ghcr.io'],
      ['a', '--force'],
      ['a\n#'],
    ]) {
      const { code, out, err } = await ipo(['policy', 'init', ...args]);
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, /^ipo: [^\n]+\n( {2}[^\n]+\n)?$/);
    }
  });
});

describe('ipo policy schema', () => {
  test('prints the schema, or writes it', async () => {
    const { code, out } = await ipo(['policy', 'schema']);
    assert.equal(code, 0);
    assert.equal((JSON.parse(out) as { title: string }).title, 'ImagePolicy');
    const path = join(directory, 'schema.json');
    assert.deepEqual(await ipo(['policy', 'schema', '-o', `json=${path}`]), { code: 0, out: '', err: '' });
    assert.equal(readFileSync(path, 'utf8'), out);
    assert.equal((await ipo(['policy', 'schema', '-o', 'yaml'])).code, 2);
  });
});
