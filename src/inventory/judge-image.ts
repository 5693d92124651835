import { sha256Hex } from '../base/index.ts';
import { NO_FACTS, type ImageFacts } from '../facts/index.ts';
import { countBySeverity, isTriaged } from '../findings/index.ts';
import { parseTime } from '../base/index.ts';
import type { ColdImagePolicy } from '../ledger/index.ts';
import { governingAt, judgeCompliance, type Place } from './compliance.ts';
import type { PoliciesInForce } from './policies-in-force.ts';
import type { ImageToJudge, Judged, ScanSummary } from './ports.ts';
import { attentionOf, severityWeight, stateOf } from './state.ts';

/** JudgeContext is what all images of one round are judged by. */
export interface JudgeContext extends PoliciesInForce {
  readonly coldImagePolicy: ColdImagePolicy;
  /** Milliseconds. */
  readonly at: number;
}

/** placesOf gives where an image stands; one that was never seen stands nowhere, under its newest name. */
export function placesOf({ sightings, names }: Pick<ImageToJudge, 'sightings' | 'names'>): readonly Place[] {
  if (sightings.length > 0) return sightings;
  return [{ namespace: null, image: names[0] ?? '', signals: null, exposedBy: null }];
}

/** Names beyond these are found only by the digest. */
const MAX_SEARCHED = 50;
const MAX_NAME = 500;
const MAX_NAMESPACES = 50;

/**
 * judgeImage judges one image. `facts` are asked for only when what the last judgement was made from has changed or ended: they
 * are the large part.
 */
export async function judgeImage(
  image: ImageToJudge,
  context: JudgeContext,
  facts: () => Promise<ImageFacts | null>,
): Promise<Judged> {
  const { before, digest } = image;
  const places = placesOf(image);
  const basis = basisOf(image, places, context);
  const holds =
    before !== null &&
    before.basis === basis &&
    (before.judgedUntil === null || before.judgedUntil > context.at);
  const { scan, next, judgedUntil } = holds ? before : await judgeAnew(image, places, context, facts);
  const state = stateOf({ lastAllowed: image.lastAllowed, scanned: isWhole(scan), compliant: next === null });
  const severity = scan === null ? 0 : severityWeight(scan.findings);
  const namespaces = image.sightings.map(({ namespace }) => namespace);
  return {
    digest,
    touched: image.touched,
    judgedFor: context.key,
    judgedUntil,
    basis,
    state,
    attention: attentionOf(state, severity),
    severity,
    name: cut(image.names[0] ?? ''),
    search: [...image.names.slice(0, MAX_SEARCHED).map(cut), digest].join('\n').toLowerCase(),
    namespaces: namespaces.slice(0, MAX_NAMESPACES),
    scan,
    lastRowId: image.lastRowId,
    next,
  };
}

async function judgeAnew(
  image: ImageToJudge,
  places: readonly Place[],
  { policies, coldImagePolicy, at }: JudgeContext,
  facts: () => Promise<ImageFacts | null>,
): Promise<Pick<Judged, 'scan' | 'next' | 'judgedUntil'>> {
  const known = (image.hasFacts ? await facts() : null) ?? { ...NO_FACTS, digest: image.digest };
  const { next, until } = judgeCompliance(places, policies, known, coldImagePolicy, at);
  return {
    scan: summarise(known, at),
    next: next && { ...next, reason: cut(next.reason) },
    judgedUntil: until,
  };
}

/** summarise gives what the list reports a scan; null for none. */
export function summarise({ scan }: ImageFacts, at: number): ScanSummary | null {
  if (scan === null || scan.findings === null) return null;
  const { findings } = scan;
  return {
    scannedAt: scan.scannedAt === null ? null : parseTime(scan.scannedAt),
    os: scan.os,
    findings: countBySeverity(findings),
    fixable: findings.filter(({ fixed }) => fixed !== null).length,
    knownExploited: findings.filter(({ knownExploited }) => knownExploited === true).length,
    triaged: findings.filter((finding) => isTriaged(finding, at)).length,
    ...(scan.platforms && {
      platforms: scan.platforms.map(({ platform, scanned }) => ({ platform, scanned })),
    }),
  };
}

/** Whether there is a scan of each platform that the image is needed for. */
function isWhole(scan: ScanSummary | null): boolean {
  return scan !== null && (scan.platforms ?? []).every(({ scanned }) => scanned);
}

function basisOf(
  image: ImageToJudge,
  places: readonly Place[],
  { policies, coldImagePolicy }: JudgeContext,
): string {
  const seen = places.map(({ namespace, image, signals, exposedBy }) => [
    namespace,
    image,
    signals,
    exposedBy,
    governingAt(policies, namespace).map(({ name, revision }) => [name, revision]),
  ]);
  return sha256Hex(JSON.stringify([image.factsVersion, coldImagePolicy, seen])).slice(0, 32);
}

function cut(text: string): string {
  return text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME - 1).toWellFormed()}…`;
}
