import { printable } from '../../base/index.ts';
import { barList, counted, formatCount, html, mostOf, type Html } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import { table } from './html-table.ts';
import {
  cutText,
  decisionList,
  muteList,
  policyList,
  runtimeRuleList,
  triageList,
  type ListCell,
  type ReportList,
} from './lists.ts';
import { effectBars, muteText, noteText, runtimeFigures, triageBars, triageText } from './words.ts';

/** MOST is how many rows of a list stand on the page. */
export const MOST = 200;

/** Classes of cells by what stands in them. */
const LOOKS = { texts: '', numbers: 'n', times: 't', persons: 's' } as const;

/** listTable writes a list as a table, and what was cut of it. */
export function listTable({ columns, rows, cut }: ReportList): Html {
  return html`${table(
    columns.map(({ heading, of }) => ({ title: heading, look: LOOKS[of ?? 'texts'] })),
    rows.map((cells) => cells.map(cellOf)),
  )}${cut === null ? null : html`<p class="note">${cut}</p>`}`;
}

function cellOf(cell: ListCell): Html | string {
  if (typeof cell === 'string') return printable(cell, 300);
  return html`${printable(cell.text, 300)}<br /><span class="soft">${printable(cell.below, 300)}</span>`;
}

/** missing writes a section that the source does not carry. */
export function missing(title: string, note: string): Html {
  return html`<section>
    <h2>${title}</h2>
    <p class="soft">${noteText(note)}</p>
  </section>`;
}

/** declarations writes what the organisation says of itself. */
export function declarations({ organisation: { declarations: all } }: EvidenceDocument): Html {
  if ('note' in all) return missing('Declarations', all.note);
  const cut = cutText(MOST, all.length, 'declarations', 'evidence.json has all');
  return html`<section>
    <h2>Declarations</h2>
    <p class="hint">What the organisation says of itself. Nothing in this package shows that it is so.</p>
    ${
      all.length === 0
        ? html`<p>Nothing was declared.</p>`
        : html`<ul class="plain">
            ${all
              .slice(0, MOST)
              .map(
                ({ statement, declared_by: by, declared_at: at, valid_until: until }) =>
                  html`<li>
                    ${printable(statement, 2000)}<br /><span class="soft"
                      >${printable(by)}, ${at}${until === null ? '' : `, valid until ${until}`}</span
                    >
                  </li>`,
              )}
          </ul>`
    }
    ${cut === null ? null : html`<p class="note">${cut}</p>`}
  </section>`;
}

/** policies writes that section. */
export function policies(document: EvidenceDocument): Html {
  return html`<section>
    <h2>Policies</h2>
    <p class="hint">Each revision that was in effect in the period, or that a row names.</p>
    ${document.policies.length === 0 ? html`<p>No policy was in effect in the period.</p>` : listTable(policyList(document, MOST))}
  </section>`;
}

/** triage writes that section. */
export function triage({ triage: section }: EvidenceDocument): Html {
  if ('note' in section) return missing('Triage', section.note);
  const bars = triageBars(section.by_severity);
  return html`<section>
    <h2>Triage</h2>
    <p>${triageText(section)}</p>
    ${section.total === 0 ? null : html`${barList('Decisions by severity', bars, section.total, mostOf(bars))}${listTable(triageList(section, MOST))}`}
  </section>`;
}

/** mutes writes that section. */
export function mutes({ mutes: section }: EvidenceDocument): Html {
  if ('note' in section) return missing('Muted channels', section.note);
  return html`<section>
    <h2>Muted channels</h2>
    <p>${muteText(section)}</p>
    ${section.items.length === 0 ? null : listTable(muteList(section, MOST))}
  </section>`;
}

/** runtime writes that section. */
export function runtime({ runtime: section, coverage }: EvidenceDocument): Html {
  if ('note' in section) return missing('Runtime', section.note);
  const { events, joined, joinedNote, heartbeats, stopped, stopsNote } = runtimeFigures(section, coverage);
  const bars = effectBars(section.by_effect);
  const rules = runtimeRuleList(section, MOST);
  return html`<section>
    <h2>Runtime</h2>
    <p class="hint">What the detector reported of running containers, and what came of it.</p>
    <p>
      ${counted(events, 'event')} (${heartbeats}); ${formatCount(joined)} joined to an image (${joinedNote});
      ${counted(stopped, 'pod')} stopped (${stopsNote}).
    </p>
    ${bars.length === 0 ? null : barList('Events by effect', bars, events, mostOf(bars))}
    ${rules.rows.length === 0 ? null : listTable(rules)}
    ${
      section.decisions.length === 0
        ? null
        : html`<h3>Decisions, the newest first</h3>
            ${listTable(decisionList(section, MOST))}`
    }
  </section>`;
}
