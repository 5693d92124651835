import { wordsOf } from '../yaml-words.ts';

/** starterList writes names as the list below a field of the spec. */
export function starterList(entries: readonly string[]): string {
  return entries.length === 0 ? ' []' : entries.map((entry) => `\n  - ${starterScalar(entry)}`).join('');
}

/** starterScalar quotes a text where YAML, of whatever version, could read something else than the text. */
export function starterScalar(text: string): string {
  const plain =
    /^[a-z][a-z0-9./_-]*(:[0-9]+)?([a-z0-9./_-]*)$/i.test(text) &&
    wordsOf(text, text) === null &&
    !/^(true|false|null)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
