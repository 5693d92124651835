import { html, type Html } from '../../render/index.ts';

/** table writes a table. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly (Html | string | number)[])[],
): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads.map((text) => html`<th>${text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
