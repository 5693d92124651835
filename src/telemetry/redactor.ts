import type { Secret } from '../base/index.ts';

/** Shorter texts are too short for a secret, and would blot out half of a log. */
const MIN_LENGTH = 6;

/**
 * Redactor takes secrets out of texts by their value, in each form that a program writes one: as it is, in JSON, in an address, as base64
 * (by itself, or after a name of basic authentication) and as hexadecimal digits.
 */
export class Redactor {
  readonly #forms = new Set<string>();
  #pattern: RegExp | null = null;

  add(secret: Secret): void {
    const value = secret.reveal();
    if (value.length < MIN_LENGTH) return;
    for (const form of formsOf(value)) this.#forms.add(form);
    // The longest first, so that no form leaves the rest of a longer one standing.
    const forms = [...this.#forms].toSorted((a, b) => b.length - a.length);
    this.#pattern = new RegExp(forms.map(quoted).join('|'), 'g');
  }

  clean(text: string): string {
    return this.#pattern === null ? text : text.replace(this.#pattern, '[redacted]');
  }
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value.toWellFormed());
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1), // JSON inside a text of JSON
    url,
    url.replaceAll('%20', '+'),
    bytes.toString('hex'),
    // Base64 of something that ends or holds the secret starts at one of three places in a group of four.
    ...[0, 1, 2].flatMap((shift) => inBase64(bytes, shift)),
  ].filter((form) => form.length >= MIN_LENGTH);
}

/** The digits of base64 that only a secret decides when `shift` bytes stand before its group. */
function inBase64(bytes: Buffer, shift: number): readonly string[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  const from = Math.ceil((shift * 8) / 6);
  const to = Math.floor(((shift + bytes.length) * 8) / 6);
  const digits = text.slice(from, to);
  return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
}

function quoted(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
