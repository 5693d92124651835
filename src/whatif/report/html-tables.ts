import { printable } from '../../base/index.ts';
import { counted, formatCount, html, type Html } from '../../render/index.ts';
import type { ChangeGroup, Sample, WhatIfResult } from '../result.ts';
import { shortTime } from './headline.ts';
import { notEvaluatedText } from './origin.ts';
import { imageText, workloadText } from './reasons.ts';
import { joinSinglePods, othersText, type JoinedGroup } from './single-pods.ts';

const OPEN_GROUPS = 25;
const OPEN_UNSCANNED = 10;
const SHOWN_UNSCANNED = 100;
const LONGEST_IMAGE = 84;

/** groupSection lists the changed workloads, most rows first. */
export function groupSection(result: WhatIfResult): Html | null {
  const { groups: all, groups_total: total } = result;
  if (all.length === 0) return null;
  const groups = joinSinglePods(all);
  const rest = groups.slice(OPEN_GROUPS);
  const left = total - all.length;
  return html`<section>
    <h2>Workloads</h2>
    <p class="hint">
      Changed admissions by workload, image and reason, most rows first; the sentence is that of the newest
      row.
    </p>
    ${groupTable(groups.slice(0, OPEN_GROUPS))}
    ${
      rest.length === 0
        ? null
        : html`<details class="paper">
            <summary>${counted(rest.length, 'more workload')}</summary>
            ${groupTable(rest)}
          </details>`
    }
    ${left <= 0 ? null : html`<p class="note">${counted(left, 'further workload')} with fewer rows ${left === 1 ? 'is' : 'are'} not listed.</p>`}
  </section>`;
}

