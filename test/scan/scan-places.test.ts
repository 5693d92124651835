import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openScanning } from '../../src/app/scanning/scanning.ts';
import { openServiceRegistry, type RegistryPlaces } from '../../src/app/scanning/registry.ts';
import { scannerSettings } from '../../src/app/config/scanner.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { readFailures } from '../../src/store/scans/failures.ts';
import { scanQueue } from '../../src/store/scans/queue.ts';
import { scanStore } from '../../src/store/scans/scans.ts';
import { openMetrics } from '../../src/telemetry/index.ts';
import { keptLog } from '../api/service.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { imageOf, push } from '../registry/images.ts';
import { skipReal, startRealRegistry, type RealRegistry } from '../registry/real-registry.ts';
import { append, AT } from '../store/image-records.ts';
import { standInTrivy, type Call } from './stand-in-trivy.ts';

const IMAGE = imageOf('web');
const DIGEST = IMAGE.manifest.digest;
/** Of the password `canary-pass`, by bcrypt. */
const HASH = '$2b$04$PaW9VGXPIlH.SO5PukXjhODjzVD3sq8vBE0QG2V.jsWl64v9/.wKq';
const skip = skipReal === false ? withoutOpenssl : skipReal;

interface World {
  readonly folder: string;
  /** A registry with a certificate of its own and a password. */
  readonly trusted: RealRegistry;
  readonly cert: string;
  /** One over plain HTTP, with the image as `shop/web` and behind a path of its own, as a mirror has it. */
  readonly plain: RealRegistry;
  /** One over plain HTTP that holds nothing. */
  readonly empty: RealRegistry;
}

async function worldOf(t: TestContext): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-places-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const content = join(folder, 'content');
  const { cert, key } = makeCertificate(folder, 'registry');
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const [plain, empty, trusted] = await Promise.all([
    startRealRegistry(t, { content }),
    startRealRegistry(t),
    startRealRegistry(t, { content, tls, htpasswd: { user: 'me', hash: HASH } }),
  ]);
  for (const path of ['shop/web', 'hub/shop/web'])
    await push(plain.url, path, { blobs: IMAGE.blobs, manifests: [{ content: IMAGE.manifest }] });
  return { folder, trusted, cert, plain, empty };
}

interface Tried {
  readonly isScanned: boolean;
  readonly reason: string | undefined;
  readonly calls: readonly Call[];
  /** As the log names the image that was scanned. */
  readonly image: unknown;
}

const NONE = { hosts: [], tags: 'ignore' } as const satisfies RegistryPlaces;
const host = (name: string, more: object = {}): RegistryPlaces['hosts'][number] => ({
  ...{ host: name, plainHttp: false, mirrors: [], mirrorsOnly: false, tokenHosts: [] },
  ...more,
});

/** Has the image scanned under a name, by the settings of the registries. */
async function tryScan(
  t: TestContext,
  { folder, trusted }: World,
  name: string,
  registries: Partial<RegistryPlaces>,
  { version = '0.72.0', alone = false, settings = {} as object } = {},
): Promise<Tried> {
  const report = join(folder, 'report.json');
  writeFileSync(
    report,
    JSON.stringify({
      ...{
        SchemaVersion: 2,
        CreatedAt: '2026-11-20T05:00:00Z',
        Metadata: { OS: { Family: 'alpine', Name: '3.22' } },
      },
      Results: [{ Target: 'x', Class: 'os-pkgs', Type: 'alpine', Packages: [], Vulnerabilities: [] }],
    }),
  );
  const dockerConfigFile = join(folder, 'config.json');
  const auth = Buffer.from('me:canary-pass').toString('base64');
  writeFileSync(dockerConfigFile, JSON.stringify({ auths: { [trusted.host]: { auth } } }));
  const standIn = standInTrivy(t, { report, fetches: true, version });
  const store = await openStore({ url: `sqlite:${join(standIn.directory, 'ipo.db')}` });
  const log = keptLog();
  const clock = { now: () => AT };
  const service = await openServiceRegistry({
    settings: { ...NONE, dockerConfigFile, ...registries },
    ...{ version: '1', pullSecrets: null, clock, log, count: { add: () => {} } },
  });
  const scanning = await openScanning({
    ...{ store, queue: scanQueue(store), scans: scanStore(store), data: standIn.directory, log, clock },
    ...{ metrics: openMetrics(), env: { PATH: process.env['PATH'] }, keychain: service.keychain },
    settings: scannerSettings.parse({ kind: 'trivy', program: standIn.program, ...settings }),
    // Alone: nobody asks the registry first, so that what the scanner says of it is what is seen.
    registry: alone ? null : service.registry,
    places: service.places,
  });
  const job = (wanted: string) => scanning.jobs.find((one) => one.name === wanted) ?? assert.fail(wanted);
  const { signal } = new AbortController();
  // What it says where a server is away is of no matter here.
  await job('vulnerability-database')
    .run(signal)
    .catch(() => {});
  await append(store, [{ digest: DIGEST, image: `${name}@${DIGEST}` }]);
  await scanQueue(store).request([DIGEST], null, AT);
  await job('scans').run(signal);
  await scanning.idle();
  const tried: Tried = {
    isScanned: (await readFacts(store.read, DIGEST))?.scan?.findings !== undefined,
    reason: (await readFailures(store.read, [DIGEST])).get(DIGEST)?.[0]?.reason,
    calls: standIn.scans(),
    image: log.lines.find(({ message }) => message === 'image scanned')?.keys['image'],
  };
  await scanning.close();
  await service.close();
  await store.close();
  return tried;
}

