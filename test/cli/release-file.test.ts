import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { envelopeOver, IDENTITY, ISSUER, OwnSigstore, rekord } from '../supply-chain/verify-own-sigstore.ts';
import { ipo } from './fake-terminal.ts';

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const OLDER = 'application/vnd.dev.sigstore.bundle+json;version=0.1';
const hex = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Downloads is a folder as somebody downloads a release: a file, its sums, and what signs them. */
class Downloads {
  readonly folder: string;
  readonly key: KeyObject;
  readonly #sigstore = new OwnSigstore();
  #sums = '';

  constructor(t: TestContext) {
    this.folder = mkdtempSync(join(tmpdir(), 'ipo-release-file-'));
    t.after(() => rmSync(this.folder, { recursive: true }));
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.key = privateKey;
    this.write('key.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());
    this.write(
      'other.pem',
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    );
    this.write('root.json', JSON.stringify(this.#sigstore.document()));
    this.write('ipo.tar.gz', 'the program');
    this.sum(`${hex('the program')}  ipo.tar.gz\n${hex('another')}  other.txt\n`);
    this.signKeyed();
    this.signKeyless();
    this.attest();
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  sum(text: string): void {
    this.#sums = text;
    this.write('SHA256SUMS', text);
  }

  signKeyed(): void {
    this.#bundle('key', BUNDLE, { publicKey: { hint: 'x' } }, this.#message(this.key));
  }

  signKeyless(): void {
    const { pem, der, key } = this.#sigstore.leaf();
    const message = this.#message(key);
    const signature = Buffer.from(message.messageSignature.signature, 'base64');
    const { SignedEntryTimestamp, Payload } = JSON.parse(
      this.#sigstore.entry(rekord(Buffer.from(this.#sums), signature, pem)),
    );
    const entry = {
      logIndex: String(Payload.logIndex),
      logId: { keyId: Buffer.from(Payload.logID, 'hex').toString('base64') },
      kindVersion: { kind: 'hashedrekord', version: '0.0.1' },
      integratedTime: String(Payload.integratedTime),
      inclusionPromise: { signedEntryTimestamp: SignedEntryTimestamp },
      canonicalizedBody: Payload.body,
    };
    const certificates = [{ rawBytes: der.toString('base64') }];
    this.#bundle('keyless', OLDER, { x509CertificateChain: { certificates }, tlogEntries: [entry] }, message);
  }

  attest(digest = hex(this.#sums)): void {
    const statement = {
      ...{ _type: 'https://in-toto.io/Statement/v1', predicateType: 'https://slsa.dev/provenance/v1' },
      subject: [{ name: 'SHA256SUMS', digest: { sha256: digest } }],
      predicate: { buildDefinition: {}, runDetails: { builder: { id: 'https://build.example' } } },
    };
    const { signatures, ...envelope } = JSON.parse(
      envelopeOver(Buffer.from(JSON.stringify(statement)), this.key).toString(),
    );
    const dsseEnvelope = { ...envelope, signatures: signatures.map(({ sig }: { sig: string }) => ({ sig })) };
    this.#bundle('provenance.key', BUNDLE, { publicKey: { hint: 'x' } }, { dsseEnvelope });
  }

  async verify(...flags: readonly string[]) {
    const ran = await ipo(
      [
        ...['release', 'verify', join(this.folder, 'ipo.tar.gz'), '-o', 'json'],
        ...['--trust-root', join(this.folder, 'root.json'), ...flags],
      ],
      { env: { HOME: this.folder } },
    );
    const checks =
      ran.out === '' ? [] : (JSON.parse(ran.out) as { checks: { check: string; state: string }[] }).checks;
    return { ...ran, states: Object.fromEntries(checks.map(({ check, state }) => [check, state])) };
  }

  get signers(): readonly string[] {
    return ['--key', join(this.folder, 'key.pem'), '--identity', IDENTITY, '--issuer', ISSUER];
  }

  #message(key: KeyObject) {
    const digest = Buffer.from(hex(this.#sums), 'hex').toString('base64');
    return {
      messageSignature: {
        messageDigest: { algorithm: 'SHA2_256', digest },
        signature: sign('sha256', Buffer.from(this.#sums), key).toString('base64'),
      },
    };
  }

  #bundle(name: string, mediaType: string, verificationMaterial: object, content: object): void {
    this.write(
      `SHA256SUMS.${name}.sigstore.json`,
      JSON.stringify({ mediaType, verificationMaterial, ...content }),
    );
  }
}

const OK = { sum: 'ok', keyed_signature: 'ok', keyless_signature: 'ok', provenance: 'ok' };

test('a file verifies by the signed sums beside it', async (t) => {
  const downloads = new Downloads(t);
  const good = await downloads.verify(...downloads.signers);
  assert.deepEqual([good.code, good.states], [0, OK], good.err);
  const alone = await downloads.verify('--key', join(downloads.folder, 'key.pem'));
  assert.deepEqual([alone.code, alone.states['keyless_signature']], [0, 'unvouched']);
});

test('a changed file, changed sums and another signer exit 4, each by its own check', async (t) => {
  const downloads = new Downloads(t);
  const fails = async (state: object, ...flags: readonly string[]): Promise<void> => {
    const { code, states } = await downloads.verify(...(flags.length === 0 ? downloads.signers : flags));
    assert.deepEqual([code, states], [4, { ...OK, ...state }]);
  };
  await fails(
    { keyed_signature: 'failed', provenance: 'failed' },
    ...['--key', join(downloads.folder, 'other.pem'), '--identity', IDENTITY, '--issuer', ISSUER],
  );
  await fails(
    { keyless_signature: 'failed' },
    ...['--key', join(downloads.folder, 'key.pem'), '--identity', `${IDENTITY}0`, '--issuer', ISSUER],
  );
  downloads.write('ipo.tar.gz', 'another program');
  await fails({ sum: 'failed' });
  // The sum follows the file, but nobody signed it.
  const forged = `${hex('another program')}  ipo.tar.gz\n`;
  downloads.write('SHA256SUMS', forged);
  await fails({ keyed_signature: 'failed', keyless_signature: 'failed', provenance: 'failed' });
  // A provenance of other sums is none of these.
  downloads.sum(forged);
  downloads.signKeyed();
  downloads.signKeyless();
  await fails({ provenance: 'failed' });
  downloads.attest();
  assert.equal((await downloads.verify(...downloads.signers)).code, 0);
  downloads.sum(`${hex('x')}  else.tar.gz\n`);
  downloads.signKeyed();
  downloads.signKeyless();
  downloads.attest();
  await fails({ sum: 'failed' });
});

test('a list that is none, two sums for one file and a file that is not there are said as such', async (t) => {
  const downloads = new Downloads(t);
  downloads.write('SHA256SUMS', 'hello\n');
  const none = await downloads.verify(...downloads.signers);
  assert.equal(none.code, 2);
  assert.match(none.err, /SHA256SUMS is not a list of sums/);
  downloads.write('SHA256SUMS', `${hex('a')}  ipo.tar.gz\n${hex('b')}  ipo.tar.gz\n`);
  assert.match((await downloads.verify(...downloads.signers)).err, /has two sums for ipo\.tar\.gz/);
  rmSync(join(downloads.folder, 'SHA256SUMS'));
  const gone = await downloads.verify(...downloads.signers);
  assert.equal(gone.code, 3);
  assert.match(gone.err, /SHA256SUMS: no such file/);
  const absent = await ipo(['release', 'verify', './nowhere.tar.gz', ...downloads.signers]);
  assert.equal(absent.code, 3);
  assert.match(absent.err, /nowhere\.tar\.gz: no such file/);
});

test('a list elsewhere is named, and a bundle that is damaged counts for nothing', async (t) => {
  const downloads = new Downloads(t);
  downloads.write('SHA256SUMS.key.sigstore.json', '{}');
  const { code, states, err } = await downloads.verify(
    ...downloads.signers,
    ...['--sums', join(downloads.folder, 'SHA256SUMS')],
  );
  assert.deepEqual([code, states['keyed_signature']], [4, 'failed']);
  assert.match(err, /SHA256SUMS\.key\.sigstore\.json: /);
});
