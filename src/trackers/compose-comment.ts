import { cveOf } from './compose-parts.ts';
import { foreign } from './inert.ts';
import { CLOSE_REASONS, type CloseReason } from './issue.ts';
import type { ClosingPlan } from './ports.ts';
import type { EndedFinding } from './row.ts';
import { code, line, paragraph, rest, type Block, type Line, type Piece } from '../text/index.ts';

/** What each reason says, behind the word that stands in the row too. */
const MEANING: Readonly<Record<CloseReason, string>> = {
  fixed: 'the newest scan of the image no longer reports it.',
  triaged: 'a triage decision covers it on this image.',
  image_retired: 'no pod was seen running the image for 24 hours. This does not count as a fix.',
};

/** Where each finding stands with its reason. */
const ALL: readonly Piece[] = [code('ipo tracking list --state closed'), ' lists all of them.'];

/** Findings that a comment names; a tracker would cut more anyway. */
const NAMED = 500;

/**
 * composeComment writes the one comment of a sweep: "lists the findings that ended and why", and how many remain. "The closing comment
 * names the reason in the same words as the row."
 */
export function composeComment({ ended, remaining, leftOpen }: ClosingPlan): readonly Block[] {
  const reasons = CLOSE_REASONS.filter((reason) => ended.some((finding) => finding.reason === reason));
  const count = ended.length === 1 ? 'A finding' : `${ended.length} findings`;
  return [
    paragraph(`${count} of this issue ended. ${standing(remaining, leftOpen)}`),
    ...reasons.map((reason) => paragraph(code(reason), `: ${MEANING[reason]}`)),
    // Last, since a tracker that takes no more text cuts the end.
    { kind: 'list', items: ended.slice(0, NAMED).map(itemOf) },
    ...(ended.length > NAMED
      ? [paragraph(`${ended.length - NAMED} more ended for the reasons above. `, ...ALL)]
      : []),
    ...successors(ended),
    rest(...ALL),
  ];
}

function itemOf({ row, reason }: EndedFinding): Line {
  return line(cveOf(row.cve), ' in ', code(foreign(row.image ?? row.digest)), ': ', code(reason));
}

/** Images that are named; a fleet may have replaced very many at once. */
const SUCCESSORS = 20;

/** What runs in the place of retired images, once for each, with which of the findings it has too. */
function successors(ended: readonly EndedFinding[]): readonly Block[] {
  const retired = ended.filter(
    ({ reason, supersededBy }) => reason === 'image_retired' && supersededBy !== null,
  );
  const byDigest = [...Map.groupBy(retired, ({ supersededBy }) => supersededBy ?? '')];
  return byDigest
    .slice(0, SUCCESSORS)
    .map(([digest, all]) =>
      paragraph('The same workload runs ', code(foreign(digest)), ' now, which ', ...standingOf(all), '.'),
    );
}

function standingOf(all: readonly EndedFinding[]): Line {
  if (all.some(({ successorHasCve }) => successorHasCve === null)) return line('was not scanned yet');
  const kept = all.filter(({ successorHasCve }) => successorHasCve === true);
  if (kept.length === 0) return line(all.length === 1 ? 'does not have it' : 'has none of them');
  if (kept.length === all.length) return line(all.length === 1 ? 'has it too' : 'has all of them too');
  const named = kept
    .slice(0, SUCCESSORS)
    .flatMap(({ row }, at) => [...(at === 0 ? [] : [', ']), cveOf(row.cve)]);
  const more = kept.length - SUCCESSORS;
  return line('still has ', ...named, ...(more > 0 ? [` and ${more} more`] : []));
}

function standing(remaining: number, leftOpen: boolean): string {
  if (remaining === 1) return 'One finding remains; this issue stays open until it ends.';
  if (remaining > 1)
    return `${remaining} findings remain; this issue stays open until the last of them ends.`;
  return leftOpen
    ? 'None remains. The channel has no doneTransitionId, so this issue is left open: please close it by hand.'
    : 'None remains; this issue is closed.';
}
