import { displayWidth, wrapWords } from '../../src/render/index.ts';
import { clean } from './clean.ts';
import type { Paint } from './paint.ts';

/** Fact is something that is known, with its name. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Sentences of trackers are kept up to this length. */
const LONGEST = 2000;

/** factLines draws facts below each other. Nothing is cut: what is too long for the terminal goes on below, since it stands nowhere else. */
export function factLines(paint: Paint, facts: readonly Fact[]): readonly string[] {
  const texts = facts.map(({ name, value }) => [clean(name), clean(value, LONGEST)] as const);
  const columns = [{ heading: '' }, { heading: '', flex: 1 }];
  const rows = texts.map((pair) => pair.map((text) => ({ text })));
  const [left = 0, right = 0] = paint.widthsOf(columns, rows, 0);
  return texts.flatMap(([name, value]) =>
    wrapWords(value, Math.max(right, 20)).map((line, at) =>
      `${at === 0 ? name : ''}${' '.repeat(left - (at === 0 ? displayWidth(name) : 0))}  ${line}`.trimEnd(),
    ),
  );
}
