import { printable } from '../../base/index.ts';
import { counted, formatCount, html, splitBar, toPage, type Html } from '../../render/index.ts';
import type { EvidenceDocument } from '../document.ts';
import { declarations, mutes, policies, runtime, triage } from './html-lists.ts';
import { admissions, breakGlass, coverage, findings, issues } from './html-sections.ts';
import { numbers, table } from './html-table.ts';
import { countStates, rank, scopeText, STATE_WORDS, toneOf } from './words.ts';

/** ReportOptions are what a report prints beside the document. */
export interface ReportOptions {
  /** SHA-256 of `evidence.json`, hex. */
  readonly digest: string;
  readonly keyId: string;
}

/** toHtml writes a package as a page in one file, for people. */
export function toHtml(document: EvidenceDocument, options: ReportOptions): string {
  const name = document.organisation.name ?? 'Evidence package';
  const body = html`<main>
    ${[head(document, name), results(document), verification(document, options), attestations(document)]}
    ${[frameworks(document), declarations(document), policies(document), admissions(document)]}
    ${[coverage(document), findings(document), triage(document), issues(document), breakGlass(document)]}
    ${[mutes(document), runtime(document), files(document), limits(document)]}
    <footer>
      <p>Made by ipo ${document.generation.service} from recorded decisions at ${document.made_at}.</p>
      <p>Digest of evidence.json: <code>sha256:${options.digest}</code></p>
    </footer>
  </main>`;
  return toPage({ title: `Evidence: ${printable(name)}`, body });
}

function head(document: EvidenceDocument, name: string): Html {
  const { met, partial, gap } = countStates(document);
  const { ledger, organisation, made_at: at } = document;
  const facts: (readonly [string, string])[] = [
    ['Scope', scopeText(document)],
    ['Made', at],
    ['Rows', `${formatCount(ledger.rows)}, ${formatCount(ledger.signed)} signed`],
    ['Package', document.id],
    ...(organisation.contact === null ? [] : [['Contact', organisation.contact] as const]),
  ];
  return html`<header>
    <p class="eyebrow">Evidence package</p>
    <h1>${printable(name)}</h1>
    <p class="lead">
      Of ${counted(document.attestations.length, 'attestation')}, ${met} met, ${partial} partial, ${gap}
      gap${gap === 1 ? '' : 's'}.
    </p>
    <dl class="meta">
      ${facts.map(
        ([term, fact]) =>
          html`<div>
            <dt>${term}</dt>
            <dd>${printable(fact, 300)}</dd>
          </div>`,
      )}
    </dl>
  </header>`;
}

function tag(state: keyof typeof STATE_WORDS): Html {
  return html`<span class="tag ${toneOf(state)}">${STATE_WORDS[state]}</span>`;
}

function results(document: EvidenceDocument): Html {
  const { met, partial, gap } = countStates(document);
  const first = document.attestations
    .filter(({ state }) => state !== 'met')
    .toSorted((a, b) => rank(a.state) - rank(b.state));
  return html`<section>
    <h2>Results</h2>
    ${splitBar('states', 'Attestations by state', [
      { label: 'met', count: met, tone: 'admitted' },
      { label: 'partial', count: partial, tone: 'same' },
      { label: 'gap', count: gap, tone: 'refused' },
    ])}
    <h3>Requirements by framework</h3>
    ${table(
      ['Framework', ...numbers('Met', 'Partial', 'Gap', 'Out of scope', 'Requirements')],
      document.requirements.map(({ name, summary, requirements }) => [
        name,
        ...[summary.met, summary.partial, summary.gap, summary.out_of_scope, requirements.length].map(
          formatCount,
        ),
      ]),
    )}
    ${
      first.length === 0
        ? null
        : html`<h3>What to look at first</h3>
            <ul>
              ${first.map(({ title, state, because }) => html`<li>${tag(state)} <b>${title}.</b> ${printable(because, 600)}</li>`)}
            </ul>`
    }
  </section>`;
}

