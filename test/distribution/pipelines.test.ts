import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, suite, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';

/** What pipelines of others use of this repository: each step is run here as the pipeline runs it, beside stand-ins of what it calls outside. */
const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'ipo-pipelines-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const hasJq = spawnSync('jq', ['--version']).status === 0;
const LEDGER = join(ROOT, 'fixtures/ledger/shop.ndjson.gz');
const POLICIES = join(ROOT, 'fixtures/policies');

/** A folder with programs of those names; each line of its log is one call. */
function programs(name: string, scripts: Record<string, string>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [program, script] of Object.entries(scripts)) {
    writeFileSync(join(path, program), `#!/bin/sh\n${script}\n`);
    chmodSync(join(path, program), 0o755);
  }
  return path;
}

const ipo = programs('ipo', {
  ipo: `exec '${process.execPath}' '${join(ROOT, 'bin/ipo.cjs')}' "$@"`,
  npm: `echo "npm $*" >> '${join(folder, 'npm.log')}'`,
});

function bash(script: string, env: Record<string, string>, path = ipo): SpawnSyncReturns<string> {
  return spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: [path, process.env['PATH'] ?? ''].join(delimiter), HOME: folder, ...env },
  });
}

interface Action {
  inputs: Record<string, { description: string; default?: string }>;
  runs: { steps: { id?: string; name?: string; run?: string; env?: Record<string, string> }[] };
}

const action = parse(read('action.yml')) as Action;
const step = (name: string): { run: string; env: Record<string, string> } => {
  const found = action.runs.steps.find((one) => one.name === name);
  assert.ok(found?.run !== undefined, name);
  return { run: found.run, env: found.env ?? {} };
};

/** Runs a step of the action with inputs, as a runner fills them in. */
function runStep(
  name: string,
  inputs: Record<string, string>,
  more: Record<string, string>,
  path = ipo,
): SpawnSyncReturns<string> {
  const { run, env } = step(name);
  const filled = Object.entries(env).map(([key, value]) => [
    key,
    value.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => {
      const declared = action.inputs[input];
      assert.ok(declared !== undefined, `${name} uses ${input}, which is no input`);
      return inputs[input] ?? declared.default ?? '';
    }),
  ]);
  return bash(run, { GITHUB_ACTION_PATH: ROOT, ...Object.fromEntries(filled), ...more }, path);
}

function replay(
  inputs: Record<string, string>,
  name: string,
): { status: number | null; out: string; code: string; report: string; summary: string } {
  const [output, summary] = [join(folder, `${name}.output`), join(folder, `${name}.summary`)];
  const temp = join(folder, name);
  mkdirSync(temp);
  for (const path of [output, summary]) writeFileSync(path, '');
  const ran = runStep('Replay', inputs, {
    RUNNER_TEMP: temp,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
  });
  const outputs = readFileSync(output, 'utf8');
  return {
    status: ran.status,
    out: `${ran.stdout}${ran.stderr}`,
    code: /^exit-code=(.*)$/m.exec(outputs)?.[1] ?? '',
    report: /^report=(.*)$/m.exec(outputs)?.[1] ?? '',
    summary: readFileSync(summary, 'utf8'),
  };
}

