import { Chalk } from 'chalk';
import type { Level, Problem } from '../../src/policy/index.ts';
import { clean } from '../terminal/clean.ts';
import { asSentence } from '../terminal/exit.ts';

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
      const place = paint.bold(`${clean(file)}:${line}:${column}:`);
      const next = hint === null ? '' : `    ${asSentence(clean(hint, Infinity))}\n`;
      return `${place} ${levels[level]}: ${clean(message, Infinity)} ${paint.dim(`[${rule}]`)}\n${next}`;
    })
    .join('');
}
