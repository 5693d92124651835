import { printable } from '../../base/index.ts';
import { barList, counted, formatCount, html, mostOf, splitBar, type Html } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import { numbers, table } from './html-table.ts';
import { denialBars, findingBars, noteText, remediationBars } from './words.ts';

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
    ${table(
      ['Namespace', ...numbers('Admitted', 'Denied')],
      counts.by_namespace
        .slice(0, 200)
        .map(({ namespace, admitted, denied }) => [
          printable(namespace),
          formatCount(admitted),
          formatCount(denied),
        ]),
    )}
  </section>`;
}

/** coverage writes that section. */
export function coverage({
  coverage: { pods, rows, answering, clusters, exempt_namespaces: exempt },
}: EvidenceDocument): Html {
  return html`<section>
    <h2>Coverage</h2>
    ${pods.unreviewed === 0 ? html`<p>No pod was found that ran without a review.</p>` : html`<p class="broken">${counted(pods.unreviewed, 'pod')} ran without a review.</p>`}
    <p>
      ${counted(pods.decided, 'pod')} decided, ${formatCount(pods.bypassed)} bypassed,
      ${formatCount(pods.exempt)} in exempt namespaces (${exempt.join(', ')}).
    </p>
    <p>
      ${counted(rows.package, 'row')} in this
      package${rows.ledger === null ? '' : `, ${formatCount(rows.ledger)} in the ledger`}.
    </p>
    ${
      answering === null || answering.length === 0
        ? null
        : table(
            ['Cluster', ...numbers('Minutes answered', 'Not answered', 'Unknown')],
            answering.map((one) => [
              printable(one.cluster),
              formatCount(one.answered),
              formatCount(one.not_answered),
              formatCount(one.unknown),
            ]),
          )
    }
    ${
      clusters === null || clusters.length === 0
        ? null
        : table(
            ['Cluster', 'Last row', 'Sent nothing since'],
            clusters.map((one) => [
              printable(one.name),
              one.last_row_at ?? '–',
              one.sent_nothing_since ?? '–',
            ]),
          )
    }
  </section>`;
}

/** findings writes that section. */
export function findings({ vulnerabilities }: EvidenceDocument): Html {
  if ('note' in vulnerabilities) return missing('Findings', vulnerabilities.note);
  const bars = findingBars(vulnerabilities.by_severity);
  return html`<section>
    <h2>Findings</h2>
    <p>
      ${counted(vulnerabilities.total, 'finding')} stood in the period;
      ${formatCount(vulnerabilities.known_exploited_while_running)} known to be exploited while the image ran.
    </p>
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
    <p>
      ${counted(section.opened, 'issue')} for critical findings opened; ${formatCount(section.open_at_end)}
      open at the end; closed: ${formatCount(section.closed_fixed)} fixed,
      ${formatCount(section.closed_triaged)} triaged, ${formatCount(section.closed_image_retired)} image
      retired. ${formatCount(section.fixed_inside_window)} fixed inside the declared window.
    </p>
    ${barList(
      'What became of issues',
      bars,
      bars.reduce((sum, { count }) => sum + count, 0),
      mostOf(bars),
    )}
  </section>`;
}

function missing(title: string, note: string): Html {
  return html`<section>
    <h2>${title}</h2>
    <p class="soft">${noteText(note)}</p>
  </section>`;
}

/** breakGlass writes that section. */
export function breakGlass({ break_glass: section }: EvidenceDocument): Html {
  return html`<section>
    <h2>Break-glass</h2>
    <p>
      ${counted(section.images, 'image')} admitted by ${counted(section.people, 'person', 'people')};
      ${formatCount(section.without_reason)} without a reason. break-glass.csv lists each.
    </p>
  </section>`;
}

/** mutes writes that section. */
export function mutes({ mutes: section }: EvidenceDocument): Html {
  if ('note' in section) return missing('Muted channels', section.note);
  return html`<section>
    <h2>Muted channels</h2>
    <p>
      ${section.total === 0 ? 'No channel was muted in the period.' : `${counted(section.total, 'time')} a channel was muted: it was told afterwards what had happened.`}
    </p>
    ${
      section.items.length === 0
        ? null
        : table(
            ['Channel', 'From', 'Until', 'By', 'Reason'],
            section.items
              .slice(0, 200)
              .map((mute) => [
                printable(mute.name ?? mute.channel),
                mute.muted_at,
                mute.ended_at ?? mute.until,
                printable(mute.muted_by ?? '–'),
                printable(mute.reason, 300),
              ]),
          )
    }
  </section>`;
}

/** policies writes that section. */
export function policies({ policies: all }: EvidenceDocument): Html {
  return html`<section>
    <h2>Policies</h2>
    ${table(
      ['Policy', 'Revision', 'Enforcement', 'In effect'],
      all.map(({ name, revision, enforcement, in_force: stays }) => [
        printable(name),
        html`<code>${revision.slice(0, 16)}</code>`,
        enforcement,
        stays === null
          ? 'named by rows'
          : stays.map(({ from, to }) => `${from} to ${to ?? 'now'}`).join('; '),
      ]),
    )}
  </section>`;
}
