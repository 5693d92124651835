import type { TrackerChannel } from '../channels/index.ts';
import { awayLine, isAwayForGood } from './away.ts';
import { ALERT_LABEL, composeAlert, composeAlertEnd } from './compose-alert.ts';
import { composeComment } from './compose-comment.ts';
import { composeIssue, type Text } from './compose-issue.ts';
import type { Described } from './compose-parts.ts';
import {
  findingKey,
  type FindingName,
  type IssueFacts,
  type IssueTerms,
  type KnownImage,
} from './compose-ports.ts';
import { composeSummary, type Summary } from './compose-summary.ts';
import type { Away } from './filing-ports.ts';
import type { Block } from '../text/index.ts';
import type { TrackingRow } from './row.ts';
import type { TextRooms } from './text-room.ts';
import type { IssuePlan, IssueWriter } from './ports.ts';
import { routeIssue, type Routed, type RouteRefusal } from './route.ts';

/** ToDescribe is a finding of which an issue is written; `at` is when it was claimed, UTC milliseconds. */
export interface ToDescribe extends FindingName {
  readonly severity: string | null;
  readonly at: number;
}

/** WriterDeps are what issues are written from. */
export interface WriterDeps {
  readonly facts: IssueFacts;
  readonly terms: IssueTerms;
  readonly rooms: TextRooms;
}

/** describeAll gathers what is known of findings, in their order. */
export async function describeAll(
  findings: readonly ToDescribe[],
  { facts, terms }: Pick<WriterDeps, 'facts' | 'terms'>,
): Promise<readonly Described[]> {
  const images = await facts.images([...new Set(findings.map(({ digest }) => digest))]);
  const known = await facts.findings(findings);
  const dueDates = await terms.dueDates([...new Set(findings.map(({ cve }) => cve))]);
  const windows = new Map<string, Promise<number | null>>();
  const windowOf = (digest: string): Promise<number | null> => {
    const namespaces = images.get(digest)?.namespaces ?? [];
    const key = JSON.stringify(namespaces);
    const window = windows.get(key) ?? terms.criticalWindow(namespaces);
    windows.set(key, window);
    return window;
  };
  const described: Described[] = [];
  for (const { digest, cve, severity, at } of findings)
    described.push({
      digest,
      cve,
      severity,
      at,
      image: images.get(digest) ?? null,
      finding: known.get(findingKey({ digest, cve })) ?? null,
      dueDate: dueDates.get(cve) ?? null,
      window: await windowOf(digest),
    });
  return described;
}

/** ComposedIssue is an issue as it would be opened, with why it goes where it goes. */
export interface ComposedIssue extends IssuePlan {
  readonly refused: RouteRefusal | null;
}

/** composeFor writes the issue of one finding, or of all of a first run, for a channel. `described` is not empty. */
export function composeFor(
  channel: TrackerChannel,
  described: readonly Described[],
  summary: boolean,
  rooms: TextRooms,
  away: Away | null = null,
): ComposedIssue {
  const [first] = described;
  if (first === undefined) throw new Error('an issue of no finding was asked for');
  const { target, by, refused, why } = placeOf(
    channel,
    described.map(({ image }) => image),
    away,
  );
  const text = summary ? composeSummary(described, rooms(channel), why) : withLine(composeIssue(first), why);
  return { target, ...text, labels: channel.settings.labels, by, refused };
}

/** placeOf says where the issue of these images goes, and what it says of that. An issue has one place: where several labels lead apart, it is the channel's own. */
function placeOf(
  channel: TrackerChannel,
  images: readonly (KnownImage | null)[],
  away: Away | null,
): Routed & { readonly why: readonly Block[] } {
  const own = routeIssue(channel, null);
  const [route = own, ...more] = images.map((image) => routeIssue(channel, image?.source ?? null));
  const named = more.every(({ target }) => target === route.target) ? route : own;
  const isGone = named.by === 'label' && away !== null && isAwayForGood(away, named.target);
  return isGone ? { ...own, why: [awayLine(away)] } : { ...named, why: [] };
}

/** alertPlan writes the issue of a runtime alert, which goes where those of the image's findings go. */
async function alertPlan(
  channel: TrackerChannel,
  row: TrackingRow,
  away: Away | null,
  { facts }: Pick<WriterDeps, 'facts'>,
): Promise<IssuePlan> {
  const images = await facts.images([row.digest]);
  const { target, by, why } = placeOf(channel, [images.get(row.digest) ?? null], away);
  const text = withLine(composeAlert(row, await facts.alert(row.digest, row.cve)), why);
  return { target, by, ...text, labels: [...new Set([...channel.settings.labels, ALERT_LABEL])] };
}

/** withLine has a line follow the first paragraph of an issue, which no comment continues. */
function withLine({ title, body }: Text, why: readonly Block[]): Summary {
  return { title, body: [...body.slice(0, 1), ...why, ...body.slice(1)], more: [] };
}

/** openIssueWriter makes the writer of issues. */
export function openIssueWriter(deps: WriterDeps): IssueWriter {
  return {
    async open(channel, rows, summary, away) {
      const [first] = rows;
      if (first?.kind === 'runtime') return alertPlan(channel, first, away, deps);
      const findings = rows.map(({ digest, cve, severity, claimedAt }) => ({
        digest,
        cve,
        severity,
        at: claimedAt,
      }));
      const described = await describeAll(findings, deps);
      const { refused: _, ...plan } = composeFor(channel, described, summary, deps.rooms, away);
      return plan;
    },
    async targets(channel, digests) {
      const images = await deps.facts.images(digests);
      const sources = digests.map((digest) => images.get(digest)?.source ?? null);
      return [...new Set([null, ...sources].map((source) => routeIssue(channel, source).target))];
    },
    close: async (_channel, plan) =>
      plan.ended[0]?.row.kind === 'runtime' ? composeAlertEnd(plan) : composeComment(plan),
  };
}
