/** captured gives what an act prints with `console.log`, which is how the library answers; nothing of it is printed. */
export function captured(act: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: unknown) => void lines.push(String(line));
  try {
    act();
  } finally {
    console.log = log;
  }
  return `${lines.join('\n')}\n`;
}
