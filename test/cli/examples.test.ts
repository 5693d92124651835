import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { after, before, suite, test, type TestContext } from 'node:test';
import { examplesOf, leavesOf } from '../../bin/terminal/examples.ts';
import { fillDemo } from '../../src/app/index.ts';
import { defined } from '../../scripts/man.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { scratchDirectory, startRunning, type Running } from '../app/running.ts';
import { isSimple, toCall } from './example-lines.ts';
import { ipo, type Ran } from './fake-terminal.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SHOP = join(ROOT, 'fixtures/ledger/shop.ndjson.gz');

/** Lines that need what a test has not: a person, a browser, a tracker, or a program that runs on. They are only parsed. */
const OUTSIDE: readonly RegExp[] = [
  /^ipo (?:demo|serve)\b/,
  /^ipo login\b/,
  /^ipo channel setup\b/,
  /^ipo account password$/,
  /^ipo release verify\b/,
  /^ipo ledger put-back\b/,
  /\bipo ledger record\b/,
  /^ipo tracker test --file\b/,
  /^ipo logout ipo\.example/,
  /^ipo runtime events\b.* -f$/,
  // `test/doctor/cluster.test.ts` runs it, with a kubeconfig.
  /^ipo doctor --kubeconfig\b/,
  // `backup.test.ts` runs these, on databases of its own.
  /^(?:IPO_DATABASE=\S+ )?ipo backup (?:create|verify|restore|move)\b/,
  /^IPO_LOG_LEVEL=debug ipo serve\b/,
  /^printf .* ipo login\b/,
];

/** Lines about what this service may not have, or has otherwise: they say so with one of these exit codes. */
const REFUSED: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^ipo tracking (?:show|reopen|confirm)\b/, [0, 1, 3]],
  [/^ipo cluster forget-replica\b/, [1]],
  [/^ipo channel (?:resend|adopt)\b/, [1]],
  [/^ipo licence activate\b/, [2]],
  [/^ipo licence deactivate\b/, [1]],
  // It is done already.
  [/^ipo evidence cancel\b/, [3]],
];
const refusalOf = (line: string) => REFUSED.find(([one]) => one.test(line))?.[1];

/** Flags that take one of a list of words. */
const FILTERS: readonly (readonly [string, ...string[]])[] = [
  ['ipo images list --filter', 'Blocked', 'blocked', 'BLOCKED'],
  ['ipo vulns --severity', 'CRITICAL', 'critical', 'Critical'],
  ['ipo triage list --state', 'active', 'Active'],
  ['ipo tracking list --state', 'open', 'OPEN'],
  ['ipo tracking list --reason', 'fixed', 'Fixed'],
  ['ipo channel deliveries on-call --state', 'failed', 'Failed'],
  ['ipo account list --role', 'viewer', 'Viewer'],
  ['ipo account list --state', 'enabled', 'ENABLED'],
  ['ipo ledger list --limit 1 --label', 'registry', 'Registry'],
  ['ipo policy lint shop.yaml --fail-on', 'error', 'ERROR'],
];

const LEAVES = defined().flatMap(({ listed, command }) =>
  [...examplesOf(leavesOf(command), listed.examples)].map(([leaf, lines]) => ({
    name: leaf.words.join(' '),
    lines,
    prints: leaf.command.options.some(({ long }) => long === '--output'),
  })),
);

