import { printable, type Secret } from '../../base/index.ts';

const REDACTED = '[redacted]';

/** What looks like a credential of one of the providers, whosever it is. */
const CREDENTIAL_LIKE =
  /\b(?:gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{10,}|ATATT[\w=-]{10,}|(?:basic|bearer|token)\s+[\w+/=.~-]{12,})/gi;

/** A credential can come back in any of these coats. */
function coats(value: string): string[] {
  const base64 = Buffer.from(value, 'utf8').toString('base64');
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    base64,
    base64.replace(/=+$/, ''),
    base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    Buffer.from(value, 'utf8').toString('hex'),
  ];
}

/** openRedactor makes a function that takes the secrets, as they are and encoded, and whatever looks like one, out of a text. */
export function openRedactor(secrets: readonly Secret[]): (text: string) => string {
  const known = [...new Set(secrets.flatMap((secret) => coats(secret.reveal())))]
    .filter((value) => value !== '')
    .toSorted((a, b) => b.length - a.length);
  return (text) =>
    known
      .reduce((left, value) => left.replaceAll(value, REDACTED), text)
      .replaceAll(CREDENTIAL_LIKE, REDACTED);
}

/** toSaid makes what a provider said fit for one line of a sentence: redacted, printable, cut. */
export function toSaid(text: string, redact: (text: string) => string): string {
  return printable(redact(text.slice(0, 4096)).replaceAll(/\s+/g, ' ').trim(), 300);
}
