import { byCodeUnit } from '../base/index.ts';
import { cut, fitting } from './sizes.ts';

/** REPORT_KINDS: no reports, those of openreports.io, or those of wgpolicyk8s.io. */
export const REPORT_KINDS = ['off', 'openreports', 'wgpolicy'] as const;

/** ReportKind is one of them. */
export type ReportKind = (typeof REPORT_KINDS)[number];

/** REPORT_NAME is the name of the one report that a namespace gets. */
export const REPORT_NAME = 'image-policy-operator';

/** Results that a report lists, worst first; its summary counts all. */
const MAX_RESULTS = 1000;
/** Bytes of them, so that the object stays below the 1.5 MiB that etcd takes. */
const MAX_RESULTS_BYTES = 1_200_000;

/** LastReview is the newest decision on an image in a namespace. `at` in UTC milliseconds. */
export interface LastReview {
  readonly namespace: string;
  readonly digest: string;
  readonly image: string;
  readonly at: number;
  readonly allowed: boolean;
  readonly reason: string;
  readonly label: string | null;
  readonly policy: string | null;
  readonly breakGlass: boolean;
}

type Result = 'pass' | 'fail' | 'skip';

interface Entry {
  readonly policy: string;
  readonly rule?: string;
  readonly message: string;
  readonly result: Result;
  readonly scored: boolean;
  readonly source: string;
  readonly category: string;
  readonly timestamp: { readonly seconds: number; readonly nanos: number };
  readonly properties: Readonly<Record<string, string>>;
}

/** PolicyReport is the content of a report; both APIs have the same. */
export interface PolicyReport {
  readonly scope: { readonly apiVersion: 'v1'; readonly kind: 'Namespace'; readonly name: string };
  readonly summary: Readonly<Record<'pass' | 'fail' | 'warn' | 'error' | 'skip', number>>;
  readonly results: readonly Entry[];
}

const ORDER: Readonly<Record<Result, number>> = { fail: 0, skip: 1, pass: 2 };

/**
 * toPolicyReport reports on the images of one namespace: a refusal fails, also one that an audit policy only recorded; one that was
 * bypassed by break-glass was skipped; everything else passes.
 */
export function toPolicyReport(namespace: string, reviews: readonly LastReview[]): PolicyReport {
  const entries = reviews
    .map(toEntry)
    .toSorted(
      (a, b) =>
        ORDER[a.result] - ORDER[b.result] ||
        byCodeUnit(a.properties['image'] ?? '', b.properties['image'] ?? '') ||
        byCodeUnit(a.properties['digest'] ?? '', b.properties['digest'] ?? ''),
    );
  const summary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
  for (const { result } of entries) summary[result] += 1;
  return {
    scope: { apiVersion: 'v1', kind: 'Namespace', name: namespace },
    summary,
    results: fitting(entries.slice(0, MAX_RESULTS), MAX_RESULTS_BYTES),
  };
}

function toEntry({ digest, image, at, allowed, reason, label, policy, breakGlass }: LastReview): Entry {
  const judged = allowed && !reason.startsWith('audit mode: ') ? 'pass' : 'fail';
  const result = breakGlass ? 'skip' : judged;
  return {
    policy: policy ?? 'none',
    ...(label !== null && { rule: label }),
    message: cut(reason === '' ? 'admitted' : reason, 1024),
    result,
    scored: true,
    source: REPORT_NAME,
    category: 'Image admission',
    timestamp: { seconds: Math.floor(at / 1000), nanos: (at % 1000) * 1_000_000 },
    properties: { digest, image: cut(image, 1024), ...(breakGlass && { break_glass: 'true' }) },
  };
}
