import { printable } from '../base/index.ts';

/** Characters of a sentence that is kept and shown. */
const MAX_SENTENCE = 400;

/**
 * failureSentence makes a plain sentence of what a scanner or a registry said. It is shown to everyone who may read images, and stands in
 * events of the cluster: what addresses and headers can carry of secrets (queries of signed addresses, passwords of proxies, tokens) goes.
 */
export function failureSentence(text: string): string {
  const plain = text
    .replaceAll(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'@]{0,1000}@/gi, '$1')
    .replaceAll(/\b(https?:\/\/[^\s?#"']{1,2000})[?#][^\s"']*/gi, '$1')
    .replaceAll(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]')
    .replaceAll(/\b(authorization|password|passwd|token|secret)(["']?\s*[:=]\s*)\S+/gi, '$1$2[redacted]')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return printable(plain, MAX_SENTENCE);
}