test(
  'what registries.hosts says reaches the scanner: authorities, plain HTTP, mirrors',
  { skip },
  async (t) => {
    const world = await worldOf(t);
    const { trusted, plain, empty, cert } = world;
    const shown = (tried: Tried) =>
      tried.calls.map(({ docker }) => Object.keys((docker as { auths?: object } | null)?.auths ?? {}));
    const asked = (tried: Tried) => tried.calls.map(({ args }) => args.at(-1));

    await t.test(
      'a private authority, of the host or for all, whatever takes it in the version',
      async () => {
        const name = `${trusted.host}/shop/web`;
        const own = { hosts: [host(trusted.host, { caFile: cert })] };
        for (const [version, registries] of [
          ['0.68.0', own],
          ['0.67.2', own],
          ['0.45.0', { hosts: [host(trusted.host)], caFile: cert }],
        ] as const) {
          const tried = await tryScan(t, world, name, registries, { version });
          assert.deepEqual([tried.isScanned, tried.reason], [true, undefined], version);
          const [call] = tried.calls;
          assert.ok(call && !call.args.includes('--insecure') && !('TRIVY_INSECURE' in call.env));
          const isFlag = version === '0.68.0';
          assert.deepEqual(
            [call.args.includes('--cacert'), 'SSL_CERT_FILE' in call.env],
            [isFlag, !isFlag],
            version,
          );
          assert.deepEqual(shown(tried), [[trusted.host]]);
          assert.ok(!call.args.join(' ').includes('canary-pass'));
        }
        const without = await tryScan(t, world, name, {}, { alone: true });
        assert.deepEqual([without.isScanned, without.reason], [false, 'certificate']);
        const [call] = without.calls;
        assert.ok(call && !call.args.includes('--cacert') && !('SSL_CERT_FILE' in call.env));
      },
    );

    await t.test('plain HTTP is allowed where it is said, and nowhere else', async () => {
      const name = `${plain.host}/shop/web`;
      const allowed = await tryScan(t, world, name, { hosts: [host(plain.host, { plainHttp: true })] });
      assert.deepEqual([allowed.isScanned, allowed.calls[0]?.args.includes('--insecure')], [true, true]);
      const without = await tryScan(t, world, name, {}, { alone: true });
      assert.deepEqual([without.isScanned, without.reason], [false, 'refused']);
      assert.equal(without.calls[0]?.args.includes('--insecure'), false);
    });

    await t.test(
      'where a server of Trivy would not be verified either, nothing is scanned over plain HTTP',
      async () => {
        const hosts = [host(plain.host, { plainHttp: true })];
        // The program would call the server without looking at its certificate, and show it the token.
        const settings = { server: 'https://127.0.0.1:9', serverToken: 'token' };
        const tried = await tryScan(t, world, `${plain.host}/shop/web`, { hosts }, { settings });
        assert.deepEqual([tried.isScanned, tried.reason, tried.calls.length], [false, 'refused', 0]);
      },
    );

    await t.test('a mirror is scanned in the place of its registry, under the name of that', async () => {
      const name = 'registry.invalid/shop/web';
      const hosts = [
        host('registry.invalid', { mirrors: [`${plain.host}/hub`], mirrorsOnly: true }),
        host(plain.host, { plainHttp: true }),
      ];
      const tried = await tryScan(t, world, name, { hosts });
      assert.deepEqual([tried.isScanned, tried.reason], [true, undefined]);
      assert.deepEqual(asked(tried), [`${plain.host}/hub/shop/web@${DIGEST}`]);
      assert.equal(tried.image, `${name}@${DIGEST}`);
    });

    await t.test(
      'a mirror that lacks it leaves it to the registry, and is shown no credential of that',
      async () => {
        const name = `${trusted.host}/shop/web`;
        const hosts = [
          host(trusted.host, { mirrors: [empty.host], caFile: cert }),
          host(empty.host, { plainHttp: true }),
        ];
        const tried = await tryScan(t, world, name, { hosts });
        assert.deepEqual([tried.isScanned, tried.reason], [true, undefined]);
        assert.deepEqual(asked(tried), [
          `${empty.host}/shop/web@${DIGEST}`,
          `${trusted.host}/shop/web@${DIGEST}`,
        ]);
        assert.deepEqual(shown(tried), [[], [trusted.host]]);
        assert.deepEqual(
          tried.calls.map(({ args }) => args.includes('--insecure')),
          [true, false],
        );
        const other = await tryScan(
          t,
          world,
          name,
          {
            hosts: [
              host(trusted.host, { mirrors: [empty.host], mirrorsOnly: true, caFile: cert }),
              host(empty.host, { plainHttp: true }),
            ],
          },
          { alone: true },
        );
        assert.deepEqual(
          [other.isScanned, other.reason, asked(other)],
          [false, 'not_found', [`${empty.host}/shop/web@${DIGEST}`]],
        );
      },
    );
  },
);
