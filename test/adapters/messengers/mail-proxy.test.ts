import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMail } from '../../../src/adapters/messengers/index.ts';
import type { EmailSettings } from '../../../src/channels/index.ts';
import { withoutOpenssl } from '../../app/certificate.ts';
import { messageOf } from '../../notify/messages.ts';
import { makePair, outboundBy, PASSWORD as PROXY_PASSWORD, startProxy } from '../proxy/connect-proxy.ts';
import { fault, optionsFor, post } from './mail-server.ts';

test(
  'through a proxy a mail server is named to it, signed in to and sent to over a tunnel, and what fails says so',
  { skip: withoutOpenssl },
  async (t) => {
    const pair = makePair();
    const { port, mails } = await post(t, pair);
    const tls = await post(t, { ...pair, secure: true });
    const proxy = await startProxy(
      t,
      { 'mail.proxied.test:587': port, 'mail.proxied.test:465': tls.port },
      { login: true },
    );
    const by = (
      more: Partial<EmailSettings> = {},
      noProxy: readonly string[] = [],
      address = proxy.address,
    ) =>
      openMail(
        optionsFor(587, {
          settings: { host: 'mail.proxied.test', ...more },
          resolve: async () => assert.fail('the proxy resolves names'),
          ca: [pair.cert],
          outbound: outboundBy(address, [], noProxy),
        }),
      );
    await by().check();
    assert.equal(mails.length, 0, 'a check sends nothing');
    assert.match(await by().send(messageOf('nodes_over')), /^250 /);
    assert.match(await by({ port: 465, security: 'tls' }).send(messageOf('nodes_over')), /^250 /);
    assert.deepEqual([mails.length, tls.mails.length], [1, 1]);
    assert.deepEqual(proxy.targets, [
      'mail.proxied.test:587',
      'mail.proxied.test:587',
      'mail.proxied.test:465',
    ]);
    // Exceptions and what is never called are as for other calls.
    const direct = openMail(
      optionsFor(port, {
        settings: { host: 'mail.proxied.test' },
        resolve: async () => ['127.0.0.1'],
        rules: { testLoopback: true, privateNetworks: 'allow', denied: [] },
        ca: [pair.cert],
        outbound: outboundBy(proxy.address, [], ['.proxied.test']),
      }),
    );
    assert.match(await direct.send(messageOf('nodes_over')), /^250 /);
    const metadata = await fault(by({ host: '169.254.169.254' }).send(messageOf('nodes_over')));
    assert.equal(metadata.fault, 'refused');
    assert.equal(proxy.targets.length, 3);
    proxy.status = 403;
    const denied = await fault(by().send(messageOf('nodes_over')));
    assert.equal(denied.fault, 'later');
    assert.match(
      denied.message,
      /^mail\.proxied\.test:587 cannot be reached: the proxy .* denies it \(status 403\)/,
    );
    assert.match(denied.hint ?? '', /noProxy/);
    assert.ok(!`${denied.message}${denied.hint}`.includes(PROXY_PASSWORD));
    const away = await fault(by({}, [], 'http://127.0.0.1:9').send(messageOf('nodes_over')));
    assert.match(away.message, /the proxy .* refuses connections/);
    assert.deepEqual([mails.length, tls.mails.length], [2, 1]);
  },
);

test('TLS behind a proxy is for the name of the mail server', { skip: withoutOpenssl }, async (t) => {
  const pair = makePair();
  const { port, mails } = await post(t, pair);
  const proxy = await startProxy(t, { 'mail.other.test:587': port });
  const other = openMail(
    optionsFor(587, {
      settings: { host: 'mail.other.test' },
      ca: [pair.cert],
      outbound: outboundBy(proxy.address),
    }),
  );
  const error = await fault(other.send(messageOf('nodes_over')));
  assert.match(error.message, /has a certificate for another name/);
  assert.deepEqual(mails, []);
});
