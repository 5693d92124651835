import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMail } from '../../../src/adapters/messengers/index.ts';
import { withoutOpenssl } from '../../app/certificate.ts';
import { messageOf } from '../../notify/messages.ts';
import { fault, optionsFor, PASSWORD, post } from './mail-server.ts';

test(
  'a mail server takes the mail with STARTTLS and sign-in, and reads back what was meant',
  { skip: withoutOpenssl },
  async (t) => {
    const { port, mails, recipients, ca } = await post(t);
    const messenger = openMail(optionsFor(port, { ca: [ca] }));
    await messenger.check();
    assert.equal(mails.length, 0, 'a check sends nothing');
    const first = messageOf('critical_finding');
    assert.match(await messenger.send(first), /^250 /);
    await messenger.send({ ...messageOf('finding_resolved'), references: [first.id] });
    const [mail, second] = mails;
    assert.equal(mail?.subject, first.title);
    assert.equal(mail.messageId, `<${first.id}@example.com>`);
    assert.deepEqual(recipients[0], ['ops@example.com', 'desk@example.com']);
    assert.deepEqual(
      mail.from?.value.map(({ address }) => address),
      ['ipo@example.com'],
    );
    assert.equal(mail.headers.get('auto-submitted'), 'auto-generated');
    for (const part of [mail.text, mail.html])
      assert.ok(
        typeof part === 'string' && part.includes('CVE-2026-0001') && part.includes('ipo images show'),
        String(part),
      );
    assert.equal(mail.attachments.length, 0);
    assert.deepEqual(second?.references, mail.messageId);
    assert.equal(second?.inReplyTo, mail.messageId);
  },
);

test(
  'without STARTTLS, with another name or an unknown authority nothing is sent',
  { skip: withoutOpenssl },
  async (t) => {
    const plain = await post(t, { disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const none = await fault(openMail(optionsFor(plain.port)).send(messageOf('nodes_over')));
    assert.match(none.message, /127\.0\.0\.1:\d+ does not offer STARTTLS/);
    assert.match(none.hint ?? '', /587.*security: tls/);
    assert.equal(none.fault, 'later');
    const { port, mails, ca } = await post(t);
    const unknown = await fault(openMail(optionsFor(port)).send(messageOf('nodes_over')));
    assert.match(unknown.message, /a certificate that no trusted authority signed/);
    const named = optionsFor(port, {
      ca: [ca],
      settings: { host: 'mail.example.com' },
      resolve: async () => ['127.0.0.1'],
      rules: { testLoopback: true, privateNetworks: 'allow', denied: [] },
    });
    const wrapped = await fault(openMail(optionsFor(port, { settings: { security: 'tls' } })).check());
    assert.match(wrapped.message, /does not speak TLS from the first byte on that port$/);
    assert.match(wrapped.hint ?? '', /security: starttls/);
    const other = await fault(openMail(named).send(messageOf('nodes_over')));
    assert.match(other.message, /a certificate for another name/);
    assert.deepEqual([plain.mails, mails], [[], []]);
  },
);

test(
  'a password that is wrong is said without it, and is tried again',
  { skip: withoutOpenssl },
  async (t) => {
    const { port, ca } = await post(t);
    const wrong = optionsFor(port, { ca: [ca], settings: { password: `${PASSWORD}x` } });
    const error = await fault(openMail(wrong).check());
    assert.match(error.message, /does not accept the user name and password: 535/);
    assert.equal(error.fault, 'later');
    assert.match(error.hint ?? '', /--ask-credential/);
  },
);

for (const [code, expected] of [
  [421, 'later'],
  [451, 'later'],
  [450, 'later'],
  [530, 'later'],
  [552, 'refused'],
  [554, 'refused'],
] as const)
  test(`an answer of ${code} to a mail is ${expected}`, { skip: withoutOpenssl }, async (t) => {
    const { port, ca } = await post(t, {
      onData: (stream, _session, callback) => {
        stream.resume();
        stream.on('end', () => callback(Object.assign(new Error('not this one'), { responseCode: code })));
      },
    });
    const error = await fault(openMail(optionsFor(port, { ca: [ca] })).send(messageOf('nodes_over')));
    assert.equal(error.fault, expected, error.message);
    assert.match(error.message, new RegExp(`answers ${code}`));
  });

test(
  'one recipient that is refused keeps the mail from none of the others, and is named',
  { skip: withoutOpenssl },
  async (t) => {
    const { port, ca, recipients } = await post(t, {
      onRcptTo: ({ address }, _session, callback) =>
        callback(
          address.startsWith('desk') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null,
        ),
    });
    assert.match(
      await openMail(optionsFor(port, { ca: [ca] })).send(messageOf('nodes_over')),
      /refused for desk@example\.com$/,
    );
    assert.deepEqual(recipients, [['ops@example.com']]);
  },
);

test('an address that is never called is not called, whatever name leads to it', async () => {
  for (const [host, address] of [
    ['mail.example.com', '169.254.169.254'],
    ['mail.example.com', '127.0.0.1'],
    ['169.254.169.254', ''],
  ] as const) {
    const error = await fault(
      openMail(optionsFor(25, { settings: { host }, resolve: async () => [address] })).send(
        messageOf('nodes_over'),
      ),
    );
    assert.equal(error.fault, 'refused');
    assert.match(error.message, /it is not called/);
  }
});

test(
  'an address that cannot be reached is passed over for the next one of the same server',
  { skip: withoutOpenssl },
  async (t) => {
    const { port, mails } = await post(t, { disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const at = (...addresses: string[]) =>
      openMail(
        optionsFor(port, {
          settings: { host: 'localhost', security: 'none' },
          resolve: async () => addresses,
        }),
      );
    // Nobody listens on the first.
    const messenger = at('127.0.0.2', '127.0.0.1');
    await messenger.check();
    await messenger.send(messageOf('nodes_over'));
    assert.equal(mails.length, 1);
    const none = await fault(at('127.0.0.2').send(messageOf('nodes_over')));
    assert.match(none.message, /cannot be reached|refuses connections|cut the connection/);
  },
);

test('a process that leads no more sends nothing', async () => {
  const error = await fault(openMail(optionsFor(9, { guard: () => false })).send(messageOf('nodes_over')));
  assert.equal(error.fault, 'stopped');
});
