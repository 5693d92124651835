/** Call is a command of a line, as a shell takes it apart: its words, and where stdin and stdout lead. */
export interface Call {
  readonly words: readonly string[];
  readonly stdin: string | null;
  readonly stdout: string | null;
}

/** isSimple tells a line that calls `ipo` once and has nothing in it that only a shell does. */
export function isSimple(line: string): boolean {
  return /^ipo [^|&;$*"`]*$/.test(line.replaceAll(/'[^']*'/g, "''"));
}

/** toCall takes a simple line apart. */
export function toCall(line: string): Call {
  const parts = (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((part) => part.replaceAll("'", ''));
  const words: string[] = [];
  let [stdin, stdout]: (string | null)[] = [null, null];
  for (let i = 1; i < parts.length; i += 1) {
    const word = parts[i] ?? '';
    if (word === '<') stdin = parts[(i += 1)] ?? null;
    else if (word === '>') stdout = parts[(i += 1)] ?? null;
    else words.push(word);
  }
  return { words, stdin: stdin ?? null, stdout: stdout ?? null };
}
