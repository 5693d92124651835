import { printable } from '../base/index.ts';
import { AUDIT_PREFIX } from '../decision/index.ts';
import { VOLUME } from '../pods/index.ts';

/** ReviewAnswer is what goes back to the API server. */
export interface ReviewAnswer {
  readonly uid: string;
  readonly allowed: boolean;
  /** Why a pod is refused; empty when it is admitted. */
  readonly message: string;
  readonly warnings: readonly string[];
  /** Kept by the API server's own audit log. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** AnsweredRow is what a row records of an answer; also a row that was read back. */
export interface AnsweredRow {
  readonly container?: string | null;
  readonly allowed: boolean;
  readonly reason: string;
  readonly policy?: string | null;
  readonly label?: string | null;
  readonly break_glass?: boolean | null;
  readonly break_glass_reason?: string | null;
}

/** What the API server shows of one warning, and of all of them. */
const MOST_WARNING = 256;
const MOST_WARNINGS = 4096;
const MOST_MESSAGE = 4000;

const HEAD = '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":';

/** writeAnswer writes an answer as the API server reads it. */
export function writeAnswer({ uid, allowed, message, warnings, annotations }: ReviewAnswer): string {
  let text = `${HEAD}${JSON.stringify(uid)},"allowed":${allowed}`;
  if (!allowed)
    text += `,"status":${JSON.stringify({ code: 403, reason: 'Forbidden', message: printable(message, MOST_MESSAGE) })}`;
  if (warnings.length > 0) text += `,"warnings":${JSON.stringify(shortened(warnings))}`;
  if (annotations !== undefined) text += `,"auditAnnotations":${JSON.stringify(annotations)}`;
  return `${text}}}`;
}

/** answerFrom gives the answer of a review from its rows, also from rows that were read back. */
export function answerFrom(
  uid: string,
  allowed: boolean,
  rows: readonly AnsweredRow[],
  warnings: readonly string[],
): ReviewAnswer {
  return {
    uid,
    allowed,
    message: allowed ? '' : messageOf(rows),
    warnings: [...warnings, ...auditWarnings(rows)],
    annotations: annotationsOf(rows),
  };
}

/** isNotable tells whether rows say more than that an image was admitted. */
export function isNotable(rows: readonly AnsweredRow[]): boolean {
  return rows.some(({ label, break_glass }) => Boolean(label) || break_glass === true);
}

/** Why a pod is refused, from its rows: each refusal with its container and policy, each sentence once, as far as it is shown. */
function messageOf(rows: readonly AnsweredRow[]): string {
  const said = new Set<string>();
  let length = 0;
  for (const row of rows) {
    if (row.allowed) continue;
    const sentence = sentenceWithPlace(row);
    if (!said.has(sentence)) length += sentence.length;
    said.add(sentence);
    if (length > MOST_MESSAGE) break;
  }
  return [...said].join('; ');
}

/** What audit policies would have refused, from the rows of a review. */
function auditWarnings(rows: readonly AnsweredRow[]): string[] {
  return rows.filter(({ reason }) => reason.startsWith(AUDIT_PREFIX)).map(sentenceWithPlace);
}

/** What the API server's audit log should keep, or undefined where a pod was simply admitted. */
function annotationsOf(rows: readonly AnsweredRow[]): Readonly<Record<string, string>> | undefined {
  const bypass = rows.find(({ break_glass }) => break_glass === true);
  if (bypass !== undefined)
    return { 'break-glass': bypass.break_glass_reason ?? '', policy: bypass.policy ?? '' };
  const first = rows.find(({ allowed }) => !allowed) ?? rows.find(({ label }) => Boolean(label));
  if (first === undefined) return undefined;
  return {
    label: first.label ?? '',
    policy: first.policy ?? '',
    reason: printable(first.reason.slice(0, MOST_MESSAGE), 1000),
  };
}

function sentenceWithPlace({ container, reason, policy }: AnsweredRow): string {
  const by = policy ? ` (policy ${policy})` : '';
  const said = `${reason.length > MOST_MESSAGE ? reason.slice(0, MOST_MESSAGE) : reason}${by}`;
  return container ? `${placeOf(container)}: ${said}` : said;
}

/** placeOf names a container, or a volume (`volume/data`), as a sentence does. */
export function placeOf(container: string): string {
  return container.startsWith(VOLUME) ? `volume ${container.slice(VOLUME.length)}` : `container ${container}`;
}

function shortened(warnings: readonly string[]): string[] {
  const kept: string[] = [];
  let left = MOST_WARNINGS;
  for (const warning of new Set(warnings)) {
    const shown = printable(warning, MOST_WARNING);
    left -= Buffer.byteLength(shown);
    if (left < 0) break;
    kept.push(shown);
  }
  return kept;
}