suite('examples of the help', () => {
  let world: World;
  const home = process.cwd();
  const stop: (() => unknown)[] = [];
  before(async () => {
    const context = { after: (act: () => unknown) => void stop.unshift(act) } as unknown as TestContext;
    world = await openWorld(context);
    process.chdir(world.folder);
  });
  after(async () => {
    process.chdir(home);
    for (const act of stop) await act();
  });

  for (const { name, lines, prints } of LEAVES) {
    const running = lines.filter((line) => !OUTSIDE.some((one) => one.test(line)));
    for (const line of running)
      test(line, async (t) => {
        if (line.includes('ca.pem') && withoutOpenssl !== false) return t.skip(withoutOpenssl);
        await world.prepare(line);
        const { code, err } = await world.run(line);
        // A check that fails is an answer too; an error of use or of the world outside is none.
        assert.ok((refusalOf(line) ?? [0, 1]).includes(code), `exit ${code}: ${err}`);
      });
    const simple = running.find((line) => isSimple(line) && !/ -o | --out /.test(line));
    if (prints && simple !== undefined && refusalOf(simple) === undefined)
      test(`${name} -o json gives a result`, async () => {
        const line = `${simple.replace(/ > .*$/, '')} -o json`;
        await world.prepare(line);
        const { code, out, err } = await world.run(line);
        assert.ok(code === 0 || code === 1, `exit ${code}: ${err}`);
        const body = JSON.parse(name === 'ipo ledger export' ? (out.split('\n')[0] ?? '') : out) as object;
        if (!/ list$| replicas$| revisions$| deliveries$|^ipo (?:vulns|audit)$/.test(name)) return;
        assert.ok('items' in body && Array.isArray(body.items), 'items');
        assert.ok('total' in body && typeof body.total === 'number', 'total');
      });
  }

  for (const [line, ...values] of FILTERS)
    test(`${line} takes its values in any case`, async () => {
      await world.prepare(line);
      const outs = await Promise.all(
        values.map(async (value) => {
          const { code, out, err } = await world.run(`${line} ${value} -o json`);
          assert.equal(code, 0, err);
          return out;
        }),
      );
      assert.deepEqual([...new Set(outs)], [outs[0]]);
    });

  test('advice over the ledger of a service is that over its export', async () => {
    // Made anew: examples before it have changed what is known of some images.
    const made = 'ipo ledger export -o ledger.ndjson.zst';
    await world.prepare(made);
    assert.equal((await world.run(made)).code, 0);
    for (const command of ['ipo whatif matrix', 'ipo policy suggest']) {
      const line = `${command} --as-of 2026-11-20T07:00:00Z -o json`;
      const [served, exported] = [
        await world.run(`${line} --server https://ipo.example.com`),
        await world.run(`${line} --ledger ledger.ndjson.zst`),
      ];
      assert.deepEqual([served.code, exported.code], [0, 0], served.err + exported.err);
      assert.deepEqual(JSON.parse(served.out), JSON.parse(exported.out), command);
    }
  });

  test('lines that need a person or the world outside are parsed', async () => {
    for (const line of LEAVES.flatMap(({ lines }) => lines).filter((one) =>
      OUTSIDE.some((it) => it.test(one)),
    )) {
      const words = line.slice(line.search(/(?<![^ ])ipo /)).replace(/ < .*$/, '');
      const { code, out } = await ipo([...toCall(words).words, '--help']);
      assert.equal(code, 0, line);
      for (const [flag] of words.matchAll(/--[a-z][a-z-]+/g))
        assert.ok(out.includes(flag), `${flag}: ${line}`);
    }
  });
});

/** World is a service with the shop's ledger and a directory with the files that examples name. */
interface World {
  readonly folder: string;
  prepare(line: string): Promise<void>;
  run(line: string): Promise<Ran>;
}

