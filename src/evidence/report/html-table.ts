import { html, type Html } from '../../render/index.ts';

/** Head is the heading of a column; its look is a class of the page's style. */
type Head = string | { readonly title: string; readonly look: '' | 'n' | 't' | 's' };

/** numbers are headings of columns with numbers, which stand on the right. */
export function numbers(...titles: readonly string[]): readonly Head[] {
  return titles.map((title) => ({ title, look: 'n' }));
}

/** table writes a table. */
export function table(heads: readonly Head[], rows: readonly (readonly (Html | string | number)[])[]): Html {
  const looks = heads.map((head) => (typeof head === 'string' ? { title: head, look: '' } : head));
  // Below each other on a narrow screen, each with its heading.
  const cellOf = (cell: Html | string | number, i: number): Html =>
    html`<td class="${looks[i]?.look ?? ''}" data-label="${looks[i]?.title ?? ''}">
      <div>${cell}</div>
    </td>`;
  return html`<div class="scroll">
    <table class="stack">
      <thead>
        <tr>
          ${looks.map(({ title, look }) => html`<th class="${look}">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map(cellOf)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
