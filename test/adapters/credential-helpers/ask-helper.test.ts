import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { suite, test, type TestContext } from 'node:test';
import {
  openCredentialHelpers,
  type CredentialHelperOptions,
} from '../../../src/adapters/credential-helpers/index.ts';
import { findProgram } from '../../../src/app/running/find-program.ts';
import type { RegistryError } from '../../../src/image/index.ts';
import { faultOf } from '../../registry/open.ts';
import {
  answering,
  helperPrograms,
  NOT_FOUND,
  withoutShell,
  type HelperPrograms,
} from './helper-programs.ts';

function open(
  t: TestContext,
  programs: HelperPrograms,
  { env = {}, timeoutMs = 60_000 }: { env?: Record<string, string>; timeoutMs?: number } = {},
) {
  const all = { ...programs.env, ...env };
  const options: CredentialHelperOptions = {
    ...{ env: all, cwd: programs.folder, timeoutMs },
    find: (program) => findProgram(program, all),
  };
  const helpers = openCredentialHelpers(options);
  t.after(() => helpers.close());
  const ask = (helper: string, server = 'gcr.io') =>
    helpers.find({ helper, server, host: 'gcr.io', config: '/home/me/.docker/config.json' });
  return {
    helpers,
    ask,
    shown: async (helper: string, server?: string) => toText(await ask(helper, server)),
  };
}

const toText = (kept: Awaited<ReturnType<ReturnType<typeof openCredentialHelpers>['find']>>): string | null =>
  kept === null ? null : `${kept.username}/${kept.secret.reveal()}`;

