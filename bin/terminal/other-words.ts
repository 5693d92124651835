/** What people call what a command does: words of one line mean the same or nearly so. */
const WORDS: readonly (readonly string[])[] = [
  ['delete', 'remove', 'rm', 'end', 'revoke', 'forget', 'withdraw', 'deactivate', 'cancel', 'disable'],
  ['list', 'ls', 'get', 'show', 'status', 'describe', 'view', 'cat'],
  ['add', 'create', 'new', 'make', 'init', 'issue'],
  ['edit', 'update', 'change', 'set', 'apply', 'add'],
  ['import', 'apply', 'load', 'restore'],
  ['export', 'save', 'dump', 'backup', 'download'],
  ['verify', 'check', 'validate', 'lint', 'test'],
];

/** otherWord gives the command that does what an unknown word asks for; null where none of them does. */
export function otherWord(word: string, commands: readonly string[]): string | null {
  for (const line of WORDS) {
    const found = line.includes(word) ? line.find((one) => commands.includes(one)) : undefined;
    if (found !== undefined) return found;
  }
  return null;
}
