import { barList, counted, formatCount, html, mostOf, splitBar, type Html } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import { listTable, missing, MOST } from './html-lists.ts';
import { numbers, table } from './html-table.ts';
import { answeringList, clusterList, namespaceList, policyCountList } from './lists.ts';
import {
  breakGlassText,
  denialBars,
  findingBars,
  findingsText,
  remediationBars,
  remediationText,
  rowsText,
} from './words.ts';

/** admissions writes that section. */
export function admissions({ admissions: counts }: EvidenceDocument): Html {
  const bars = denialBars(counts.by_label);
  return html`<section>
    <h2>Admissions</h2>
    ${splitBar('admissions', 'Decided images', [
      { label: 'admitted', count: counts.admitted, tone: 'admitted' },
      { label: 'denied', count: counts.denied, tone: 'refused' },
    ])}
    <p>
      ${counted(counts.admitted_by_audit, 'image')} admitted that an audit policy would have denied;
      ${counted(counts.bypassed, 'image')} admitted by break-glass; ${counted(counts.images, 'image')} by
      digest.
    </p>
    ${bars.length === 0 ? null : barList('Denials by gate', bars, counts.rows, mostOf(bars))}
    ${counts.by_policy.length === 0 ? null : listTable(policyCountList(counts, MOST))}
    ${counts.by_namespace.length === 0 ? null : listTable(namespaceList(counts, MOST))}
  </section>`;
}

/** coverage writes that section. */
export function coverage({ coverage: section }: EvidenceDocument): Html {
  const { pods, answering, clusters, exempt_namespaces: exempt } = section;
  return html`<section>
    <h2>Coverage</h2>
    ${pods.unreviewed === 0 ? html`<p>No pod was found that ran without a review.</p>` : html`<p class="broken">${counted(pods.unreviewed, 'pod')} ran without a review.</p>`}
    <p>
      ${counted(pods.decided, 'pod')} decided, ${formatCount(pods.bypassed)} bypassed,
      ${formatCount(pods.exempt)} in exempt namespaces (${exempt.join(', ')}).
    </p>
    <p>${rowsText(section)}</p>
    ${answering === null || answering.length === 0 ? null : listTable(answeringList(answering, MOST))}
    ${clusters === null || clusters.length === 0 ? null : listTable(clusterList(clusters, MOST))}
  </section>`;
}

/** findings writes that section. */
export function findings({ vulnerabilities }: EvidenceDocument): Html {
  if ('note' in vulnerabilities) return missing('Findings', vulnerabilities.note);
  const bars = findingBars(vulnerabilities.by_severity);
  return html`<section>
    <h2>Findings</h2>
    <p>${findingsText(vulnerabilities)}</p>
    ${barList('Findings that stood, by severity', bars, vulnerabilities.total, mostOf(bars))}
    ${table(
      ['Severity', ...numbers('Stood', 'Raised', 'Fixed', 'Triaged', 'Image retired', 'Open at the end')],
      vulnerabilities.by_severity.map((level) => [
        level.severity,
        ...[
          level.stood,
          level.raised,
          level.fixed,
          level.triaged,
          level.image_retired,
          level.open_at_end,
        ].map(formatCount),
      ]),
    )}
  </section>`;
}

/** issues writes that section. */
export function issues({ issues: section }: EvidenceDocument): Html {
  if ('note' in section) return missing('Remediation', section.note);
  const bars = remediationBars(section);
  return html`<section>
    <h2>Remediation</h2>
    <p>${remediationText(section)}</p>
    ${barList(
      'What became of issues',
      bars,
      bars.reduce((sum, { count }) => sum + count, 0),
      mostOf(bars),
    )}
  </section>`;
}

/** breakGlass writes that section. */
export function breakGlass({ break_glass: section }: EvidenceDocument): Html {
  return html`<section>
    <h2>Break-glass</h2>
    <p>${breakGlassText(section)}</p>
  </section>`;
}
