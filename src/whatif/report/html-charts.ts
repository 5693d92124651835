import { printable } from '../../base/index.ts';
import {
  barList,
  counted,
  dayColumns,
  formatCount,
  html,
  mostOf,
  type Bar,
  type Html,
} from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import { changeLines, fieldText } from './change-lines.ts';
import type { ReportContext } from './context.ts';
import { daysOf } from './days.ts';
import { changesNothing, reachText } from './headline.ts';
import { labelTitle } from './label-help.ts';
import { contextText, originOf } from './origin.ts';
import { mostOfReasons, reasonsOf, type Change } from './reasons.ts';

const SHOWN_FIELDS = 60;
const SIDES = { '-': 'before', '+': 'after', '…': 'rest' };
const NAMES = { up: 'would be denied', down: 'would be allowed', total: 'all decided' };

/** changedSection shows the fields that the draft changes, as what goes and what comes. */
export function changedSection({ policy_changes: changes }: WhatIfResult, { placeOf }: ReportContext): Html {
  if (changes === null) {
    return html`<section>
      <h2>Changed fields</h2>
      <p class="hint">There is no policy in effect to compare the draft with.</p>
    </section>`;
  }
  if (changes.length === 0) {
    return html`<section>
      <h2>Changed fields</h2>
      <p class="hint">None: the draft means the same as the policy in effect.</p>
    </section>`;
  }
  const left = changes.length - SHOWN_FIELDS;
  return html`<section>
    <h2>Changed fields</h2>
    <p class="hint">The draft against the policy in effect.</p>
    ${changes.slice(0, SHOWN_FIELDS).map(
      (change) =>
        html`<h3>
            <code>${fieldText(change)}</code> <span class="soft">line ${placeOf(change.path).line}</span>
          </h3>
          <ul class="diff">
            ${changeLines(change, 12).map(({ sign, text }) => html`<li class="${SIDES[sign]}">${sign} ${text}</li>`)}
          </ul>`,
    )}${left > 0 ? html`<p class="note">${counted(left, 'more field')}.</p>` : null}
  </section>`;
}

/** reasonSection shows the rows behind each reason, as bars on one scale. */
export function reasonSection(result: WhatIfResult): Html | null {
  if (changesNothing(result)) return null;
  const list = (change: Change, title: string): Html | null => {
    const bars = reasonsOf(result, change).map(({ label, count }): Bar => ({
      label,
      note: labelTitle(label),
      count,
      tone: change === 'would_deny' ? 'refused' : 'admitted',
    }));
    return bars.length === 0
      ? null
      : html`<h3>${title}</h3>
          ${barList(title, bars, result[change], mostOfReasons(result))}`;
  };
  return html`<section>
    <h2>Reasons</h2>
    ${[list('would_deny', 'Would be denied'), list('would_allow', 'Would be allowed')]}
  </section>`;
}

/** daySection shows the changes of each day, with the figures as a table. */
export function daySection(result: WhatIfResult): Html | null {
  if (result.by_day.length === 0) return null;
  const days = daysOf(result).map(({ date, evaluated, would_deny, would_allow }) => ({
    date,
    total: evaluated,
    up: would_deny,
    down: would_allow,
  }));
  const reach = reachText(result);
  const from =
    reach === null ? '' : ` ${reach.charAt(0).toUpperCase()}${reach.slice(1)}; the chart begins there.`;
  return html`<section>
    <h2>Day by day</h2>
    <p class="hint">Changed admissions of each day (UTC), and below them all that were decided.${from}</p>
    ${dayColumns('days', 'Changed admissions by day', days, NAMES)}
    <details>
      <summary>Figures of each day</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="n">Would be denied</th>
              <th scope="col" class="n">Would be allowed</th>
              <th scope="col" class="n">All decided</th>
            </tr>
          </thead>
          <tbody>
            ${result.by_day.map(
              ({ date, evaluated, would_deny, would_allow }) =>
                html`<tr>
                  <th scope="row">${date}</th>
                  <td class="n">${formatCount(would_deny)}</td>
                  <td class="n">${formatCount(would_allow)}</td>
                  <td class="n">${formatCount(evaluated)}</td>
                </tr> `,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </section>`;
}

/** originSection tells the edit apart from what has changed since. */
export function originSection(result: WhatIfResult): Html | null {
  const points = originOf(result);
  if (points.length === 0) return null;
  return html`<section>
    <h2>Where the difference comes from</h2>
    <p class="hint">The edit of the policy, and what scans found since.</p>
    <dl class="points">
      ${points.map(
        ({ title, text }) =>
          html`<dt>${title}</dt>
            <dd>${text}</dd>`,
      )}
    </dl>
  </section>`;
}

/** contextSection shows how many decided rows carried each signal. */
export function contextSection(result: WhatIfResult): Html | null {
  if (result.evaluated === 0) return null;
  const { signals, note } = result.context;
  const bars = Object.entries(signals).map(([label, count]): Bar => ({
    label: printable(label, 60),
    note: '',
    count,
    tone: 'accent',
  }));
  return html`<section>
    <h2>Deployment context</h2>
    <p class="hint">${contextText(result)}</p>
    ${barList('Decided rows by signal', bars, result.evaluated, mostOf(bars))}${note === undefined ? null : html`<p class="note">${note}</p>`}
  </section>`;
}
