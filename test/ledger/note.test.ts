import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { isIpoError } from '../../src/base/index.ts';
import {
  checkpointText,
  openCheckpoint,
  parseCheckpointText,
  signCheckpoint,
} from '../../src/ledger/checkpoint.ts';
import { hashLeaf } from '../../src/ledger/merkle.ts';
import {
  parseNote,
  parseVkey,
  toNoteKey,
  toSigner,
  verifyNote,
  verifySignature,
  writeNote,
  type NoteSigner,
} from '../../src/ledger/note.ts';
import { runs } from '../runs.ts';

/** makeSigner makes a key in the name of a log. */
function makeSigner(name = 'ipo.example/ledger/1'): NoteSigner {
  const { privateKey } = generateKeyPairSync('ed25519');
  return toSigner(name, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
}

/** The code of the expected fault that an act ends in. */
function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isIpoError(error)) return error.code;
    throw error;
  }
  return 'none';
}

const signer = makeSigner();
const TEXT = 'ipo.example/ledger/1\n7\nsFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=\n';

/** The note that the documentation of Go's sumdb/note signs, and its key. */
const KNOWN_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const KNOWN_NOTE =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
  '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

test('a note that another program signed is verified, and its key is written as it was', () => {
  const key = parseVkey(KNOWN_KEY);
  assert.deepEqual(verifyNote(parseNote(KNOWN_NOTE), [signer, key]), [key]);
  assert.equal(key.vkey, KNOWN_KEY);
  assert.equal(
    codeOf(() => verifyNote(parseNote(KNOWN_NOTE.replace("don't", 'do')), [key])),
    'integrity',
  );
});

test('a signed note is read back and verified; its text may hold empty lines', () => {
  for (const text of [TEXT, 'a\n\nb\n', 'ünï\n\n\n']) {
    const note = parseNote(writeNote(text, [signer.sign(text)]));
    assert.equal(note.text, text);
    assert.deepEqual(
      verifyNote(note, [parseVkey(signer.vkey)]).map(({ vkey }) => vkey),
      [signer.vkey],
    );
  }
});

test('signatures of unknown keys are ignored, also when they share the name or the id', () => {
  const other = makeSigner();
  const stranger = makeSigner('witness.example');
  const sameName = other.sign('another text\n');
  const sameId = { ...stranger.sign('another text\n'), keyId: signer.keyId };
  const signatures = [sameName, sameId, stranger.sign(TEXT), signer.sign(TEXT)];
  const note = parseNote(writeNote(TEXT, signatures));
  assert.equal(verifyNote(note, [signer]).length, 1);
  assert.equal(
    codeOf(() => verifyNote(note, [])),
    'integrity',
  );
  assert.equal(
    codeOf(() => verifyNote(note, [makeSigner()])),
    'integrity',
  );
});

test('a note is refused when a known key fails in it, though another known key holds', () => {
  const witness = makeSigner('witness.example');
  const bad = writeNote(TEXT, [signer.sign(TEXT), witness.sign('another text\n')]);
  assert.equal(verifyNote(parseNote(bad), [signer]).length, 1);
  assert.equal(
    codeOf(() => verifyNote(parseNote(bad), [signer, witness])),
    'integrity',
  );
  const twice = writeNote(TEXT, [signer.sign(TEXT), signer.sign('another text\n')]);
  assert.equal(
    codeOf(() => verifyNote(parseNote(twice), [signer])),
    'integrity',
  );
});

test('sixteen signatures and more are taken, without end they are not', () => {
  const many = (count: number) =>
    writeNote(
      TEXT,
      Array.from({ length: count }, (_, i) => ({ ...signer.sign(TEXT), name: `w${i}.example` })),
    );
  assert.equal(parseNote(many(200)).signatures.length, 200);
  assert.equal(
    codeOf(() => parseNote(many(300))),
    'format',
  );
  assert.equal(
    codeOf(() => parseNote('a'.repeat(2_000_000))),
    'format',
  );
});

test('an invalid signed note is refused', () => {
  const good = writeNote(TEXT, [signer.sign(TEXT)]);
  const [, line = ''] = good.split('\n\n');
  const damaged: Readonly<Record<string, string>> = {
    empty: '',
    'no signatures': TEXT,
    'an empty signature line': `${TEXT}\n\n`,
    'no last newline': good.slice(0, -1),
    'a tab': good.replace('7', '7\t'),
    'a carriage return': good.replaceAll('\n', '\r\n'),
    'half a surrogate pair': good.replace('7', '\ud800'),
    'a hyphen for the dash': good.replace('\u2014', '-'),
    'two spaces': `${TEXT}\n${line.replace('\u2014 ', '\u2014  ')}`,
    'a word behind': `${TEXT}\n${line.trimEnd()} more\n`,
    'a plus in the name': `${TEXT}\n${line.replace('ipo.', 'ipo+')}`,
    'no base64': `${TEXT}\n${line.replace(/.{6}\n$/, '!!!!!!\n')}`,
    'base64 of another spelling': `${TEXT}\n${line.replace(/=*\n$/, '\n')}`,
    'too short a signature': `${TEXT}\n\u2014 a.example AAAAAA==\n`,
  };
  for (const [what, note] of Object.entries(damaged))
    assert.equal(
      codeOf(() => parseNote(note)),
      'format',
      what,
    );
});