suite('credential helpers', { skip: withoutShell }, () => {
  test('a helper gets the server on its standard input, and the environment, and is asked once', async (t) => {
    const programs = helperPrograms(t);
    programs.add('mine', `printf '{"Username":"me","Secret":"%s"}' "$WHO"`);
    const { shown } = open(t, programs, { env: { WHO: 'from-the-environment' } });
    const [one, two] = await Promise.all([shown('mine'), shown('mine')]);
    assert.deepEqual([one, two, await shown('mine')], Array(3).fill('me/from-the-environment'));
    assert.deepEqual(programs.calls(), ['docker-credential-mine|get|gcr.io']);
    await shown('mine', 'https://index.docker.io/v1/');
    assert.equal(programs.calls()[1], 'docker-credential-mine|get|https://index.docker.io/v1/');
  });

  for (const [name, script, expected] of [
    ['nothing in the keychain', NOT_FOUND, null],
    [
      'nothing in the keychain, with blanks around it',
      "printf '\\n credentials not found in native keychain \\n'; exit 7",
      null,
    ],
    ['two empty texts', answering('', ''), null],
    ['names in lower case', `echo '{"username":"me","secret":"s"}'`, 'me/s'],
    ['a refresh token', answering('<token>', 'r'), '<token>/r'],
    ['more fields', `echo '{"Username":"me","Secret":"s","Expires":1,"ServerURL":null}'`, 'me/s'],
  ] as const)
    test(`an answer: ${name}`, async (t) => {
      const programs = helperPrograms(t);
      programs.add('x', script);
      assert.equal(await open(t, programs).shown('x'), expected);
    });

  const SECRET = 'hunter2hunter2';
  for (const [name, script, message] of [
    [
      'a status, with a secret on stderr and stdout',
      `echo ${SECRET}; echo ${SECRET} >&2; exit 1`,
      /^docker-credential-x gave no credential for gcr\.io: it ended with status 1$/,
    ],
    ['nothing found, said on stderr alone', NOT_FOUND.replace('echo', '>&2 echo'), /ended with status 1$/],
    ['a signal', 'kill -SEGV $$', /: it was killed by SIGSEGV$/],
    ['garbage', `echo ${SECRET}`, /: its answer is not a user name and a secret in JSON$/],
    ['bytes that are no text', `printf '\\377\\376'`, /is not a user name/],
    ['nothing', 'exit 0', /is not a user name/],
    ['a list', `echo '["${SECRET}"]'`, /is not a user name/],
    ['a user without a secret', answering('me', ''), /is not a user name/],
    ['a secret without a user', answering('', SECRET), /is not a user name/],
    ['a number', `echo '{"Username":"me","Secret":1}'`, /is not a user name/],
    ['not found, but with status 0', `echo credentials not found in native keychain`, /is not a user name/],
    [
      'output without end',
      `while :; do echo ${SECRET.repeat(100)}; done`,
      /: it wrote more than 65536 bytes$/,
    ],
  ] as const)
    test(`a fault: ${name}; nothing that it wrote is told`, async (t) => {
      const programs = helperPrograms(t);
      programs.add('x', script);
      const { ask } = open(t, programs);
      const fault = await faultOf(ask('x'));
      assert.match(fault.message, message);
      assert.equal(fault.fault, 'credentials');
      assert.doesNotMatch(inspect(fault, { depth: 9, showHidden: true }), new RegExp(SECRET));
      assert.equal(await faultOf(ask('x')), fault);
      assert.equal(programs.calls().length, 1, 'nor is it asked again');
    });

  test('one that hangs is killed with what it started', async (t) => {
    const programs = helperPrograms(t);
    const pipe = programs.pipe();
    programs.add('slow', `sleep 600 > '${pipe.path}' & wait`);
    const { ask } = open(t, programs, { timeoutMs: 1500 });
    assert.match(
      (await faultOf(ask('slow'))).message,
      /^docker-credential-slow gave .*: it did not end within 1\.5 seconds$/,
    );
    await pipe.ended;
  });

  test('and so is one that runs when the command ends', async (t) => {
    const programs = helperPrograms(t);
    const pipe = programs.pipe();
    programs.add('slow', `exec 3> '${pipe.path}'; echo started >&3; sleep 600`);
    const { ask, helpers } = open(t, programs);
    const asked = faultOf(ask('slow'));
    while (programs.calls().length === 0) await new Promise(setImmediate);
    helpers.close();
    assert.match((await asked).message, /: it was stopped$/);
    await pipe.ended;
  });

  test('one that does not read its input answers all the same', async (t) => {
    const programs = helperPrograms(t);
    const path = join(programs.folder, 'bin', 'docker-credential-deaf');
    writeFileSync(path, `#!/bin/sh\nexec <&-\n${answering('me', 's').replace(' "$server"', ' x')}\n`);
    chmodSync(path, 0o755);
    assert.equal(await open(t, programs).shown('deaf', 'x'.repeat(200_000)), 'me/s');
  });

  test('a name with a path, and one that no program has, start nothing', async (t) => {
    const programs = helperPrograms(t);
    programs.add('evil', answering('me', 's'));
    mkdirSync(join(programs.folder, 'bin', 'docker-credential-sub'));
    const { ask } = open(t, programs);
    const message = async (name: string): Promise<RegistryError> => faultOf(ask(name));
    for (const name of [
      ...[
        '../evil',
        'x/../../bin/docker-credential-evil',
        '/bin/sh',
        'sub/evil',
        '..\\evil',
        '',
        '.',
        '-x',
        ' evil',
      ],
      ...['evil ', 'evil\n', 'evil\0', 'evil;id', '$(id)', 'ev\u00edl', 'e'.repeat(65), '\u001b[31mevil'],
    ])
      assert.match(
        (await message(name)).message,
        /^\/home\/me\/\.docker\/config\.json names a credential helper for gcr\.io that is not the name of a program$/,
        name,
      );
    assert.match(
      (await message('gone')).message,
      /^docker-credential-gone, which \/home\/me\/\.docker\/config\.json names for gcr\.io, is not on the PATH$/,
    );
    assert.match((await message('sub')).message, /is not on the PATH$/, 'a folder is no program');
    assert.deepEqual(programs.calls(), []);
  });

  test('only folders that the PATH names in full are looked in', async (t) => {
    const programs = helperPrograms(t);
    programs.add('here', answering('me', 's'));
    for (const PATH of ['', '.', 'bin', ':', '::', './bin'])
      assert.match(
        (await faultOf(open(t, programs, { env: { PATH } }).ask('here'))).message,
        /not on the PATH$/,
        PATH,
      );
    assert.deepEqual(programs.calls(), []);
  });
});