async function openWorld(t: TestContext): Promise<World> {
  const data = scratchDirectory(t);
  await fillDemo(data, SHOP);
  const service = await startRunning(t, {
    env: {
      IPO_DATA: data,
      DATA_KEY: randomBytes(32).toString('base64'),
      IPO_TRACKERS_TEST_LOOPBACK: 'true',
      ...{ IPO_INTEGRATIONS_DETECTOR_ENABLED: 'true', IPO_INTEGRATIONS_PORT: '0' },
    },
  });
  const folder = scratchDirectory(t);
  const env = {
    IPO_SERVER: service.url,
    IPO_TOKEN: service.secretOf('administrator') ?? '',
    XDG_CONFIG_HOME: folder,
    HOME: folder,
    NO_COLOR: '1',
  };
  const call = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await ipo(args, { env });
    assert.equal(code, 0, `ipo ${args.join(' ')}: ${err}`);
    return out;
  };
  const list = async <T>(...args: readonly string[]): Promise<readonly T[]> =>
    (JSON.parse(await call(...args, '-o', 'json')) as { items: T[] }).items;
  writeFiles(folder, service);
  process.chdir(folder);
  await service.service.checkpoint();
  await call('policy', 'apply', 'shop.yaml', '--yes', '--no-whatif');
  await call('ledger', 'export', '-o', 'ledger.ndjson.zst');
  await call('ledger', 'checkpoint', '--save', 'checkpoint.txt');
  await call('ledger', 'prove', '4711', '-o', 'row-4711.tlog-proof');
  const [run] = [
    JSON.parse(await call('whatif', 'draft.yaml', '--keep', '-o', 'json')) as { run_id: string },
  ];
  const images = await list<{ digest: string; scan: unknown }>('images', 'list', '--limit', '1000');
  const [cve] = await list<{ cve: string }>('vulns', '--limit', '1');
  const [image] = images;
  for (const name of ['hub', 'on-call']) await addChannel(service, name);
  const known: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['https://ipo.example.com', () => service.url],
    ['mfrggzdfmztwq2lk', () => run?.run_id ?? ''],
    ['ghcr.io/acme/web:1.4', () => image?.digest ?? ''],
    ['CVE-2024-3094', () => cve?.cve ?? ''],
    ['registry.example.com/static:7', () => unscanned()],
    ['1042', () => triage()],
    ['c5xk2vq7mzt4a3wy', () => token()],
    ['k3v7q2mzt5a6wxyb', () => madePackage()],
    ['d5xk2vq7mzt4a3wy', () => declared()],
    ['postgres://ipo@db:5432/ipo', () => `sqlite:${join(data, 'ipo.db')}`],
    ['postgres://ipo@db.example.com/ipo', () => `sqlite:${join(folder, 'made.db')}`],
    ['sqlite:/var/lib/ipo/ipo.db', () => `sqlite:${join(data, 'ipo.db')}`],
    ['/mnt/data-ipo-2/spool', () => join(folder, 'spool')],
  ];
  const triage = async () => {
    const made = await ipo(
      ['triage', 'add', image?.digest ?? '', cve?.cve ?? '', '--reason', 'x', '--for', '1h', '-o', 'json'],
      { env },
    );
    return (JSON.parse(made.out) as { id: string }).id;
  };
  const token = async () => (await list<{ id: string }>('token', 'list'))[0]?.id ?? '';
  const declared = async () =>
    (JSON.parse(await call('evidence', 'declare', 'It is so.', '-o', 'json')) as { id: string }).id;
  const madePackage = async () => {
    const made = await ipo(['evidence', 'create', '--days', '1', '-o', 'json'], { env });
    return (JSON.parse(made.out) as { id: string }).id;
  };
  const unscanned = () => images.find(({ scan }) => scan === null)?.digest ?? '';

  return {
    folder,
    async prepare(line) {
      writeFiles(folder, service);
      for (const name of ['ledger.ndjson.zst', 'ledger.ndjson.gz', 'run.pdf', 'row-4711.tlog-proof'])
        if (new RegExp(` -o (?:\\S+=)?${name.replaceAll('.', '\\.')}$`).test(line))
          rmSync(join(folder, name), { force: true });
      if (/ --out shop\.yaml/.test(line)) rmSync(join(folder, 'shop.yaml'));
      if (/^ipo policy (?:get|revisions|delete|whatif)/.test(line))
        await call('policy', 'apply', 'shop.yaml', '--yes', '--no-whatif');
      if (/^ipo runtime rule add/.test(line))
        for (const name of ['shells', 'backup reads secrets'])
          await ipo(['runtime', 'rule', 'delete', name, '--yes'], { env });
      if (/^ipo runtime rule (?:show|edit|move|delete) shells/.test(line))
        await ipo(['runtime', 'rule', 'add', 'shells'], { env });
      if (/^ipo runtime detector bundle/.test(line))
        rmSync(join(folder, 'detector'), { recursive: true, force: true });
      if (/^ipo runtime policy (?:show|delete)/.test(line))
        await call('runtime', 'policy', 'apply', 'stop.yaml', '--yes');
      if (/ ada@example\.com/.test(line)) await prepareAda(line, call, env);
      if (/^ipo token revoke/.test(line)) await call('token', 'create', 'one more');
      if (/^ipo channel (?!list|setup)/.test(line))
        for (const name of ['hub', 'on-call']) await addChannel(service, name);
      if (/ -l ledger|--ledger ledger|--against ledger/.test(line) && !existsSync('ledger.ndjson.zst'))
        await call('ledger', 'export', '-o', 'ledger.ndjson.zst');
    },
    async run(example) {
      let line = example;
      for (const [name, value] of known) if (line.includes(name)) line = line.replaceAll(name, await value());
      if (!isSimple(line)) return inShell(line, folder, env);
      const { words, stdin, stdout } = toCall(line);
      const given = stdin === null ? '' : readFileSync(join(folder, stdin), 'utf8');
      const answers =
        / (?:apply|delete|anonymise)\b/.test(line) && !/--(?:yes|dry-run)/.test(line) ? ['--yes'] : [];
      const ran = await ipo([...words, ...answers], { env, stdin: given });
      if (stdout !== null) writeFileSync(join(folder, stdout), ran.out);
      return ran;
    },
  };
}

