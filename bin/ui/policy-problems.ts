import { Chalk } from 'chalk';
import { printable } from '../../src/base/index.ts';
import type { Level, Problem } from '../../src/policy/index.ts';
import { asSentence } from './exit.ts';

/** renderProblems writes problems for people and for editors that read `file:line:column:`, the hint on the next line. */
export function renderProblems(problems: readonly Problem[], color: boolean): string {
  const paint = new Chalk({ level: color ? 1 : 0 });
  const levels: Readonly<Record<Level, string>> = {
    error: paint.red('error'),
    warning: paint.yellow('warning'),
    notice: paint.cyan('notice'),
  };
  return problems
    .map(({ level, rule, message, hint, file, line, column }) => {
      const place = paint.bold(`${printable(file)}:${line}:${column}:`);
      const next = hint === null ? '' : `    ${asSentence(hint)}\n`;
      return `${place} ${levels[level]}: ${message} ${paint.dim(`[${rule}]`)}\n${next}`;
    })
    .join('');
}

/** plural writes a count with its noun: `1 error`, `2 errors`, `2 policies`. */
export function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
