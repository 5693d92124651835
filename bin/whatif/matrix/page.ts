import type { Matrix, MatrixLine } from '../../../src/advice/index.ts';
import { barList, formatCount, html, mostOf, toPage, type Bar } from '../../../src/render/index.ts';
import { headOf } from './head.ts';

/** matrixPage writes a page with a small chart for each field, all on one scale; what could be turned on for nothing stands first. */
export function matrixPage(matrix: Matrix): string {
  const fields = [...Map.groupBy(matrix.items, ({ field }) => field)];
  const bars = fields.map(([field, lines]) => ({ field, lines, bars: lines.map(toBar) }));
  const most = mostOf(bars.flatMap((one) => one.bars));
  const free = matrix.items.filter(
    ({ current, would_deny, undecided }) => !current && would_deny.rows + undecided.rows === 0,
  );
  return toPage({
    title: 'ipo whatif matrix',
    body: html`<main>
      <h1>Each field of the policy, by itself</h1>
      <p>${headOf(matrix)}</p>
      ${matrix.notes.map((note) => html`<p class="soft">${note}</p>`)}
      <h2>For nothing</h2>
      <p>
        ${
          free.length === 0
            ? 'No value denies nothing.'
            : free.map(({ field, value }) => `${field.replace('spec.', '')}: ${value}`).join(' · ')
        }
      </p>
      ${bars.map(
        (one) =>
          html`<section>
            <h2><code>${one.field}</code></h2>
            ${barList(one.field, one.bars, matrix.rows, most)}
          </section>`,
      )}
    </main>`,
  });
}

function toBar({ value, current, would_deny, would_allow, undecided }: MatrixLine): Bar {
  const parts = [
    ...(current ? ['now'] : []),
    `${formatCount(would_deny.images)} images`,
    ...(would_allow.rows > 0 ? [`${formatCount(would_allow.rows)} would be allowed`] : []),
    ...(undecided.rows > 0 ? [`${formatCount(undecided.rows)} undecided`] : []),
  ];
  return { label: value, note: parts.join(', '), count: would_deny.rows, tone: 'refused' };
}
