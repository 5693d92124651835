import { printable } from '../base/index.ts';
import { BYPASS_DID_NOT_COUNT, bypassFault } from '../decision/index.ts';
import type { NewRow } from '../ledger/index.ts';
import type { Policy } from '../policy/index.ts';
import { pseudonymOf } from './requester.ts';
import type { ReviewDecision } from './review-decide.ts';
import { recordedDigest } from './review-image.ts';
import type { PodReview, UnreadableReview } from './review-request.ts';

/**
 * What people write is kept up to this many characters; a row has a bound of its own (256 KiB). The sentences of one review share a bound
 * as well: a pod may name an image with thousands of findings in hundreds of containers.
 */
const MOST_REASON = 200_000;
const MOST_REASONS = 2_000_000;
const MOST_IMAGE = 2000;
/** MOST_BYPASS is how many characters of the reason of a break-glass are kept. */
export const MOST_BYPASS = 1000;

/** suffixOf gives what the recorded reason of a subresource ends in: `; subresource ephemeralcontainers`; else nothing. */
function suffixOf(subresource: string | null): string {
  return subresource === null ? '' : `; subresource ${subresource}`;
}

/**
 * bypassSuffixOf says behind a refusal, also one for the record, why a break-glass that the pod asks for did not count; nothing where it
 * asks for none.
 */
export function bypassSuffixOf(
  { breakGlass, groups }: Pick<PodReview, 'breakGlass' | 'groups'>,
  { label, policy }: { readonly label: string | null; readonly policy: Policy | null },
): string {
  if (breakGlass === null || label === null || policy === null) return '';
  const fault = bypassFault(policy, { reason: breakGlass, groups });
  return fault === null ? '' : BYPASS_DID_NOT_COUNT + fault;
}

/**
 * rowsOf gives the rows of a decided review: one for each decided image, and one without an image for what was said against the
 * pod as a whole. None when nothing was decided.
 */
export function rowsOf(
  review: PodReview,
  decision: ReviewDecision,
  cluster: string | null,
  at: number,
): NewRow[] {
  const { namespace, pod, podUid, subresource, breakGlass } = review;
  const { allowed, images, hardening, signals, exposedBy, platform } = decision;
  const requester = pseudonymOf(review.username);
  const suffix = suffixOf(subresource);
  const mostReason = Math.min(MOST_REASON, Math.floor(MOST_REASONS / images.length));
  const rows: NewRow[] = images.map((image) => ({
    at,
    kind: 'review',
    cluster,
    namespace,
    pod,
    pod_uid: podUid,
    container: image.of.container,
    image: cut(image.of.image, MOST_IMAGE),
    digest: recordedDigest(image.of.digest),
    allowed: image.allowed,
    review_allowed: allowed,
    reason: cut(image.reason, mostReason) + bypassSuffixOf(review, image) + suffix,
    label: image.label,
    policy: image.policy?.name ?? null,
    policy_revision: image.policy?.revision ?? '',
    break_glass: image.breakGlass,
    break_glass_reason: image.breakGlass ? printable(breakGlass ?? '', MOST_BYPASS) : null,
    signals,
    exposed_by: exposedBy,
    subresource,
    requester,
    pod_level: false,
    inputs: image.inputs,
    ...(platform !== null && { platform }),
  }));
  if (hardening !== null && hardening.label !== null) {
    rows.push({
      at,
      kind: 'review',
      cluster,
      namespace,
      pod,
      pod_uid: podUid,
      container: null,
      image: null,
      digest: null,
      allowed: hardening.allowed,
      review_allowed: allowed,
      reason: hardening.reason + bypassSuffixOf(review, hardening) + suffix,
      label: hardening.label,
      policy: hardening.policy?.name ?? null,
      policy_revision: hardening.policy?.revision ?? '',
      break_glass: false,
      break_glass_reason: null,
      signals,
      exposed_by: exposedBy,
      subresource,
      requester,
      pod_level: true,
      inputs: null,
    });
  }
  return rows;
}

/** unreadableRow gives the row of a review that could not be read, with as much of it as could. */
export function unreadableRow(
  { namespace, pod, username, subresource, what }: UnreadableReview,
  cluster: string | null,
  allowed: boolean,
  at: number,
): NewRow {
  return {
    at,
    kind: 'review',
    cluster,
    namespace,
    pod,
    allowed,
    review_allowed: allowed,
    reason: `not readable: ${what}${suffixOf(subresource)}`,
    subresource,
    requester: pseudonymOf(username),
    pod_level: true,
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