function verification(document: EvidenceDocument, { digest, keyId }: ReportOptions): Html {
  const { public_key: link } = document.generation;
  return html`<section>
    <h2>How to verify</h2>
    <p>Nothing of ours is needed. In a directory with the unpacked files:</p>
    <ul>
      <li><code>base64 -d evidence.json.sig &gt; evidence.json.der</code></li>
      <li><code>openssl dgst -sha256 -verify key.pub -signature evidence.json.der evidence.json</code></li>
      <li><code>sha256sum -c SHA256SUMS</code></li>
    </ul>
    <p class="hint">README.txt has all commands. Compare the key with one that you were given another way.</p>
    <dl class="meta">
      <div>
        <dt>evidence.json</dt>
        <dd><code>sha256:${digest}</code></dd>
      </div>
      <div>
        <dt>Signing key</dt>
        <dd><code>${keyId}</code></dd>
      </div>
      ${
        link === null
          ? null
          : html`<div>
              <dt>Public keys</dt>
              <dd>${link}</dd>
            </div>`
      }
      ${
        document.ledger.tree === null
          ? null
          : html`<div>
              <dt>Checkpoint</dt>
              <dd>
                ${printable(document.ledger.tree.origin)}, ${formatCount(document.ledger.tree.size)} rows,
                root <code>${document.ledger.tree.root}</code>
              </dd>
            </div>`
      }
    </dl>
  </section>`;
}

function attestations({ attestations: all }: EvidenceDocument): Html {
  return html`<section>
    <h2>Attestations</h2>
    <p class="hint">
      Each is counted over all records of its population. What is unknown or not due yet neither passed nor
      failed.
    </p>
    ${table(
      ['Attestation', 'State', ...numbers('Population', 'Passed', 'Failed')],
      all.map((one) => [
        html`<b>${one.title}</b><br /><span class="soft">${printable(one.because, 800)}</span>`,
        tag(one.state),
        formatCount(one.population),
        formatCount(one.passed),
        formatCount(one.failed),
      ]),
    )}
  </section>`;
}

function frameworks({ requirements }: EvidenceDocument): Html {
  return html`${requirements.map(
    ({ name, version, date, summary, requirements: all }) =>
      html`<section>
        <h2>${name}</h2>
        <p class="hint">
          ${version}, ${date}: ${summary.met} met, ${summary.partial} partial, ${summary.gap} gap,
          ${summary.out_of_scope} of ${all.length} out of scope.
        </p>
        ${table(
          ['Requirement', 'State', 'Why'],
          all.map(({ id, title, state, why, attestations: by }) => [
            html`<code>${id}</code> ${title}`,
            tag(state),
            html`${why}${by.length === 0 ? null : html`<br /><span class="soft">${by.join(', ')}</span>`}`,
          ]),
        )}
      </section>`,
  )}`;
}

function files({ files: all }: EvidenceDocument): Html {
  return html`<section>
    <h2>Files</h2>
    ${table(
      ['File', ...numbers('Bytes'), 'SHA-256'],
      all.map(({ name, size, sha256 }) => [name, formatCount(size), html`<code>${sha256}</code>`]),
    )}
  </section>`;
}

function limits({ limits: all }: EvidenceDocument): Html {
  return html`<section>
    <h2>What was cut, and what this does not show</h2>
    <ul>
      ${all.map(({ section, shown, total, why }) => html`<li><code>${section}</code>: ${why}${total === null || total === 0 ? '' : ` (${formatCount(shown ?? 0)} of ${formatCount(total)})`}</li>`)}
      <li>Nothing here shows what ran outside of the clusters that report, or before the records began.</li>
      <li>
        A key that stands in the package shows that its parts belong together; whose key it is, you must know
        another way.
      </li>
    </ul>
  </section>`;
}
