import { cveOf } from './compose-parts.ts';
import { foreign } from './inert.ts';
import type { CloseReason } from './issue.ts';
import type { ClosingPlan } from './ports.ts';
import type { EndedFinding } from './row.ts';
import { code, line, paragraph, type Block, type Line } from './text.ts';

/** What each reason says, behind the word that stands in the row too. */
const MEANING: Readonly<Record<CloseReason, string>> = {
  fixed: 'the newest scan of the image no longer reports it',
  triaged: 'a triage decision covers it on this image',
  image_retired: 'no pod was seen running the image for 24 hours. This does not count as a fix',
};

/** Findings that a comment names; a tracker would cut more anyway. */
const NAMED = 500;

/**
 * composeComment writes the one comment of a sweep: "lists the findings that ended and why", and how many remain. "The closing comment
 * names the reason in the same words as the row."
 */
export function composeComment({ ended, remaining, leftOpen }: ClosingPlan): readonly Block[] {
  const reasons = new Set(ended.map(({ reason }) => reason));
  const [only] = reasons;
  const count = ended.length === 1 ? 'A finding' : `${ended.length} findings`;
  return [
    paragraph(
      `${count} of this issue ended`,
      ...(reasons.size === 1 && only !== undefined ? [': ', code(only), '.'] : ['.']),
    ),
    { kind: 'list', items: ended.slice(0, NAMED).map(itemOf) },
    ...(ended.length > NAMED ? [paragraph(`${ended.length - NAMED} more ended for the reasons above.`)] : []),
    paragraph(standing(remaining, leftOpen)),
  ];
}

function itemOf({ row, reason, supersededBy, successorHasCve }: EndedFinding): Line {
  return line(
    cveOf(row.cve),
    ' in ',
    code(foreign(row.image ?? row.digest)),
    ': ',
    code(reason),
    ` (${MEANING[reason]})`,
    ...(supersededBy === null || reason !== 'image_retired' ? [] : successor(supersededBy, successorHasCve)),
    '.',
  );
}

function successor(digest: string, hasCve: boolean | null): Line {
  const said =
    hasCve === null
      ? ', which was not scanned yet'
      : hasCve
        ? ', which has it too'
        : ', which does not have it';
  return line('; the same workload runs ', code(foreign(digest)), ' now', said);
}

function standing(remaining: number, leftOpen: boolean): string {
  if (remaining === 1) return 'One finding remains; this issue stays open until it ends.';
  if (remaining > 1)
    return `${remaining} findings remain; this issue stays open until the last of them ends.`;
  return leftOpen
    ? 'None remains. The channel has no doneTransitionId, so this issue is left open: please close it by hand.'
    : 'None remains; this issue is closed.';
}
