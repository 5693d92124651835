import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import { PASSWORD, post } from '../adapters/messengers/mail-server.ts';
import {
  makePair,
  PASSWORD as PROXY_PASSWORD,
  startProxy,
  startTarget,
  type ConnectProxy,
} from '../adapters/proxy/connect-proxy.ts';
import type { Ran } from '../accounts/cli.ts';
import { withoutOpenssl } from '../app/certificate.ts';
import { scratchDirectory } from '../app/running.ts';
import { setup, setupShell } from './served-setup.ts';

const MAIL = ['email', '--from', 'ipo@example.com', '--to', 'ops@example.com', '--username', 'ipo'];

suite('the variables of a service say how setup leaves this machine', { skip: withoutOpenssl }, () => {
  const pair = withoutOpenssl === false ? makePair() : { cert: '', key: '' };

  /** A mail server behind a proxy that asks for a password, and who sets it up. */
  const behind = async (t: TestContext, options: SMTPServerOptions = {}) => {
    const server = await post(t, { ...pair, ...options });
    const proxy = await startProxy(t, { 'mail.proxied.test:587': server.port }, { login: true });
    const caFile = join(scratchDirectory(t), 'ca.pem');
    writeFileSync(caFile, pair.cert);
    const { name, env } = variablesOf(proxy, caFile);
    const run = (variables: Readonly<Record<string, string>> = env, password = PASSWORD): Promise<Ran> => {
      const shell = setupShell(t);
      Object.assign(shell.env, variables);
      return setup(shell, password, ...MAIL, '--host', 'mail.proxied.test', '--print');
    };
    return { ...server, proxy, name, env, run };
  };

  test('mail is checked through the proxy, and trusted by the file of authorities', async (t) => {
    const { mails, proxy, name, run } = await behind(t);
    const { code, err } = await run();
    assert.equal(code, 0, err);
    const said = new RegExp(
      `^ok +mail\\.proxied\\.test:587 accepts sender and recipients with STARTTLS through the proxy ${name}; no\\s+mail was sent`,
    );
    assert.match(err, said);
    assert.deepEqual([proxy.targets, mails], [['mail.proxied.test:587'], []]);
    assert.ok(!err.includes('canary'));
  });

  test('what the mail server refuses there is said as of any other', async (t) => {
    const { run } = await behind(t);
    const wrong = await run(undefined, 'of-another');
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /wrong +mail\.proxied\.test:587 does not accept the user name and password/);
  });

  test('a server without STARTTLS is found behind a proxy too', async (t) => {
    const { run } = await behind(t, { disabledCommands: ['STARTTLS'] });
    const plain = await run();
    assert.equal(plain.code, 1);
    assert.match(plain.err, /does not offer STARTTLS[\s\S]*mostly 587/);
  });

  test('an authority that is not trusted names the setting, and its variable here', async (t) => {
    const { env, run } = await behind(t);
    const { IPO_OUTBOUND_CA_FILE: _, ...untrusting } = env;
    const { code, err } = await run(untrusting);
    assert.equal(code, 1);
    assert.match(err, /has a certificate that no trusted authority\s+signed/);
    assert.match(err, /outbound\.caFile\s+\(here\s+IPO_OUTBOUND_CA_FILE\)/);
  });

  test('a proxy that denies it is named with what to do, and its password is not', async (t) => {
    const { proxy, name, run } = await behind(t);
    proxy.status = 403;
    const { code, err } = await run();
    assert.equal(code, 1);
    assert.match(err.replaceAll(/\s+/g, ' '), new RegExp(`the proxy ${name} denies it \\(status 403\\)`));
    assert.match(err, /outbound\.noProxy\s+\(here\s+IPO_OUTBOUND_NO_PROXY\)/);
    assert.ok(!err.includes('canary'));
  });

  test('exceptions are called directly, and what cannot be reached so says what may be missing', async (t) => {
    const { proxy, env, run } = await behind(t);
    const { code, err } = await run({ ...env, IPO_OUTBOUND_NO_PROXY: '.proxied.test' });
    assert.equal(code, 1);
    assert.match(err, /mail\.proxied\.test (is not a known host|cannot be looked up now)/);
    assert.match(err.replaceAll(/\s+/g, ' '), /set outbound\.proxy \(here IPO_OUTBOUND_PROXY\)/);
    assert.deepEqual(proxy.targets, []);
  });

  test('a variable that cannot be read is named before anything is called', async (t) => {
    const { proxy, env, run } = await behind(t);
    const { code, err } = await run({ ...env, IPO_OUTBOUND_PROXY: `proxy:${PROXY_PASSWORD}` });
    assert.notEqual(code, 0);
    assert.match(err, /IPO_OUTBOUND_PROXY.*must be http:\/\/HOST:PORT/);
    assert.ok(!err.includes('canary'));
    assert.deepEqual(proxy.targets, []);
  });

  test('a tracker is read the same way', async (t) => {
    const target = await startTarget(t, pair, (_, response) => void response.writeHead(401).end('{}'));
    const proxy = await startProxy(t, { 'gitlab.proxied.test:443': target }, { login: true });
    const caFile = join(scratchDirectory(t), 'ca.pem');
    writeFileSync(caFile, pair.cert);
    const shell = setupShell(t);
    Object.assign(shell.env, variablesOf(proxy, caFile).env);
    const of = ['gitlab', '--url', 'https://gitlab.proxied.test/api/v4', '--project', 'a/b', '--print'];
    const { code, err } = await setup(shell, 'glpat-of-nobody-at-all-0', ...of);
    assert.equal(code, 1);
    assert.match(err, /wrong +.*(401|token)/);
    assert.ok(proxy.targets.length > 0);
    assert.deepEqual(new Set(proxy.targets), new Set(['gitlab.proxied.test:443']));
  });
});

function variablesOf({ address, port }: ConnectProxy, caFile: string) {
  return {
    name: `127\\.0\\.0\\.1:${port}`,
    env: { IPO_OUTBOUND_PROXY: address, IPO_OUTBOUND_CA_FILE: caFile },
  };
}
