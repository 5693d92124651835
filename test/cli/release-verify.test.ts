import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { blobOf, descriptorOf, imageOf, OCI, push, type Pushed } from '../registry/images.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { skipReal, startRealRegistry } from '../registry/real-registry.ts';
import {
  envelopeOver,
  IDENTITY,
  ISSUER,
  OwnSigstore,
  rekord,
  type Leaf,
} from '../supply-chain/verify-own-sigstore.ts';
import { ipo } from './fake-terminal.ts';

const SIMPLE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const DSSE = 'application/vnd.dsse.envelope.v1+json';
const SBOM = 'https://cyclonedx.org/bom';
const PROVENANCE = 'https://slsa.dev/provenance/v1';

interface Layer {
  readonly blob: Pushed;
  readonly annotations: Readonly<Record<string, string>>;
}

/** World is a registry with one image, and what signs it. */
class World {
  readonly folder: string;
  readonly host: string;
  readonly digest: string;
  readonly key: KeyObject;
  readonly #url: string;
  readonly #sigstore: OwnSigstore;

  private constructor(folder: string, place: { host: string; url: string }, digest: string) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.folder = folder;
    this.host = place.host;
    this.#url = place.url;
    this.digest = digest;
    this.key = privateKey;
    this.#sigstore = new OwnSigstore();
    writeFileSync(join(folder, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    writeFileSync(join(folder, 'root.json'), JSON.stringify(this.#sigstore.document()));
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    writeFileSync(join(folder, 'other.pem'), other);
  }

  static async open(t: TestContext, place: { host: string; url: string }): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'ipo-verify-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { manifest, blobs } = imageOf('ipo');
    await push(place.url, 'ipo/ipo', { blobs, manifests: [{ content: manifest, as: '1.3.7' }] });
    return new World(folder, place, manifest.digest);
  }

  /** What cosign puts under `sha256-….sig`: a keyed signature, a keyless one, or both. */
  async sign(by: readonly ('key' | 'identity')[], digest = this.digest): Promise<void> {
    await this.#attach(
      'sig',
      by.map((who) => this.#signature(who, digest)),
    );
  }

  async attest(types: readonly string[], key: KeyObject = this.key): Promise<void> {
    await this.#attach(
      'att',
      types.map((type) => this.#statement(type, key)),
    );
  }

  /** The command with the flags of this world; `more` after them. */
  async verify(...more: readonly string[]) {
    const flags = ['--trust-root', join(this.folder, 'root.json'), '-o', 'json'];
    const image = `${this.host}/ipo/ipo@${this.digest}`;
    const ran = await ipo(['release', 'verify', image, ...flags, ...more], {
      env: { HOME: this.folder, XDG_CONFIG_HOME: this.folder },
    });
    const checks =
      ran.out === '' ? [] : (JSON.parse(ran.out) as { checks: { check: string; state: string }[] }).checks;
    return { ...ran, states: Object.fromEntries(checks.map(({ check, state }) => [check, state])) };
  }

  get both(): readonly string[] {
    return ['--key', join(this.folder, 'key.pem'), '--identity', IDENTITY, '--issuer', ISSUER];
  }

  #signature(who: 'key' | 'identity', digest: string): Layer {
    const payload = Buffer.from(
      JSON.stringify({
        critical: {
          identity: { 'docker-reference': `${this.host}/ipo/ipo` },
          image: { 'docker-manifest-digest': digest },
          type: 'cosign container image signature',
        },
        optional: null,
      }),
    );
    const leaf: Leaf | null = who === 'identity' ? this.#sigstore.leaf() : null;
    const signature = sign('sha256', payload, leaf?.key ?? this.key);
    const annotations: Record<string, string> = {
      'dev.cosignproject.cosign/signature': signature.toString('base64'),
    };
    if (leaf !== null) {
      annotations['dev.sigstore.cosign/certificate'] = leaf.pem;
      annotations['dev.sigstore.cosign/bundle'] = this.#sigstore.entry(rekord(payload, signature, leaf.pem));
    }
    return { blob: blobOf(payload, SIMPLE), annotations };
  }

  #statement(predicateType: string, key: KeyObject): Layer {
    const builder = { builder: { id: 'https://build.example' }, metadata: { invocationId: '1' } };
    const statement = {
      ...{ _type: 'https://in-toto.io/Statement/v1', predicateType },
      subject: [{ name: 'ipo', digest: { sha256: this.digest.slice(7) } }],
      predicate:
        predicateType === PROVENANCE
          ? { buildDefinition: {}, runDetails: builder }
          : { bomFormat: 'CycloneDX' },
    };
    const envelope = envelopeOver(Buffer.from(JSON.stringify(statement)), key);
    return {
      blob: blobOf(envelope, DSSE),
      annotations: { 'dev.cosignproject.cosign/signature': '', predicateType },
    };
  }

