import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import { TreeError } from './tree-error.ts';

/** MAX_NOTE bounds a note in characters: a hundred signatures of the largest kind fit. */
export const MAX_NOTE = 1024 * 1024;
/** The specification asks for 16 at least. */
const MAX_SIGNATURES = 256;
/** The signature type of Ed25519 over the text of the note. */
const ED25519 = 0x01;
/** What stands before the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
/** Em dash and space, which begin a signature line. */
const DASH = '\u2014 ';
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/; // eslint-disable-line no-control-regex
const NAME = /^[^\s+\p{White_Space}]+$/u;

/** NoteSignature is one signature line: whose, by name and id of the key, and its bytes. */
export interface NoteSignature {
  readonly name: string;
  /** Eight hex digits. */
  readonly keyId: string;
  readonly signature: Buffer;
}

/** Note is a signed note (c2sp.org/signed-note) as it stands; nothing of it is verified yet. */
export interface Note {
  /** What is signed, with its last newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** NoteKey is a key that signs notes, as a verifier knows it. */
export interface NoteKey {
  readonly name: string;
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** `name+id+base64`: how a verifier is told the key. */
  readonly vkey: string;
}

/** NoteSigner signs in the name of a key. */
export interface NoteSigner extends NoteKey {
  sign(text: string): NoteSignature;
}

/** parseNote reads a signed note. Throws TreeError `format`. */
export function parseNote(note: string): Note {
  if (note.length > MAX_NOTE) throw fault('it is longer than any signed note');
  if (!note.isWellFormed()) throw fault('it is not valid UTF-8');
  if (CONTROL.test(note)) throw fault('it holds a control character');
  const end = note.lastIndexOf('\n\n');
  if (end === -1) throw fault('an empty line between the text and its signatures is missing');
  if (!note.endsWith('\n')) throw fault('its last line does not end in a newline');
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw fault(`it has more than ${MAX_SIGNATURES} signatures`);
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) };
}

function parseSignature(line: string): NoteSignature {
  if (line === '') throw fault('it has no signature');
  const [name = '', encoded = '', ...more] = line.startsWith(DASH) ? line.slice(DASH.length).split(' ') : [];
  const bytes = Buffer.from(encoded, 'base64');
  if (!NAME.test(name) || more.length > 0 || bytes.length < 5 || bytes.toString('base64') !== encoded)
    throw fault('a line below the empty line cannot be read as a signature');
  return { name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
}

/** writeNote joins a text, which ends in a newline, with its signatures. */
export function writeNote(text: string, signatures: readonly NoteSignature[]): string {
  const lines = signatures.map(
    ({ name, keyId, signature }) =>
      `${DASH}${name} ${Buffer.concat([Buffer.from(keyId, 'hex'), signature]).toString('base64')}\n`,
  );
  return `${text}\n${lines.join('')}`;
}

/**
 * verifyNote gives the keys, of those that are known, whose signature holds. Signatures of other keys are ignored, also when
 * they share the name or the id of a known one. Throws TreeError `integrity` when a known key's signature fails, or when no
 * known key signed.
 */
export function verifyNote(note: Note, keys: readonly NoteKey[]): readonly NoteKey[] {
  const good = new Set<NoteKey>();
  for (const { name, keyId, signature } of note.signatures) {
    const key = keys.find((known) => known.name === name && known.keyId === keyId);
    if (key === undefined) continue;
    if (!verifySignature(key.publicKey, Buffer.from(note.text), signature)) {
      throw new TreeError(
        'integrity',
        `the signature of ${name} (key ${keyId}) does not belong to this text`,
      );
    }
    good.add(key);
  }
  if (good.size === 0) {
    const by = [...new Set(note.signatures.map(({ name, keyId }) => `${name} (key ${keyId})`))];
    const known = keys.map(({ name, keyId }) => `${name} (key ${keyId})`);
    throw new TreeError(
      'integrity',
      `the note is not signed by ${known.length === 0 ? 'any known key' : known.join(' or ')}; it is signed by ${by.slice(0, 4).join(', ')}`,
    );
  }
  return [...good];
}

/** verifySignature holds an Ed25519 signature against a message (RFC 8032); bytes that are not a signature never verify. */
export function verifySignature(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  return signature.length === 64 && verify(null, message, key, signature);
}

/** isKeyName tells whether a text can name a key: not empty, without spaces and plus signs. */
function isKeyName(name: string): boolean {
  return NAME.test(name) && !CONTROL.test(name) && name.isWellFormed();
}

/** toNoteKey names the 32 bytes of an Ed25519 public key. Throws TreeError `format` for a name that none can have. */
export function toNoteKey(name: string, raw: Uint8Array): NoteKey {
  if (!isKeyName(name))
    throw new TreeError('format', 'the name of a key is empty, or holds a space or a plus sign');
  const encoded = Buffer.concat([Buffer.of(ED25519), raw]);
  const keyId = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), encoded]), 'hex').slice(0, 8);
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
  return { name, keyId, publicKey, vkey: `${name}+${keyId}+${encoded.toString('base64')}` };
}

/** parseVkey reads a verifier's key, `name+id+base64`. Throws TreeError `format`. */
export function parseVkey(text: string): NoteKey {
  const [name = '', keyId = '', ...rest] = text.trim().split('+');
  const encoded = rest.join('+'); // base64 has plus signs of its own
  const bytes = Buffer.from(encoded, 'base64');
  if (!isKeyName(name) || !/^[0-9a-f]{8}$/.test(keyId) || bytes.toString('base64') !== encoded) {
    throw new TreeError('format', 'not a valid verifier key', { hint: VKEY_HINT });
  }
  if (bytes.length !== 33 || bytes[0] !== ED25519) {
    throw new TreeError('format', `the verifier key of ${name} is of a kind that ipo does not know`, {
      hint: 'A ledger signs with Ed25519 (type 0x01)',
    });
  }
  const key = toNoteKey(name, bytes.subarray(1));
  if (key.keyId !== keyId) {
    throw new TreeError('format', `the verifier key of ${name} does not match its id ${keyId}`, {
      hint: VKEY_HINT,
    });
  }
  return key;
}

/** VKEY_HINT is what a verifier's key looks like. */
export const VKEY_HINT = 'Copy it whole, as ipo prints it: NAME+8 hex digits+base64';

/** toSigner makes a signer of an Ed25519 private key in PKCS#8 PEM. Throws TreeError `format`, which repeats nothing of it. */
export function toSigner(name: string, pem: string): NoteSigner {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw new TreeError('format', 'the key of the ledger is not a private key in PKCS#8 PEM', { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new TreeError('format', 'the key of the ledger is not an Ed25519 key');
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
  const known = toNoteKey(name, raw);
  return {
    ...known,
    sign: (text) => ({ name, keyId: known.keyId, signature: sign(null, Buffer.from(text), key) }),
  };
}

function fault(what: string): TreeError {
  return new TreeError('format', `not a valid signed note: ${what}`);
}