suite('the action', () => {
  test('replays each policy, annotates it, and says the worst exit code', () => {
    const done = replay(
      { policies: `${POLICIES}/*.yaml`, ledger: LEDGER, 'fail-on': ' would_deny=0 \n\n' },
      'limit',
    );
    assert.equal(done.status, 0, done.out);
    assert.equal(done.code, '1');
    const count = readdirSync(POLICIES).filter((name) => name.endsWith('.yaml')).length;
    assert.equal(readdirSync(done.report).filter((name) => name.endsWith('.html')).length, count);
    assert.match(done.out, /^::(?:error|warning|notice) file=/m);
    assert.equal(done.summary.split('<!-- ipo-whatif:').length - 1, count);
  });

  test('goes on without a limit', () => {
    const done = replay({ policies: join(POLICIES, 'tighten.yaml'), ledger: LEDGER }, 'free');
    assert.equal(done.code, '0', done.out);
  });

  test('fails with a reason where nothing can be replayed', () => {
    const [nothing, nowhere] = [
      replay({}, 'nothing'),
      replay({ policies: 'none/*.yaml', ledger: LEDGER }, 'nowhere'),
    ];
    assert.equal(nothing.status, 2);
    assert.match(nothing.out, /give ledger .* or server/);
    assert.equal(nowhere.status, 2);
    assert.match(nowhere.out, /no policy file matches none/);
  });

  test('takes hostile inputs as text', () => {
    const done = replay(
      { policies: '$(touch pwned) `touch pwned` ; touch pwned', ledger: LEDGER, 'fail-on': '$(touch pwned)' },
      'hostile',
    );
    assert.equal(done.code, '2', done.out);
    assert.ok(!existsSync(join(folder, 'pwned')));
  });

  test(
    'writes one comment for each policy, and writes over it the next time',
    { skip: !hasJq && 'jq is not at hand' },
    () => {
      const { report } = replay(
        { policies: `${join(POLICIES, 'tighten.yaml')} ${join(POLICIES, 'loosen.yaml')}`, ledger: LEDGER },
        'comment',
      );
      const log = join(folder, 'gh.log');
      const stand = (name: string, existing: string): string =>
        programs(name, {
          gh: `echo "$*" >> '${log}'; case "$*" in *--paginate*) echo '${existing}' ;; esac`,
        });
      const env = { REPORT: report, NUMBER: '7', GITHUB_REPOSITORY: 'acme/shop' };
      const first = runStep('Comment', {}, env, stand('gh-empty', '[]'));
      assert.equal(first.status, 0, first.stderr);
      const marker = readFileSync(join(report, '1.md'), 'utf8').split('\n')[1] ?? '';
      const again = runStep(
        'Comment',
        {},
        env,
        stand(
          'gh-one',
          JSON.stringify([
            { id: 1, body: 'LGTM' },
            { id: 42, body: `x ${marker} y` },
          ]),
        ),
      );
      assert.equal(again.status, 0, again.stderr);
      const calls = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => !line.includes('--paginate') && line !== '');
      assert.deepEqual(
        calls.map((line) => line.replace(/ -F .*/, '')),
        [
          'api --method POST repos/acme/shop/issues/7/comments',
          'api --method POST repos/acme/shop/issues/7/comments',
          'api --method PATCH repos/acme/shop/issues/comments/42',
          'api --method POST repos/acme/shop/issues/7/comments',
        ],
      );
    },
  );

  test('ends with the exit code of the replay, and with 3 where there was none', () => {
    const { run } = step('Result');
    assert.equal(bash(run, { CODE: '1' }).status, 1);
    assert.equal(bash(run, { CODE: '' }).status, 3);
  });

  test('has no input in a script', () => {
    for (const { run } of action.runs.steps) assert.doesNotMatch(run ?? '', /\$\{\{/);
  });
});

suite('the GitLab component', () => {
  const [spec, jobs] = parseAllDocuments(read('templates/what-if/template.yml')).map(
    (document) => document.toJS() as unknown,
  ) as [
    { spec: { inputs: Record<string, { default?: unknown }> } },
    Record<string, { script: string[]; variables: Record<string, string> }>,
  ];
  const job = jobs['ipo-what-if'];
  assert.ok(job !== undefined);

  function runJob(inputs: Record<string, string>): SpawnSyncReturns<string> {
    const variables = Object.entries(job?.variables ?? {}).map(([name, value]) => [
      name,
      value.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, input: string) => {
        const declared = spec.spec.inputs[input];
        assert.ok(declared !== undefined, `${input} is no input`);
        return inputs[input] ?? String(declared.default);
      }),
    ]);
    return bash((job?.script ?? []).join('\n'), Object.fromEntries(variables) as Record<string, string>);
  }

  test('replays each policy, and blocks where a limit is exceeded', () => {
    const done = runJob({ policies: `${POLICIES}/*.yaml`, ledger: LEDGER, fail_on: 'would_deny=0' });
    assert.equal(done.status, 1, `${done.stdout}${done.stderr}`);
    assert.ok(
      existsSync(join(folder, 'ipo-what-if-1.xml')) && existsSync(join(folder, 'ipo-what-if-3.html')),
    );
  });

  test('lets a merge go on, and blocks an invalid policy', () => {
    const done = runJob({ policies: join(POLICIES, 'loosen.yaml'), ledger: LEDGER });
    assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
    writeFileSync(join(folder, 'broken.yaml'), 'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nspec: {}\n');
    assert.equal(runJob({ policies: 'broken.yaml', ledger: LEDGER }).status, 2);
  });
});

test('the hooks of pre-commit call commands that there are', () => {
  const hooks = parse(read('.pre-commit-hooks.yaml')) as { entry: string; files: string }[];
  assert.ok(hooks.length >= 2);
  writeFileSync(join(folder, 'hook.yaml'), readFileSync(join(POLICIES, 'tighten.yaml')));
  for (const { entry, files } of hooks) {
    assert.match('policies/production.yaml', new RegExp(files));
    const done = bash(`${entry} hook.yaml`, {});
    assert.equal(done.status, 0, done.stderr);
  }
});

test('workflows and forms are YAML, and each step of a workflow is one of a kind', () => {
  for (const name of readdirSync(join(ROOT, '.github/workflows'))) {
    const workflow = parse(read(`.github/workflows/${name}`)) as {
      on: unknown;
      permissions: unknown;
      jobs: Record<string, { 'runs-on': string; steps: Record<string, unknown>[] }>;
    };
    assert.ok(workflow.on !== undefined && workflow.permissions !== undefined, name);
    for (const { steps } of Object.values(workflow.jobs))
      for (const one of steps)
        assert.equal(Number('run' in one) + Number('uses' in one), 1, JSON.stringify(one));
  }
  for (const name of readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE')))
    assert.ok(parse(read(`.github/ISSUE_TEMPLATE/${name}`)), name);
});
