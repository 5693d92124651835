import { wrapWords } from '../../../src/render/index.ts';
import { clean } from '../../terminal/clean.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import type { Remark } from './check.ts';

/**
 * hereOf adds to a sentence on settings of a service by which variables this machine is told the same: what a check finds here may be
 * missing here only.
 */
export function hereOf(sentence: string): string {
  return sentence.replace(
    /\boutbound\.(proxyFile|proxy|noProxy|caFile)\b/g,
    (setting, name: string) =>
      `${setting} (here IPO_OUTBOUND_${name.replace(/[A-Z]/g, '_$&').toUpperCase()})`,
  );
}

/** say writes a remark to stderr, wrapped to the terminal; with --quiet, only what is wrong. */
export function say({ level, sentence, fix }: Remark, terminal: Terminal, { quiet }: GlobalOptions): void {
  if (quiet && level !== 'wrong') return;
  const lines = [sentence, ...(fix === undefined ? [] : [fix])].flatMap((text) =>
    wrapWords(clean(hereOf(text), 1000), Math.max(40, Math.min(terminal.columns, 110)) - 7),
  );
  for (const [at, line] of lines.entries()) terminal.err(`${(at === 0 ? level : '').padEnd(7)}${line}\n`);
}
