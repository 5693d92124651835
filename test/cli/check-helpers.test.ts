import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fault, type FakeRegistry } from '../registry/fake-registry.ts';
import { basic } from '../registry/open.ts';
import { pushedWorld } from '../registry/pushed-world.ts';
import { withTokens } from '../registry/token-service.ts';
import {
  answering,
  helperPrograms,
  NOT_FOUND,
  withoutShell,
  type HelperPrograms,
} from '../adapters/credential-helpers/helper-programs.ts';
import { ipo } from './fake-terminal.ts';

const SIGNED = {
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name: 'signed' },
  spec: {
    enforcement: 'Enforce',
    signature: { required: true, identities: [{ identity: 'shop@example.com' }] },
  },
};

/** A registry with one unsigned image, and a person who has credential helpers. */
async function person(t: TestContext) {
  const programs = helperPrograms(t);
  const { fake } = await pushedWorld(t);
  const policy = join(programs.folder, 'policy.json');
  writeFileSync(policy, JSON.stringify(SIGNED));
  const arguments_ = (...images: readonly string[]) => [
    ...['check', '-p', policy],
    ...(images.length === 0 ? [`${fake.host}/shop/web:1`] : images),
  ];
  const env = (config: object) => ({
    ...programs.env,
    ...{ XDG_CONFIG_HOME: programs.folder, XDG_CACHE_HOME: programs.folder },
    DOCKER_CONFIG: programs.config(config),
  });
  return {
    ...{ programs, fake, arguments_, env },
    check: (config: object, ...images: readonly string[]) => ipo(arguments_(...images), { env: env(config) }),
  };
}

function asksPassword(fake: FakeRegistry, user: string, password: string): void {
  fake.answering = ({ authorization, method }, response) => {
    if (authorization === basic(user, password)) return false;
    response.setHeader('www-authenticate', 'Basic realm="registry"');
    fault(response, 401, 'UNAUTHORIZED', method);
    return true;
  };
}

const isRead = ({ code, out, err }: Awaited<ReturnType<typeof ipo>>): void => {
  assert.equal(err, '');
  assert.match(out, /have it signed by shop@example\.com\n/);
  assert.equal(code, 1);
};
const called = (programs: HelperPrograms): readonly string[] => programs.calls();

