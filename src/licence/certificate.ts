import { z } from 'zod';
import { canonicalJson, parseTime } from '../base/index.ts';
import {
  parseNote,
  TreeError,
  verifyNote,
  writeNote,
  type NoteKey,
  type NoteSigner,
} from '../ledger/index.ts';
import { LicenceError } from './error.ts';

/** The first line of the text that is signed. */
const FORMAT = 'ipo-licence-1';
/** MAX_CERTIFICATE bounds a certificate in characters. */
export const MAX_CERTIFICATE = 16 * 1024;

const word = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const ceiling = z.int().min(0).max(1_000_000_000).nullable();
const moment = z.string().refine((text) => !Number.isNaN(parseTime(text)));

const certificateSchema = z.strictObject({
  id: word,
  customer: z.string().min(1).max(200),
  key_id: word,
  cluster_id: word,
  ceiling: z.strictObject({ nodes: ceiling.optional(), image_names: ceiling, clusters: ceiling }),
  issued_at: moment,
  not_after: moment.nullable(),
  request_id: word.optional(),
});

/** CertificateBody is what a certificate says; a ceiling that is null is none. `nodes` is left out before release 1.3.0. */
export type CertificateBody = z.infer<typeof certificateSchema>;

/** Certificate is one whose signature was verified. */
export interface Certificate {
  readonly body: CertificateBody;
  /** The note, as it was given. */
  readonly text: string;
  /** Name of the key that signed. */
  readonly signedBy: string;
  /** Milliseconds; null for one that does not end. */
  readonly notAfter: number | null;
}

/** issueCertificate signs a certificate. Throws LicenceError `malformed` for a body that none can have. */
export function issueCertificate(body: CertificateBody, signer: NoteSigner): string {
  const parsed = certificateSchema.safeParse(body);
  if (!parsed.success) throw malformed(whatIsWrong(parsed.error));
  const text = `${FORMAT}\n${canonicalJson(parsed.data)}\n`;
  return writeNote(text, [signer.sign(text)]);
}

/**
 * openCertificate reads a certificate and verifies that one of the keys signed it. Throws LicenceError `malformed` or `not_signed`.
 */
export function openCertificate(text: string, keys: readonly NoteKey[]): Certificate {
  if (text.length > MAX_CERTIFICATE) throw malformed(`it is longer than ${MAX_CERTIFICATE} characters`);
  if (!text.startsWith(`${FORMAT}\n`)) throw malformed(`its first line is not ${FORMAT}`);
  try {
    const note = parseNote(text);
    const [signer] = verifyNote(note, keys);
    const body = readBody(note.text);
    return { body, text, signedBy: signer?.name ?? '', notAfter: endOf(body) };
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    if (error.code === 'format') throw malformed(error.message, error);
    throw new LicenceError('not_signed', 'certificate is not signed by a key of licence.publicKeys', error);
  }
}

/** readUnverified reads what a certificate says without asking who signed it; null when it cannot be read. Only for showing. */
export function readUnverified(text: string): CertificateBody | null {
  try {
    return readBody(parseNote(text).text);
  } catch {
    return null;
  }
}

function readBody(text: string): CertificateBody {
  const [format, json = '', end, more] = text.split('\n');
  if (format !== FORMAT) throw malformed(`its first line is not ${FORMAT}`);
  if (end !== '' || more !== undefined) throw malformed('it has more than one line of content');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw malformed('its content is not JSON', cause);
  }
  const parsed = certificateSchema.safeParse(value);
  if (!parsed.success) throw malformed(whatIsWrong(parsed.error));
  // Two readers of one text must read the same: no key twice, no other spelling of a number.
  if (canonicalJson(parsed.data) !== json) throw malformed('its content is not canonical JSON');
  return parsed.data;
}

function endOf({ not_after }: CertificateBody): number | null {
  return not_after === null ? null : parseTime(not_after);
}

function whatIsWrong(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'its content'}: ${issue?.message ?? 'is not valid'}`;
}

function malformed(what: string, cause?: unknown): LicenceError {
  return new LicenceError('malformed', `this is not a licence certificate: ${what}`, cause);
}
