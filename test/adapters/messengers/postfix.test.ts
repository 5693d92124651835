import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { openMail, type MailOptions } from '../../../src/adapters/messengers/index.ts';
import { toMail } from '../../../src/adapters/markup/index.ts';
import type { EmailSettings } from '../../../src/channels/index.ts';
import { SendError, type Message } from '../../../src/notify/index.ts';
import { hostileMessage } from '../../notify/hostile-messages.ts';
import { SEEDS } from '../../notify/hostile-texts.ts';
import { EVERY, messageOf } from '../../notify/messages.ts';
import { LOGIN, startPostfix, withoutPostfix, type Postfix } from './postfix.ts';

function optionsFor({ port, ca }: Postfix, settings: Partial<EmailSettings> = {}): MailOptions {
  return {
    settings: {
      ...{ host: '127.0.0.1', port, security: 'starttls', ...LOGIN },
      ...{ from: 'ipo@example.com', to: ['ops@example.com'] },
      ...settings,
    },
    rules: { testLoopback: true, privateNetworks: 'allow', denied: [] },
    guard: () => true,
    ca: [ca],
  };
}

suite('Postfix', { skip: withoutPostfix }, () => {
  test('takes each mail with STARTTLS and a login, and mailparser reads what was meant', async (t) => {
    const server = await startPostfix(t);
    const messenger = openMail(optionsFor(server));
    await messenger.check();
    const hostile = SEEDS.filter((_, at) => at % 10 === 0).map((text, at): Message => ({
      ...hostileMessage(['critical_finding', 'ledger_broken'], text),
      id: `msg_${String(at).padStart(26, 'x')}`,
    }));
    const thread = {
      ...messageOf('finding_resolved'),
      id: `msg_${'t'.repeat(26)}`,
      references: ['msg_first', 'msg_second'],
    };
    const events = [...EVERY.values()].map((message, at) => ({
      ...message,
      id: `msg_${String(at).padStart(26, 'e')}`,
    }));
    const sent = new Map(
      [...events, ...hostile, thread].map((message) => [`<${message.id}@example.com>`, message]),
    );
    for (const message of sent.values()) assert.match(await messenger.send(message), /^250 2\.0\.0/);

    const mails = await server.delivered(sent.size);
    assert.equal(mails.length, sent.size, 'the check delivered nothing');
    for (const source of mails) {
      const mail = await simpleParser(source);
      const message = sent.get(mail.messageId ?? '');
      assert.ok(message, mail.messageId);
      sent.delete(mail.messageId ?? '');
      const meant = toMail(message);
      assert.equal(mail.subject, meant.subject);
      assert.equal(mail.text?.trimEnd(), meant.text.trimEnd());
      assert.equal(typeof mail.html === 'string' && mail.html.trimEnd(), meant.html.trimEnd());
      assert.equal(mail.from?.text, '"ipo" <ipo@example.com>');
      assert.deepEqual(
        [mail.to, mail.cc, mail.bcc].flat().map((one) => one?.text),
        ['ops@example.com', undefined, undefined],
      );
      assert.equal(mail.attachments.length, 0);
      assert.equal(mail.headers.get('auto-submitted'), 'auto-generated');
      assert.match(JSON.stringify(mail.headers.get('received')), /with ESMTPSA/, 'encrypted and signed in');
      const references = message.references.map((id) => `<${id}@example.com>`);
      assert.deepEqual([mail.references ?? []].flat(), references);
    }
  });

  test('refuses a wrong password and mail for others, and is not trusted without its authority', async (t) => {
    const server = await startPostfix(t);
    const faultOf = async (options: MailOptions): Promise<SendError> => {
      const error = await openMail(options)
        .send(messageOf('nodes_over'))
        .then(
          () => assert.fail('it was sent'),
          (thrown: unknown) => thrown,
        );
      assert.ok(error instanceof SendError, String(error));
      assert.ok(!error.message.includes(LOGIN.password));
      return error;
    };
    const password = await faultOf(optionsFor(server, { password: `${LOGIN.password}x` }));
    assert.match(password.message, /does not accept the user name and password: 535/);
    const anyone = await faultOf(optionsFor(server, { username: null, password: null }));
    assert.match(anyone.message, /answers 5\d\d/);
    const stranger = await faultOf(optionsFor(server, { to: ['ops@elsewhere.example'] }));
    assert.deepEqual(
      [stranger.fault, /answers 554 .*Relay access denied/.test(stranger.message)],
      ['refused', true],
      stranger.message,
    );
    const plain = await faultOf(optionsFor(server, { security: 'none' }));
    assert.deepEqual(
      [plain.fault, /answers 530 .*Must issue a STARTTLS command first/.test(plain.message)],
      ['later', true],
      plain.message,
    );
    const { ca, ...untrusted } = optionsFor(server);
    assert.ok(ca);
    assert.match((await faultOf(untrusted)).message, /no trusted authority signed/);
    // One that is fine is the only mail that arrives.
    await openMail(optionsFor(server)).send(messageOf('nodes_over'));
    assert.equal((await server.delivered(1)).length, 1);
  });
});
