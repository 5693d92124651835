import { printable } from '../../base/index.ts';
import { counted, formatCount, formatShare, html, splitBar, toPage, type Html } from '../../render/index.ts';
import type { WhatIfResult } from '../result.ts';
import { countOfCheck, flagOf, type ReportContext } from './context.ts';
import { coverText, headlineOf } from './headline.ts';
import { changedSection, contextSection, daySection, originSection, reasonSection } from './html-charts.ts';
import { editText } from './origin.ts';
import {
  groupSection,
  notDecidedSection,
  noteSection,
  sampleSection,
  unscannedSection,
} from './html-tables.ts';

/** toHtml writes an answer as a page in one file, to hand to somebody who has no terminal. */
export function toHtml(result: WhatIfResult, context: ReportContext): string {
  const some = result.evaluated > 0;
  const body = html`<main>
    ${head(result, context)} ${checkSection(context)} ${some ? figures(result) : null}
    <div class="pair">${[changedSection(result, context), reasonSection(result)]}</div>
    ${daySection(result)} ${groupSection(result)}
    <div class="pair">${[originSection(result), contextSection(result)]}</div>
    ${[notDecidedSection(result), unscannedSection(result), sampleSection(result), noteSection(result)]}
    <footer>
      <p>
        Made by ipo ${context.version} from recorded admissions. Nothing was written, scanned or asked of a
        registry.
      </p>
      <p>
        Digest of all inputs: <code>${result.inputs_digest}</code>. The same ledger, draft and parameters give
        the same digest and the same answer.
      </p>
    </footer>
  </main>`;
  return toPage({ title: `What-if: ${printable(result.policy.name)}`, body });
}

function head(result: WhatIfResult, { file }: ReportContext): Html {
  const sentence = headlineOf(result).map(({ text, tone }) =>
    tone === 'plain' ? text : html`<span class="${tone}">${text}</span>`,
  );
  const edit = editText(result);
  const facts: (readonly [string, string | Html])[] = [
    ['Period', coverText(result)],
    ['Decided', `${counted(result.evaluated, 'row')}, ${counted(result.distinct_images, 'image digest')}`],
    ['Draft', html`<code>${printable(file, 200)}</code>`],
    ...(result.source === null
      ? []
      : [['Compared with', html`<code>${printable(result.source)}</code>`] as const]),
    ['Revision', html`<code>${printable(result.policy.revision).slice(0, 16)}</code>`],
  ];
  return html`<header>
    <p class="eyebrow">What-if report</p>
    <h1>${printable(result.policy.name)}</h1>
    <p class="lead">${sentence}</p>
    ${edit === null ? null : html`<p class="second">${edit}</p>`}
    <dl class="meta">
      ${facts.map(
        ([term, fact]) =>
          html`<div>
            <dt>${term}</dt>
            <dd>${fact}</dd>
          </div>`,
      )}
    </dl>
  </header>`;
}

function figures(result: WhatIfResult): Html {
  const { evaluated, would_deny, would_allow, unchanged } = result;
  const cards = [
    ['Would be denied', would_deny, 'refused', 'were allowed'],
    ['Would be allowed', would_allow, 'admitted', 'were denied'],
    ['Unchanged', unchanged, 'same', 'answered as they were'],
  ] as const;
  return html`<dl class="cards">
      ${cards.map(
        ([title, count, tone, was]) =>
          html`<div>
            <dt>${title}</dt>
            <dd>
              <div class="number${count > 0 ? ` ${tone}` : ''}">${formatCount(count)}</div>
              <span class="soft">${formatShare(count, evaluated)}, ${was}</span>
            </dd>
          </div>`,
      )}
    </dl>
    <section>
      <h2>All decided admissions</h2>
      <p class="hint">Each row is one image of one allowed or denied pod, replayed under the draft.</p>
      ${splitBar('outcome', 'Decided admissions by what would change', [
        { label: 'Would be denied', count: would_deny, tone: 'refused' },
        { label: 'Would be allowed', count: would_allow, tone: 'admitted' },
        { label: 'Unchanged', count: unchanged, tone: 'same' },
      ])}
    </section>`;
}

function checkSection({ checks }: ReportContext): Html | null {
  if (checks.length === 0) return null;
  return html`<section>
    <h2>Checks</h2>
    <ul class="checks">
      ${checks.map(
        (check) =>
          html`<li>
            <span class="${check.broken ? 'broken' : 'held'}">${check.broken ? '✗ failed' : '✓ passed'}</span>
            <code>${flagOf(check)}</code>
            <span class="soft">${countOfCheck(check)}, ${formatCount(check.tolerated)} tolerated</span>
          </li>`,
      )}
    </ul>
  </section>`;
}