test('whatever bytes a note is made of, it is read or refused with a sentence', () => {
  const good = writeNote(TEXT, [signer.sign(TEXT)]);
  fc.assert(
    fc.property(
      fc.nat({ max: good.length }),
      fc.nat({ max: 3 }),
      fc.string({ unit: 'binary' }),
      (at, cut, text) => {
        const note = good.slice(0, at) + text + good.slice(at + cut);
        const code = codeOf(() => openCheckpoint(note, [signer]));
        assert.ok(
          note === good ? code === 'none' : code === 'format' || code === 'integrity',
          JSON.stringify(note),
        );
      },
    ),
    { numRuns: runs(1000) },
  );
});

test('a verifier key that was mistyped is refused', () => {
  const { vkey } = signer;
  for (const bad of [
    '',
    'name',
    'a b+00000000+AAAA',
    vkey.slice(0, -1),
    vkey.replace('ipo.', 'ip0.'),
    vkey.replace(/\+([0-9a-f])/, (_, digit: string) => `+${digit === '0' ? '1' : '0'}`),
    vkey.replace('+AY', '+Ag').replace('+AQ', '+Ag').replace('+AS', '+Ag'),
    `${vkey}AAAA`,
    'example.com+12345678+BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  ]) {
    if (bad !== vkey)
      assert.equal(
        codeOf(() => parseVkey(bad)),
        'format',
        bad,
      );
  }
  assert.equal(parseVkey(` ${vkey}\n`).vkey, vkey);
});

test('only an Ed25519 key in PEM signs, and a refusal repeats nothing of it', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  assert.equal(
    codeOf(() => toSigner('a.example', pem)),
    'format',
  );
  assert.throws(
    () => toSigner('a.example', 'secret-words'),
    (error: Error) => !error.message.includes('secret-words'),
  );
  assert.equal(
    codeOf(() => toNoteKey('a b', Buffer.alloc(32))),
    'format',
  );
});

suite('checkpoints', () => {
  const root = hashLeaf('row');
  const checkpoint = { origin: signer.name, size: 12, root, extensions: [] };

  test('are signed and opened; extension lines are kept', () => {
    for (const given of [checkpoint, { ...checkpoint, size: 0, extensions: ['more', '12 words'] }]) {
      assert.deepEqual(openCheckpoint(signCheckpoint(given, signer), [signer]), given);
      assert.deepEqual(parseCheckpointText(checkpointText(given)), given);
    }
  });

  test('of another log, or signed by another key, are refused', () => {
    const other = makeSigner();
    assert.equal(
      codeOf(() => openCheckpoint(signCheckpoint(checkpoint, other), [signer])),
      'integrity',
    );
    const foreign = signCheckpoint({ ...checkpoint, origin: 'other.example' }, signer);
    assert.equal(
      codeOf(() => openCheckpoint(foreign, [signer])),
      'integrity',
    );
  });

  test('have lines of only one form', () => {
    const lines = checkpointText(checkpoint);
    for (const [from, to] of [
      ['\n12\n', '\n012\n'],
      ['\n12\n', '\n-1\n'],
      ['\n12\n', '\n1e3\n'],
      ['\n12\n', '\n9007199254740993\n'],
      ['\n12\n', '\n\n'],
      ['\n12\n', '\n12 \n'],
      ['=\n', '\n'],
      ['=\n', '=\n\n'],
      ['=\n', '=\nmore\n\nmore\n'],
      [signer.name, ''],
    ] as const)
      assert.equal(
        codeOf(() => parseCheckpointText(lines.replace(from, to))),
        'format',
        to,
      );
  });
});

const WYCHEPROOF = new URL('../../../shared/data/wycheproof/ed25519_test.json', import.meta.url);
const skip = existsSync(WYCHEPROOF) ? false : 'ed25519_test.json of Wycheproof is not at hand';

test('every Ed25519 vector of Wycheproof is held or refused as it says', { skip }, () => {
  const { testGroups } = JSON.parse(readFileSync(WYCHEPROOF, 'utf8')) as {
    testGroups: {
      publicKey: { pk: string };
      tests: { tcId: number; comment: string; msg: string; sig: string; result: string }[];
    }[];
  };
  let count = 0;
  for (const { publicKey, tests } of testGroups) {
    const key = toNoteKey('wycheproof.example', Buffer.from(publicKey.pk, 'hex'));
    for (const { tcId, comment, msg, sig, result } of tests) {
      const holds = verifySignature(key.publicKey, Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex'));
      assert.equal(holds, result === 'valid', `${tcId} ${comment}`);
      count += 1;
    }
  }
  assert.equal(count, 151);
});
