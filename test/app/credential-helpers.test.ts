import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { openServiceRegistry } from '../../src/app/scanning/registry.ts';
import { Secret } from '../../src/base/index.ts';
import type { PullSecrets } from '../../src/image/index.ts';
import { scanPlace } from '../../src/scan/scan-place.ts';
import { ScannerError } from '../../src/scan/index.ts';
import { answering, helperPrograms, withoutShell } from '../adapters/credential-helpers/helper-programs.ts';
import { fault } from '../registry/fake-registry.ts';
import { ask, faultOf, referenceTo } from '../registry/open.ts';
import { pushedWorld } from '../registry/pushed-world.ts';

const POD = { namespace: 'shop', pullSecrets: ['pull'], serviceAccount: null };

suite('credential helpers that a service is given', { skip: withoutShell }, () => {
  test('are ignored, said once in the log, and start no process', async (t) => {
    const programs = helperPrograms(t);
    const { fake } = await pushedWorld(t);
    programs.add('mine', answering('me', 'kept'));
    const document = JSON.stringify({ credHelpers: { [fake.host]: 'mine' }, credsStore: 'mine' });
    const file = join(programs.folder, 'service.json');
    writeFileSync(file, document);
    const pullSecrets: PullSecrets = {
      of: async () => ({
        secrets: [{ name: 'shop/pull', form: 'docker_config', document: new Secret(document) }],
        faults: [],
      }),
    };
    const path = process.env['PATH'];
    process.env['PATH'] = programs.env['PATH'];
    t.after(() => void (process.env['PATH'] = path));
    const warned: unknown[] = [];
    const opened = await openServiceRegistry({
      settings: {
        hosts: [{ host: fake.host, plainHttp: true, mirrors: [], mirrorsOnly: false, tokenHosts: [] }],
        ...{ dockerConfigFile: file, podSecrets: true, tags: 'resolve' },
      },
      ...{ version: '1', pullSecrets, clock: { now: () => 0 }, count: { add() {} } },
      log: {
        ...{ debug() {}, info() {}, error() {} },
        warn: (message, keys) => void warned.push([message, keys?.['config']]),
      },
    });
    t.after(() => opened.close());
    const reference = referenceTo(fake.host, 'shop/web:1');
    for (let i = 0; i < 3; i += 1) {
      const keychain = await opened.keychainOf(POD);
      // As the kubelet: a public image is pulled without them.
      assert.match(await opened.registry.digestOf(reference, { ...ask, keychain }), /^sha256:/);
      assert.match(await opened.registry.digestOf(reference, ask), /^sha256:/);
    }
    const sentence = 'credential helpers are ignored: the service runs none; only auths counts';
    assert.deepEqual(warned, [
      [sentence, 'the Secret shop/pull'],
      [sentence, file],
    ]);

    fake.answering = ({ method }, response) => {
      response.setHeader('www-authenticate', 'Basic realm="registry"');
      fault(response, 401, 'UNAUTHORIZED', method);
      return true;
    };
    const other = referenceTo(fake.host, 'shop/private:1');
    const keychain = await opened.keychainOf(POD);
    const { message, fault: kind } = await faultOf(opened.registry.digestOf(other, { ...ask, keychain }));
    assert.deepEqual(
      [kind, message],
      [
        'credentials',
        `the Secret shop/pull leaves the credential for ${fake.host} to docker-credential-mine, and the service runs no such program`,
      ],
    );
    const scanner = {
      name: 'x',
      scan: async () => {
        throw new ScannerError('image', 'the registry says UNAUTHORIZED');
      },
    } as never;
    const digest = `sha256:${'a'.repeat(64)}` as never;
    await assert.rejects(
      scanPlace(
        { scanner, keychain, clock: { now: () => 0 } },
        { reference: other, digest, choose: {} as never, late: Infinity, signal: ask.signal },
      ),
      { message: `the registry says UNAUTHORIZED; ${message}` },
    );
    assert.deepEqual(programs.calls(), []);
  });
});