/** An account that stands as the line expects it. */
async function prepareAda(
  line: string,
  call: (...args: readonly string[]) => Promise<string>,
  env: Record<string, string>,
): Promise<void> {
  const { items } = JSON.parse(await call('account', 'list', '-o', 'json')) as {
    items: { email: string | null; state: string }[];
  };
  const ada = items.find(({ email }) => email === 'ada@example.com');
  if (/ create /.test(line)) {
    if (ada?.state === 'enabled') await call('account', 'disable', 'ada@example.com');
    if (ada !== undefined) await call('account', 'anonymise', 'ada@example.com', '--yes');
    return;
  }
  if (ada === undefined) await call('account', 'create', 'ada@example.com');
  else if (ada.state === 'disabled' && !/ anonymise /.test(line))
    await ipo(['account', 'update', 'ada@example.com', '--enable'], { env });
  if (/ anonymise /.test(line) && ada?.state !== 'disabled')
    await call('account', 'disable', 'ada@example.com');
}

async function addChannel(service: Running, name: string): Promise<void> {
  const client = service.as('administrator');
  const { body } = await client.json<{ items: { name: string }[] }>('GET /channels');
  if (body.items.some((one) => one.name === name)) return;
  const document =
    name === 'hub'
      ? {
          kind: 'github',
          name,
          apiBaseUrl: 'https://api.github.com',
          defaultRepo: 'acme/shop',
          token: 'x'.repeat(40),
        }
      : {
          kind: 'slack',
          name,
          webhookUrl: 'https://hooks.slack.example/services/T0/B0/x',
          subscriptions: ['ledger_broken'],
        };
  await client.json('POST /channels', { body: document });
}

/** A private key that packages are signed with. */
const EVIDENCE_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const KYVERNO = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: restrict-image-registries }
spec:
  validationFailureAction: Enforce
  rules:
    - name: registries
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate:
        message: unknown registry
        pattern: { spec: { containers: [{ image: 'registry.shop.example/* | ghcr.io/acme/*' }] } }
`;

const CONSTRAINT = `apiVersion: constraints.gatekeeper.sh/v1beta1
kind: K8sAllowedRepos
metadata: { name: repositories }
spec:
  match: { kinds: [{ apiGroups: [''], kinds: [Pod] }] }
  parameters: { repos: [registry.shop.example/] }
