import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactAll } from '../../bin/doctor/redact.ts';

const redacted = (text: string, secrets: readonly string[] = []): string =>
  (redactAll({ message: text }, secrets) as { message: string }).message;

test('a report for others names no host, address or person, and the same one always by the same name', () => {
  for (const [text, shown] of [
    ['the registry registry.example.com:5000 is away', 'the registry host-1 is away'],
    ['a.example.com and b.example.com, then A.EXAMPLE.com', 'host-1 and host-2, then host-1'],
    ['10.0.0.7 passes calls on to 10.0.0.8:443', 'address-1 passes calls on to address-2'],
    ['fe80::1 and 2001:db8::7', 'address-1 and address-2'],
    ['mail to ops@example.com', 'mail to mail-1'],
    ['postgres://ipo:pass@db.example.com:5432/ipo', 'postgres://host-1/ipo'],
    ['/home/ada/ipo is open', '/home/user/ipo is open'],
    ['release 1.3.7 of ipo', 'release 1.3.7 of ipo'],
    ['set webhook.timeoutSeconds in values.yaml', 'set webhook.timeoutSeconds in values.yaml'],
    ['imagepolicies.ipo.dev is missing', 'imagepolicies.ipo.dev is missing'],
    [`sha256:${'0a'.repeat(32)}`, `sha256:${'0a'.repeat(32)}`],
    ['ended at 2026-11-20T12:00:00Z', 'ended at 2026-11-20T12:00:00Z'],
  ] as const)
    assert.equal(redacted(text), shown);
});

test('a report for others holds no secret, known or by its look', () => {
  const token = 'ipo_4f0a8c2e9b7d6a5f4e3d2c1b0a9f8e7d';
  assert.equal(redacted(`token ${token}`), 'token [redacted]');
  assert.equal(redacted('enc:v1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='), 'enc:v1:[redacted]');
  assert.equal(redacted('plain pass word', ['pass word']), 'plain [redacted]');
  assert.deepEqual(redactAll({ id: 'webhook.certificate', list: ['db.example.com', 3, null] }, []), {
    ...{ id: 'webhook.certificate', list: ['host-1', 3, null] },
  });
});
