import type { Matrix, MatrixLine } from '../../../src/advice/index.ts';
import { barList, counted, formatCount, html, mostOf, toPage, type Bar } from '../../../src/render/index.ts';
import { headOf } from './head.ts';

/** matrixPage writes a page with a small chart for each field, all on one scale. Values that deny nothing stand first, in a
 * line each: a field with no other has no chart. */
export function matrixPage(matrix: Matrix): string {
  const fields = [...Map.groupBy(matrix.items, ({ field }) => field)];
  const bars = fields
    .filter(([, lines]) => lines.some(changes))
    .map(([field, lines]) => ({ field, bars: lines.map(toBar) }));
  const most = mostOf(bars.flatMap((one) => one.bars));
  const free = fields.flatMap(([field, lines]) => {
    const values = lines.filter((line) => !line.current && !changes(line)).map(({ value }) => value);
    return values.length === 0 ? [] : [{ field, values: values.join(', ') }];
  });
  return toPage({
    title: 'ipo whatif matrix',
    body: html`<main>
      <header>
        <p class="eyebrow">What-if matrix</p>
        <h1>Each field of the policy, by itself</h1>
        <p class="lead">${headOf(matrix)}</p>
        <p class="second">The bars count the admissions that a value would deny.</p>
        ${matrix.notes.map((note) => html`<p class="second">${note}</p>`)}
      </header>
      <section>
        <h2>Values that would change nothing</h2>
        ${
          free.length === 0
            ? html`<p>Each value would change the answer to some admission.</p>`
            : html`<ul class="plain">
                ${free.map(({ field, values }) => html`<li><code>${field}</code>: ${values}</li>`)}
              </ul>`
        }
      </section>
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

/** Whether a value would give any admission another answer, or leave one undecided. */
function changes({ would_deny, would_allow, undecided }: MatrixLine): boolean {
  return would_deny.rows + would_allow.rows + undecided.rows > 0;
}

function toBar({ value, current, would_deny, would_allow, undecided }: MatrixLine): Bar {
  const parts = [
    ...(current ? ['now'] : []),
    counted(would_deny.images, 'image'),
    ...(would_allow.rows > 0 ? [`${formatCount(would_allow.rows)} would be allowed`] : []),
    ...(undecided.rows > 0 ? [`${formatCount(undecided.rows)} undecided`] : []),
  ];
  return { label: value, note: parts.join(', '), count: would_deny.rows, tone: 'refused' };
}