`;

function writeFiles(folder: string, service: Running): void {
  // Only what a line has changed: each of them would wait for the disk otherwise.
  const put = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  put('evidence.key', EVIDENCE_KEY);
  const shop = readFileSync(join(ROOT, 'fixtures/policies/tighten.yaml'), 'utf8').replace(
    /^ {2}name: .*$/m,
    '  name: shop',
  );
  for (const name of ['shop.yaml', 'draft.yaml', 'policy.yaml', 'policies.yaml', 'policies/shop.yaml'])
    put(name, shop);
  put('cluster.ndjson.gz', readFileSync(SHOP));
  for (const name of ['kyverno.yaml', 'restrict-image-registries.yaml']) put(name, KYVERNO);
  put('constraint.yaml', CONSTRAINT);
  put('policies/shop.test.yaml', POLICY_TEST);
  put('deploy/pod.yaml', POD);
  put(
    'hub.yaml',
    'kind: github\nname: hub\napiBaseUrl: https://api.github.com\ndefaultRepo: acme/shop\ndailyCap: 30\n',
  );
  put(
    'channel.yaml',
    `kind: github\nname: hub\napiBaseUrl: http://127.0.0.1:9/api/v3\ndefaultRepo: acme/shop\n`,
  );
  put('values.yaml', 'replicaCount: 2\n');
  const rule = '{ name: shells, match: { rules: [Shell] }, action: notify }';
  put('rules.yaml', `apiVersion: ipo.dev/v1\nkind: RuntimeRules\nrules:\n  - ${rule}\n`);
  const stop = `apiVersion: ipo.dev/v1\nkind: RuntimePolicy\nmetadata: { name: stop-dropped-binaries }\nspec: {}\n`;
  for (const name of ['stop.yaml', 'runtime/stop.yaml']) put(name, stop);
  const falco = '{"rule":"Shell","priority":"Notice","time":"2026-10-07T14:02:11Z","output_fields":{}}\n';
  for (const name of ['falco.jsonl', 'event.json']) put(name, falco);
  put('token', service.secretOf('administrator') ?? '');
  put('ci/config.json', '{}');
  put('report.json', REPORT);
  put('reports/web.json', REPORT);
  mkdirSync(join(folder, 'spool'), { recursive: true });
  const stubs = join(folder, '.stubs');
  put('.stubs/ipo', `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/ipo.cjs')}' "$@"\n`);
  put('.stubs/git', '#!/bin/sh\ncat shop.yaml\n');
  put('.stubs/kustomize', '#!/bin/sh\ncat deploy/pod.yaml\n');
  put('.stubs/kubectl', '#!/bin/sh\ncat reports/web.json\n');
  put(
    '.stubs/trivy',
    '#!/bin/sh\n[ "$1" = version ] && echo \'{"Version":"0.68.0","VulnerabilityDB":{"UpdatedAt":"2026-11-20T00:00:00Z"}}\' || cp reports/web.json report.json\n',
  );
  put('.stubs/jq', '#!/bin/sh\ncat\n');
  for (const name of ['ipo', 'git', 'kustomize', 'kubectl', 'trivy', 'jq'])
    chmodSync(join(stubs, name), 0o755);
  if (!existsSync(join(folder, 'ca.pem')) && !withoutOpenssl)
    cpSync(makeCertificate(folder, 'ca').cert, join(folder, 'ca.pem'));
}

function inShell(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const path = [join(cwd, '.stubs'), process.env['PATH'] ?? ''].join(delimiter);
  return new Promise((ended) => {
    execFile('sh', ['-c', line], { cwd, env: { ...env, PATH: path } }, (error, out, err) => {
      ended({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const REPORT = JSON.stringify({
  SchemaVersion: 2,
  CreatedAt: '2026-11-20T06:00:00Z',
  ArtifactName: 'registry.example.com/shop/web:1.4',
  ArtifactType: 'container_image',
  Metadata: {
    RepoDigests: [`registry.example.com/shop/web@${DIGEST}`],
    OS: { Family: 'debian', Name: '12.5' },
  },
  Results: [{ Target: 'web', Class: 'os-pkgs', Type: 'debian', Vulnerabilities: [] }],
});
const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers: [{name: web, image: "registry.example.com/shop/web@${DIGEST}"}]
`;
const POLICY_TEST = `apiVersion: ipo.dev/v1
kind: PolicyTest
policy: shop.yaml
cases:
  - name: a registry of others is denied
    given: {image: "docker.io/library/nginx:1.29"}
    expect: registry
`;
