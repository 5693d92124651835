import type { AlertCandidate, Candidate } from './candidates.ts';
import { foreign } from './inert.ts';
import type { IssueRef } from './issue.ts';

/** FiledIssue is an issue that our own account opened, with its marker and what it says (title first). */
export interface FiledIssue {
  readonly ref: IssueRef;
  readonly marker: string;
  readonly text: string;
  /** When it was opened, UTC milliseconds by the provider's clock. */
  readonly openedAt: number;
}

/** isSummary tells the issue of a first run, which may go on in comments. */
export function isSummary({ text }: Pick<FiledIssue, 'text'>): boolean {
  return /^\d+ critical findings? in \d/.test(text);
}

/** alertIn gives the runtime alert that an issue is of: its title names the rule, and its digest stands in it. */
export function alertIn(text: string, alerts: readonly AlertCandidate[]): AlertCandidate | null {
  const plain = unescaped(text);
  return (
    alerts.find(
      ({ digest, rule }) =>
        plain.startsWith(`RUNTIME: ${unescaped(foreign(rule, 100))} in `) && plain.includes(digest),
    ) ?? null
  );
}

function unescaped(text: string): string {
  return text.replaceAll(/[\\\u200B-\u200D\u2060\uFEFF]/g, '');
}

/**
 * findingsIn gives the candidates that a text names. Of one image, its digest and the CVE stand somewhere in it; of several, the CVE stands
 * behind the digest and before the next.
 */
export function findingsIn(text: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const plain = unescaped(text);
  const byDigest = Map.groupBy(candidates, ({ digest }) => digest);
  const places = [...byDigest.keys()].flatMap((digest) =>
    [...plain.matchAll(new RegExp(digest, 'g'))].map(({ index }) => ({ digest, index })),
  );
  const digests = new Set(places.map(({ digest }) => digest));
  const sorted = places.toSorted((a, b) => a.index - b.index);
  const found = new Set<Candidate>();
  for (const [at, { digest, index }] of sorted.entries()) {
    const section = digests.size === 1 ? plain : plain.slice(index, sorted[at + 1]?.index);
    const ids = new Set(section.match(/[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+(?:[:.][A-Za-z0-9]+)*)+/g));
    for (const candidate of byDigest.get(digest) ?? []) if (ids.has(candidate.cve)) found.add(candidate);
  }
  return [...found];
}
