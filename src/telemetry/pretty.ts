import { printable } from '../base/index.ts';

const COLORS: Readonly<Record<string, string>> = { debug: '90', info: '32', warn: '33', error: '31' };

/** toPretty makes a line of the log readable at a terminal: `12:03:54 info  listening url=http://…`. */
export function toPretty(line: string, color: boolean): string {
  const { time, level, message, error, cause, ...keys } = parsed(line);
  const name = String(level);
  const shown = Object.entries(keys).map(([key, value]) => ` ${key}=${shownValue(value)}`);
  const thrown = [error, cause];
  const said = thrown.map(sentenceOf).join('');
  const fault = thrown.map(faultOf).join('');
  const label = name.padEnd(5);
  const painted = color ? `\u001B[${COLORS[name] ?? '0'}m${label}\u001B[0m` : label;
  return `${String(time).slice(11, 19)} ${painted} ${printable(String(message), 500)}${said}${shown.join('')}${fault}\n`;
}

function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(/[\s"=]/.test(text) ? JSON.stringify(text) : text, 300);
}

/** What failed outside has no stack, and stands on the line itself. */
function sentenceOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || 'stack' in error) return '';
  return `: ${printable(String((error as Readonly<Record<string, unknown>>)['message']), 500)}`;
}

/** An error with where it came from, each step on a line of its own. */
function faultOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return '';
  const { message, stack, cause } = error as Readonly<Record<string, unknown>>;
  const lines = typeof stack === 'string' ? stack.split('\n') : [String(message)];
  const below = sentenceOf(cause).replace(/^: /, '\n         ') + faultOf(cause);
  return `${lines.map((one) => `\n         ${printable(one.trim(), 500)}`).join('')}${below}`;
}

/** A secret that was taken out could have been a part of the line's own JSON. */
function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return { time: '', level: 'info', message: line };
  }
}
