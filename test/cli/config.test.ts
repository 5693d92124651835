import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fullResult } from '../whatif/report/sample-result.ts';
import { serve } from './stored.ts';

const policy = (name: string, spec: string): string =>
  `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata:\n  name: ${name}\nspec:\n  ${spec}\n`;
const HEAD = 'apiVersion: ipo.dev/v1\nkind: Configuration\nspec:\n  complete:\n    - ImagePolicy\n';

test('a configuration is exported, compared and imported: what differs is shown first, with its what-if', async (t) => {
  const served = await serve(t, fullResult());
  const path = join(served.directory, 'ipo.yaml');
  writeFileSync(
    path,
    [HEAD, policy('shop', 'severityThreshold: HIGH'), policy('web', 'denyLatestTag: true')].join('---\n'),
  );

  const drift = await served.ipo(['config', 'import', path, '--dry-run']);
  assert.equal(drift.code, 1, drift.err);
  assert.match(drift.out, /^ImagePolicy shop is new on http:/m);
  assert.match(drift.out, /What-if over 30 days\n {2}Of 5,000 admissions, shop would deny/);
  assert.match(drift.out, /2 objects would be created; none is unchanged\.\n$/);
  assert.equal((await served.policies.list({ limit: null, offset: 0 })).total, 0);

  const asked = await served.ipo(['config', 'import', path], { tty: true, stdin: 'n\n' });
  assert.deepEqual([asked.code, asked.out], [1, '']);
  assert.match(asked.err, /shop is new[^]*Import 2 changes into http[^]*nothing was imported/);
  const unattended = await served.ipo(['config', 'import', path]);
  assert.deepEqual([unattended.code, /--yes/.test(unattended.err)], [2, true]);

  const imported = await served.ipo(['config', 'import', path, '--yes', '--no-whatif']);
  assert.equal(imported.code, 0, imported.err);
  assert.match(imported.out, /ImagePolicy shop created\nImagePolicy web created\nimported\n$/);
  assert.doesNotMatch(imported.out, /What-if/);

  const exported = await served.ipo(['config', 'export', '-o', `yaml=${path}`]);
  assert.equal(exported.code, 0, exported.err);
  assert.equal(
    readFileSync(path, 'utf8'),
    [HEAD, policy('shop', 'severityThreshold: HIGH'), policy('web', 'denyLatestTag: true')].join('---\n'),
  );
  const none = await served.ipo(['config', 'import', path, '--dry-run', '--prune']);
  assert.deepEqual([none.code, none.out], [0, 'No difference: all 2 objects are as in the file.\n']);
  const json = JSON.parse((await served.ipo(['config', 'export', '-o', 'json'])).out);
  assert.deepEqual(
    json.documents.map(({ kind }: { kind: string }) => kind),
    ['Configuration', 'ImagePolicy', 'ImagePolicy'],
  );

  writeFileSync(path, [HEAD, policy('shop', 'severityThreshold: LOW')].join('---\n'));
  const body = JSON.parse(
    (await served.ipo(['config', 'import', path, '--dry-run', '--prune', '-o', 'json'])).out,
  );
  assert.deepEqual(
    body.items.map(
      ({ name, change, outcome, what_if: whatIf }: Record<string, { policy: unknown } | string>) => [
        ...[name, change, outcome, typeof whatIf === 'object' && whatIf !== null],
      ],
    ),
    [
      ['shop', 'update', 'planned', true],
      ['web', 'delete', 'planned', false],
    ],
  );
  const pruned = await served.ipo(['config', 'import', path, '--prune', '--yes', '--no-whatif']);
  assert.match(
    pruned.out,
    /severityThreshold[^]*ImagePolicy web will be deleted[^]*ImagePolicy web deleted\n/,
  );
  assert.equal((await served.policies.list({ limit: null, offset: 0 })).total, 1);
});

test('only an administrator exports and imports', async (t) => {
  const served = await serve(t, fullResult());
  const path = join(served.directory, 'ipo.yaml');
  writeFileSync(path, policy('shop', 'denyLatestTag: true'));
  for (const role of ['viewer', 'deployer'] as const)
    for (const args of [['export'], ['import', path, '--dry-run']])
      assert.equal((await served.ipo(['config', ...args], { role })).code, 3);
});

test('a configuration that cannot be read is refused with file and line, and nothing is sent or written', async (t) => {
  const served = await serve(t, fullResult());
  const path = join(served.directory, 'ipo.yaml');
  const bomb = `a: &a [x,x,x]\n${Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [*a,*a,*a,*a]`).join('\n')}\n`;
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /holds no object/],
    ['a: [', /ipo\.yaml:1:/],
    ['['.repeat(200), /nested deeper/],
    [bomb, /ipo\.yaml:2:\d+: [^]*alias/],
    ['x: !!js/function y\n', /ipo\.yaml:1:/],
    ['\u0000', /./],
    ['k: v\nk: w\n', /ipo\.yaml:2:/],
    ['---\n'.repeat(6000), /more than 5000 documents/],
    [policy('shop', `allowedRegistries: ["${'x'.repeat(4_200_000)}"]`), /./],
    [
      `${policy('shop', 'denyLatestTag: true')}---\nkind: Secret\napiVersion: v1\n`,
      /ipo\.yaml:9:\d+: apiVersion must be/,
    ],
    [
      `# first\n---\n${policy('shop', 'sevrityThreshold: LOW')}`,
      /ipo\.yaml:8:3: unknown field "spec\.sevrityThreshold"/,
    ],
    [policy('../shop', 'denyLatestTag: true'), /ipo\.yaml:4:3: /],
    [
      [policy('a', 'denyLatestTag: true'), policy('a', 'denyLatestTag: true')].join('---\n'),
      /ipo\.yaml:11:3: metadata\.name ImagePolicy a stands in documents\[0\] too/,
    ],
    [policy('a', 'denyLatestTag: true').replace('ImagePolicy', 'ImagePolcy'), /did you mean "ImagePolicy"/],
    [
      'apiVersion: ipo.dev/v1\nkind: List\nitems: []\n',
      /ipo\.yaml:2:1: kind "List" is not one of a configuration/,
    ],
  ];
  for (const [text, expected] of cases) {
    writeFileSync(path, text);
    const ran = await served.ipo(['config', 'import', path, '--yes']);
    assert.ok([2, 3].includes(ran.code), `${text.slice(0, 80)}: ${ran.code} ${ran.out}`);
    assert.match(ran.err, expected, text.slice(0, 80));
    assert.ok(ran.err.length < 5000);
  }
  const missing = await served.ipo(['config', 'import', join(served.directory, 'none.yaml'), '--dry-run']);
  assert.equal(missing.code, 3);
  assert.equal((await served.policies.list({ limit: null, offset: 0 })).total, 0);
});
