import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { publishSteps } from '../../scripts/release/publish.ts';
import { sha256Hex } from '../../src/base/index.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { programOf, skipReal, startRealRegistry } from '../registry/real-registry.ts';
import { OwnSigstore } from '../supply-chain/verify-own-sigstore.ts';
import type { Made } from './release-program.ts';

const COSIGN = programOf('cosign', 'COSIGN_BIN') ?? '';
const ORAS = programOf('oras', 'ORAS_BIN') ?? '';
const skipSigned =
  skipReal ||
  ((COSIGN === '' || ORAS === '') &&
    'cosign and oras are neither on the PATH nor named by COSIGN_BIN and ORAS_BIN');

/** testSigned pushes a release to a registry and signs it by the tools of the world, and verifies it by ours. */
export function testSigned({
  folder,
  out,
  archive,
  version,
  privateKey,
}: Made & { readonly privateKey: KeyObject }): void {
  const file = (name: string): string => readFileSync(join(out, name), 'utf8');
  suite('signed by cosign and pushed by oras to a registry', { skip: skipSigned }, () => {
    let registry = '';
    const ends: (() => unknown)[] = [];
    after(async () => {
      for (const end of ends) await end();
    });
    const run = (program: string, ...args: readonly string[]) =>
      spawnSync(program, args, {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, COSIGN_PASSWORD: 'secret' },
        timeout: 120_000,
      });
    const key = (name: string): string => join(folder, `${name}.key`);
    const states = async (what: string, keyFile: string): Promise<[number, Record<string, string>]> => {
      const flags = ['--key', keyFile, '--trust-root', trustRoot, '-o', 'json'];
      const ran = await ipo(['release', 'verify', what, ...flags], { env: { HOME: folder } });
      const checks = JSON.parse(ran.out).checks as { check: string; state: string }[];
      return [ran.code, Object.fromEntries(checks.map(({ check, state }) => [check, state]))];
    };
    const trustRoot = join(folder, 'root.json');
    const digest = (name: string): string => file(`${name}.digest`).trim();
    const image = (): string => `${registry}/acme/image-policy-operator@${digest('image')}`;

    before(async () => {
      const pem = join(folder, 'signing.pem');
      writeFileSync(pem, privateKey.export({ type: 'sec1', format: 'pem' }));
      for (const name of ['release', 'other']) {
        const made =
          name === 'release'
            ? run(COSIGN, 'import-key-pair', '--key', pem, '--output-key-prefix', join(folder, name))
            : run(COSIGN, 'generate-key-pair', '--output-key-prefix', join(folder, name));
        assert.equal(made.status, 0, made.stderr);
      }
      writeFileSync(trustRoot, JSON.stringify(new OwnSigstore().document()));
      // Nothing is logged: these services are not asked.
      const config = join(folder, 'signing-config.json');
      writeFileSync(config, '{"mediaType":"application/vnd.dev.sigstore.signingconfig.v0.2+json"}');
      // Both programs take plain HTTP for this name, and for no address.
      registry = (await startRealRegistry({ after: (end) => void ends.push(end) })).host.replace(
        '127.0.0.1',
        'localhost',
      );
      const steps = publishSteps({
        ...{ version, registry: `${registry}/acme`, folder: out, signingConfig: config },
        ...{ digest: digest('image'), chartDigest: digest('chart'), key: key('release') },
      });
      const programs: Record<string, string> = { cosign: COSIGN, oras: ORAS };
      for (const [name = '', ...args] of steps) {
        const program = programs[name];
        // A signature without a key needs the identity of a build.
        if (program === undefined || (name === 'cosign' && !args.includes('--key'))) continue;
        const done = run(program, ...args);
        assert.equal(done.status, 0, `${name} ${args.join(' ')}\n${done.stderr}`);
      }
    });

    test('the image verifies by its key; another key and another digest do not', async () => {
      const good = { keyed_signature: 'ok', keyless_signature: 'failed', sbom: 'ok', provenance: 'ok' };
      assert.deepEqual(await states(image(), join(out, 'ipo.pub')), [4, good]);
      const [, other] = await states(image(), join(folder, 'other.pub'));
      assert.deepEqual(other, { ...good, keyed_signature: 'failed', sbom: 'failed', provenance: 'failed' });
      const chart = `${registry}/acme/charts/image-policy-operator@${digest('chart')}`;
      assert.equal((await states(chart, join(out, 'ipo.pub')))[1]['keyed_signature'], 'ok');
    });

    test('a policy for the digest, the signature and a provenance of level 3 admits the image, and no tag', async () => {
      const pem = file('ipo.pub');
      const policy = join(folder, 'own.json');
      const builder = { id: 'https://ipo.dev/builders/local', level: 3, key: pem };
      writeFileSync(
        policy,
        JSON.stringify({
          ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'own' } },
          spec: {
            ...{ enforcement: 'Enforce', digestEnforcement: 'require' },
            signature: { required: true, keys: [pem] },
            provenance: { minLevel: 3, trustedBuilders: [builder] },
          },
        }),
      );
      const check = (name: string) =>
        ipo(['check', '--policy', policy, '--trust-root', trustRoot, name], { env: { HOME: folder } });
      const admitted = await check(image());
      assert.equal(admitted.code, 0, `${admitted.out}${admitted.err}`);
      const tag = await check(`${registry}/acme/image-policy-operator:${version}`);
      assert.match(tag.out, /digest required/);
      const chart = await check(`${registry}/acme/charts/image-policy-operator@${digest('chart')}`);
      assert.match(chart.out, /provenance: none recorded, level 3 required/);
    });

    test('a file verifies by its key; once it or its sums are changed, it does not', async () => {
      const good = { sum: 'ok', keyed_signature: 'ok', keyless_signature: 'failed', provenance: 'ok' };
      const [program, sums] = [join(out, archive), join(out, 'SHA256SUMS')];
      assert.deepEqual((await states(program, join(out, 'ipo.pub')))[1], good);
      const before = [readFileSync(program), readFileSync(sums)] as const;
      try {
        writeFileSync(program, Buffer.concat([before[0], Buffer.of(0)]));
        assert.equal((await states(program, join(out, 'ipo.pub')))[1]['sum'], 'failed');
        writeFileSync(sums, `${sha256Hex(readFileSync(program))}  ${archive}\n`);
        assert.deepEqual((await states(program, join(out, 'ipo.pub')))[1], {
          ...{ sum: 'ok', keyed_signature: 'failed', keyless_signature: 'failed', provenance: 'failed' },
        });
      } finally {
        writeFileSync(program, before[0]);
        writeFileSync(sums, before[1]);
      }
    });
  });
}
