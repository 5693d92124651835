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

/** The flags that say what a command reads, with words for it. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['--ledger', 'an export'],
  ['--database', 'a database'],
  ['--server', 'a service'],
]);

/** otherSource says what a command reads where an unknown flag asks it to read something else; null where that is not what is wrong. */
export function otherSource(flag: string, flags: readonly string[]): string | null {
  const name = flag === '-l' ? '--ledger' : flag;
  const asked = SOURCES.get(name);
  const read = [...SOURCES].flatMap(([known, words]) =>
    flags.includes(known) ? [`${words} (${known})`] : [],
  );
  if (asked === undefined || read.length === 0) return null;
  return `This command reads ${read.join(' or ')}, not ${asked}.`;
}