  async #attach(kind: 'sig' | 'att', layers: readonly Layer[]): Promise<void> {
    const config = blobOf({ architecture: '', os: '' }, OCI.config);
    const manifest = blobOf(
      {
        ...{ schemaVersion: 2, mediaType: OCI.manifest, config: descriptorOf(config) },
        layers: layers.map(({ blob, annotations }) => descriptorOf(blob, { annotations })),
      },
      OCI.manifest,
    );
    const as = `${this.digest.replace(':', '-')}.${kind}`;
    await push(this.#url, 'ipo/ipo', {
      blobs: [config, ...layers.map(({ blob }) => blob)],
      manifests: [{ content: manifest, as }],
    });
  }
}

const REGISTRIES = {
  'a registry of the tests': { start: (t: TestContext) => startFakeRegistry(t), skip: false },
  'a real registry': { start: (t: TestContext) => startRealRegistry(t), skip: skipReal },
} as const;

for (const [name, { start, skip }] of Object.entries(REGISTRIES))
  suite(`ipo release verify, against ${name}`, { skip }, () => {
    test('both signatures, SBOM and provenance verify; each that is missing, or of somebody else, exits 4', async (t) => {
      const world = await World.open(t, await start(t));
      await world.sign(['key', 'identity']);
      await world.attest([SBOM, PROVENANCE]);
      const good = await world.verify(...world.both);
      const ok = { keyed_signature: 'ok', keyless_signature: 'ok', sbom: 'ok', provenance: 'ok' };
      assert.deepEqual([good.code, good.states], [0, ok], good.err);
      const fails = async (state: object, ...flags: readonly string[]): Promise<void> => {
        const { code, states } = await world.verify(...flags);
        assert.deepEqual([code, states], [4, { ...ok, ...state }]);
      };
      const key = ['--key', join(world.folder, 'key.pem')];
      const other = ['--key', join(world.folder, 'other.pem')];
      const identity = ['--identity', IDENTITY, '--issuer', ISSUER];
      await fails({ keyed_signature: 'failed', sbom: 'failed', provenance: 'failed' }, ...other, ...identity);
      await fails({ keyless_signature: 'failed' }, ...key, '--identity', `${IDENTITY}0`, '--issuer', ISSUER);
      await fails(
        { keyless_signature: 'failed' },
        ...key,
        '--identity',
        IDENTITY,
        '--issuer',
        'https://else.example',
      );
      assert.equal(
        (await world.verify(...key, '--identity-regexp', '.*/release\\.yml@refs/tags/v1', '--issuer', ISSUER))
          .code,
        0,
      );

      // Without one of both it is told who signed; under --strict that is not enough.
      const alone = await world.verify(...key);
      assert.deepEqual([alone.code, alone.states['keyless_signature']], [0, 'unvouched']);
      assert.equal((await world.verify(...key, '--strict')).code, 5);

      await world.attest([PROVENANCE]);
      await fails({ sbom: 'failed' }, ...world.both);
      await world.attest([SBOM]);
      await fails({ provenance: 'failed' }, ...world.both);
      await world.attest([SBOM, PROVENANCE]);
      await world.sign(['key']);
      await fails({ keyless_signature: 'failed' }, ...world.both);
      await world.sign(['identity']);
      await fails({ keyed_signature: 'failed' }, ...world.both);
      await world.sign(['key', 'identity'], `sha256:${'0'.repeat(64)}`);
      await fails({ keyed_signature: 'failed', keyless_signature: 'failed' }, ...world.both);
    });

    test('a tag is refused with the digest that it stands for now', async (t) => {
      const world = await World.open(t, await start(t));
      const env = { HOME: world.folder, XDG_CONFIG_HOME: world.folder };
      const run = (image: string, ...flags: readonly string[]) =>
        ipo(['release', 'verify', image, ...flags], { env });
      const tag = await run(`${world.host}/ipo/ipo:1.3.7`, ...world.both);
      assert.equal(tag.code, 2);
      assert.ok(tag.err.includes(`${world.host}/ipo/ipo@${world.digest}`), tag.err);
      const gone = await run(`${world.host}/ipo/ipo:9`, ...world.both);
      assert.deepEqual([gone.code, gone.out], [2, '']);
      const missing = await run(`${world.host}/ipo/ipo@sha256:${'1'.repeat(64)}`, ...world.both);
      assert.equal(missing.code, 3, missing.err); // what is not there verifies nothing
      assert.equal(
        (await run(`127.0.0.1:1/ipo/ipo@${world.digest}`, ...world.both, '--registry-timeout', '2s')).code,
        3,
      );
    });
  });

test('who must have signed has to be named, by what can be read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-verify-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const noKey = join(folder, 'none.pem');
  writeFileSync(noKey, 'hello');
  const image = `registry.example/ipo@sha256:${'a'.repeat(64)}`;
  for (const flags of [
    [],
    ['--issuer', ISSUER],
    ['--key', noKey],
    ['--identity-regexp', '('],
    ['--key', noKey, '--registry-timeout', '1h'],
  ])
    assert.equal((await ipo(['release', 'verify', image, ...flags])).code, 2, flags.join(' '));
  assert.equal((await ipo(['release', 'verify', 'UPPER', '--identity', 'x'])).code, 2);
  assert.equal((await ipo(['release', 'verify', image, '--key', join(folder, 'gone.pem')])).code, 3);
});