function groupTable(groups: readonly JoinedGroup[]): Html {
  return html`<div class="scroll">
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Change</th>
          <th scope="col" class="n">Rows</th>
          <th scope="col">Workload</th>
          <th scope="col">Image</th>
          <th scope="col">Reason</th>
          <th scope="col">Newest (UTC)</th>
        </tr>
      </thead>
      <tbody>
        ${groups.map(
          (group) =>
            html`<tr>
              <td class="t" data-label="Change">${tag(group.change)}</td>
              <td class="n" data-label="Rows">${formatCount(group.rows)}</td>
              ${nameCell('Workload', workloadText(group), othersText(group))} ${imageCell(group.image)}
              <td class="s" data-label="Reason">${printable(group.reason, 160)}</td>
              <td class="t" data-label="Newest (UTC)">${shortTime(group.newest)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** sampleSection lists single rows, folded. */
export function sampleSection({ samples }: WhatIfResult): Html | null {
  if (samples.length === 0) return null;
  return html`<section class="screen">
    <h2>Single admissions</h2>
    <p class="hint">The newest changed rows of the ledger, with what was answered and what the draft says.</p>
    <details>
      <summary>${counted(samples.length, 'row')}</summary>
      <div class="scroll">
        <table class="stack">
          <thead>
            <tr>
              <th scope="col" class="n">Row</th>
              <th scope="col">Time (UTC)</th>
              <th scope="col">Change</th>
              <th scope="col">Pod</th>
              <th scope="col">Image</th>
              <th scope="col">Sentence</th>
            </tr>
          </thead>
          <tbody>
            ${samples.map(sampleRow)}
          </tbody>
        </table>
      </div>
    </details>
  </section>`;
}

function sampleRow(sample: Sample): Html {
  const { change, recorded, draft } = sample;
  const pod = printable(`${sample.namespace ?? '–'}/${sample.pod ?? '–'}`, 400);
  const container = sample.container === null ? '' : printable(sample.container, 200);
  return html`<tr>
    <td class="n" data-label="Row">${sample.id}</td>
    <td class="t" data-label="Time (UTC)">${shortTime(sample.time)}</td>
    <td class="t" data-label="Change">${tag(change)}</td>
    ${nameCell('Pod', pod, container)} ${imageCell(sample.image)}
    <td class="s" data-label="Sentence">
      ${printable(change === 'would_deny' ? draft.reason : recorded.reason, 300)}
    </td>
  </tr> `;
}

/** unscannedSection lists images without a scan record. */
export function unscannedSection({ unscanned, unscanned_total: total }: WhatIfResult): Html | null {
  if (unscanned.length === 0) return null;
  const shown = unscanned.slice(0, SHOWN_UNSCANNED);
  const table = (images: typeof unscanned): Html =>
    html`<div class="scroll">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Image</th>
            <th scope="col">Digest</th>
            <th scope="col" class="n">Rows</th>
          </tr>
        </thead>
        <tbody>
          ${images.map(
            ({ image, digest, rows }) =>
              html`<tr>
                ${imageCell(image)}
                <td class="i" data-label="Digest"><code>${printable(digest, 100)}</code></td>
                <td class="n" data-label="Rows">${formatCount(rows)}</td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>`;
  const folded = shown.slice(OPEN_UNSCANNED);
  return html`<section>
    <h2>Images without a scan record</h2>
    <p class="hint">${counted(total, 'image')}: findings cannot deny them until they are scanned.</p>
    ${table(shown.slice(0, OPEN_UNSCANNED))}${
      folded.length === 0
        ? null
        : html`<details>
            <summary>${counted(folded.length, 'more image')}</summary>
            ${table(folded)}
          </details>`
    }
    ${total > shown.length ? html`<p class="note">${counted(total - shown.length, 'further image')} not listed.</p>` : null}
  </section>`;
}

/** notDecidedSection says which rows are in no figure, and why. */
export function notDecidedSection({
  not_evaluated: open,
  break_glass_skipped: bypassed,
}: WhatIfResult): Html | null {
  if (open.count === 0 && bypassed === 0) return null;
  const reasons = Object.entries(open.by_reason).slice(0, 20);
  return html`<section>
    <h2>Not decided</h2>
    <dl class="points">
      ${
        bypassed === 0
          ? null
          : html`<dt>${counted(bypassed, 'break-glass admission')}</dt>
              <dd>Somebody bypassed the policy; they are counted and not replayed.</dd>`
      }${reasons.map(
        ([reason, count]) =>
          html`<dt>${counted(count, 'row')}</dt>
            <dd>${sentence(notEvaluatedText(reason))}</dd>`,
      )}
    </dl>
  </section>`;
}

/** noteSection gives what a reader must know to read the counts right. */
export function noteSection({ notes }: WhatIfResult): Html | null {
  if (notes.length === 0) return null;
  return html`<section>
    <h2>How to read this</h2>
    <ul class="plain">
      ${notes.map((note) => html`<li>${note}</li>`)}
    </ul>
  </section>`;
}

/** A part of a name with no place to break that would push the other columns off the page. */
const LONG_PART = /[^/-]{25}/;

/** The name of a workload or pod breaks at a slash or a hyphen, and inside a word only where one is very long. */
function nameCell(label: string, name: string, beside = ''): Html {
  return html`<td class="${LONG_PART.test(name) ? 'w long' : 'w'}" data-label="${label}">
    <span>${breakable(name)}${beside === '' ? null : html` <span class="soft">${beside}</span>`}</span>
  </td>`;
}

/** Browsers break a line neither after a slash nor before a tag, unless told where. */
function breakable(name: string): Html {
  return html`${name.split(/(?<=[/@-])|(?<!@sha256)(?=:)/).map((part, i) => (i === 0 ? part : html`<wbr />${part}`))}`;
}

/** A long image name is cut in the middle; the whole of it is its title. */
function imageCell(image: string): Html {
  const whole = printable(image, 400);
  const shown = imageText(image, LONGEST_IMAGE);
  return shown === whole
    ? html`<td class="i" data-label="Image"><code>${breakable(whole)}</code></td>`
    : html`<td class="i" data-label="Image"><code title="${whole}">${breakable(shown)}</code></td>`;
}

function tag(change: ChangeGroup['change']): Html {
  return change === 'would_deny'
    ? html`<span class="tag refused">denied</span>`
    : html`<span class="tag admitted">allowed</span>`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
