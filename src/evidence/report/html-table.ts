import { html, type Html } from '../../render/index.ts';

/** Head is the heading of a column, of numbers where it says so. */
type Head = string | { readonly numbers: string };

/** numbers are headings of columns with numbers, which stand on the right. */
export function numbers(...titles: readonly string[]): readonly Head[] {
  return titles.map((title) => ({ numbers: title }));
}

/** table writes a table. */
export function table(heads: readonly Head[], rows: readonly (readonly (Html | string | number)[])[]): Html {
  const isNumber = (i: number): boolean => typeof heads[i] === 'object';
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => (typeof head === 'string' ? html`<th>${head}</th>` : html`<th class="n">${head.numbers}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, i) => (isNumber(i) ? html`<td class="n">${cell}</td>` : html`<td>${cell}</td>`))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