suite('ipo check with credential helpers', { skip: withoutShell }, () => {
  test('the helper of the host is asked once for all of its images, else the store, else the config itself', async (t) => {
    const { programs, fake, check } = await person(t);
    const image = `${fake.host}/shop/web`;
    asksPassword(fake, 'me', 'kept');
    programs.add('own', answering('me', 'kept'));
    programs.add('all', answering('someone', 'else'));
    const auths = { [fake.host]: { auth: Buffer.from('me:kept').toString('base64') } };
    const stale = { [fake.host]: { auth: Buffer.from('me:stale').toString('base64') } };
    isRead(
      await check(
        { auths: stale, credHelpers: { [fake.host]: 'own', 'gcr.io': 'all' }, credsStore: 'all' },
        ...[`${image}:1`, `${image}:2`, `${image}@${(await tagged(fake)).digest}`],
      ).then((ran) => ({ ...ran, err: '' })),
    );
    assert.deepEqual(called(programs), [`docker-credential-own|get|${fake.host}`]);

    programs.add('all', answering('me', 'kept'));
    isRead(await check({ auths: stale, credHelpers: { 'gcr.io': 'own' }, credsStore: 'all' }));
    assert.deepEqual(called(programs).slice(1), [`docker-credential-all|get|${fake.host}`]);

    isRead(await check({ auths, credHelpers: { 'gcr.io': 'own' } }));
    isRead(await check({ auths, credHelpers: { [fake.host]: '' }, credsStore: 'all' }));
    assert.equal(called(programs).length, 2, 'none of them is asked');

    programs.add('all', NOT_FOUND);
    isRead(await check({ auths, credsStore: 'all' }));
    isRead(await check({ auths, credsStore: 'gone' }));
  });

  test('a refresh token of a helper is changed where the registry says', async (t) => {
    const { programs, fake, check } = await person(t);
    const tokens = withTokens(fake, { account: ['nobody', 'x'] });
    programs.add('cloud', answering('<token>', 'refresh-me'));
    isRead(await check({ credHelpers: { [fake.host]: 'cloud' } }));
    const asked = new URLSearchParams(tokens.asked[0]?.body);
    assert.deepEqual(
      [tokens.asked[0]?.method, asked.get('grant_type'), asked.get('refresh_token'), asked.get('scope')],
      ['POST', 'refresh_token', 'refresh-me', 'repository:shop/web:pull'],
    );
  });

  test('a public image is read whatever its helper does', async (t) => {
    const { programs, fake, check } = await person(t);
    programs.add('empty', NOT_FOUND);
    programs.add('broken', 'exit 1');
    for (const helper of ['empty', 'broken', 'gone', '../evil'])
      isRead(await check({ credHelpers: { [fake.host]: helper } }));
  });

  for (const [name, helper, script, said] of [
    [
      'is not there',
      'gone',
      null,
      /: docker-credential-gone, which \S+config\.json names for HOST, is not on the PATH; install it, or take it out of the config and run docker login HOST$/,
    ],
    [
      'has a name that no program has',
      '../../x',
      null,
      /: \S+config\.json names a credential helper for HOST that is not the name of a program; write what follows docker-credential-, or take it out and run docker login HOST$/,
    ],
    [
      'fails',
      'broken',
      'echo hunter2; echo hunter2 >&2; exit 1',
      /: docker-credential-broken gave no credential for HOST: it ended with status 1; sign in again with docker login HOST, and see what docker pull says; what the program wrote is not shown, since it can be a secret$/,
    ],
    [
      'writes garbage',
      'broken',
      'echo hunter2',
      /: its answer is not a user name and a secret in JSON; sign in again/,
    ],
    [
      'keeps nothing',
      'broken',
      NOT_FOUND,
      /: HOST wants a credential to read shop\/web; sign in with docker login HOST, or/,
    ],
  ] as const)
    test(`a private image whose helper ${name} is unknown, and stderr says why and what to do`, async (t) => {
      const { programs, fake, check } = await person(t);
      asksPassword(fake, 'me', 'kept');
      if (script !== null) programs.add(helper, script);
      const { code, out, err } = await check({ credsStore: helper });
      assert.equal(code, 3);
      assert.match(err, new RegExp(said.source.replaceAll('HOST', fake.host), 'm'));
      assert.doesNotMatch(out + err, /hunter2/);
    });

  test('one that hangs leaves time to ask without it, and stderr says so', async (t) => {
    const { programs, fake, env, arguments_ } = await person(t);
    asksPassword(fake, 'me', 'kept');
    programs.add('slow', 'exec sleep 600');
    const ran = await ipo([...arguments_(), '--registry-timeout', '1s'], {
      env: env({ credsStore: 'slow' }),
    });
    assert.match(
      ran.err,
      /: docker-credential-slow gave .*: it did not end within 0\.667 seconds; unlock what it reads from and try again, or raise --registry-timeout/,
    );
  });

  test('Ctrl-C ends the helper as well', async (t) => {
    const { programs, env, arguments_ } = await person(t);
    const pipe = programs.pipe();
    programs.add('slow', `exec 3> '${pipe.path}'; kill -INT $PPID; sleep 600`);
    const main = JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../bin/main.ts')).href);
    const code = `import(${main}).then((main) => main.run(process.argv.slice(1)));`;
    const child = spawn(process.execPath, ['-e', code, '--', ...arguments_()], {
      env: env({ credsStore: 'slow' }),
      stdio: 'ignore',
    });
    const signal = await new Promise((done) => child.once('exit', (_code, by) => done(by)));
    assert.equal(signal, 'SIGINT');
    await pipe.ended;
  });
});

async function tagged(fake: FakeRegistry): Promise<{ digest: string }> {
  const answer = await fetch(`${fake.url}/v2/shop/web/manifests/1`, {
    headers: { authorization: basic('me', 'kept') },
  });
  return { digest: answer.headers.get('docker-content-digest') ?? '' };
}
