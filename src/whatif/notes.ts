import { counted } from '../render/index.ts';
import type { Policy } from '../policy/index.ts';
import type { ReplayOrigin } from './ports.ts';
import type { Tally } from './tally.ts';

/** What the notes of an answer are made from. */
interface Noted {
  readonly draft: Policy;
  readonly limit: number;
  readonly truncated: boolean;
  readonly notEvaluated: number;
  readonly quotaAllowed: number;
  readonly compared: Policy | null;
  readonly origin: ReplayOrigin | null;
}

const SOURCES: Readonly<Record<ReplayOrigin['source'], string>> = {
  audit:
    "The rows were made from an API server's audit log, not from a ledger: groups of users and verdicts of policies are not in it, and digests of images only where a reference names one or a registry or report told it.",
  pods: 'The rows are the pods of a list, at the time at which each was created, however long ago: what was denied, and what has ended, is not among them.',
};

const LACKS: Readonly<Record<ReplayOrigin['lacks'][number], string>> = {
  exposure: 'Services and Ingresses were not given: the signal exposed shows ports of nodes only.',
  rest_of_list: 'The list of pods goes on elsewhere: pods of the cluster are missing here.',
};

function notesOnOrigin(origin: ReplayOrigin | null): string[] {
  return origin === null ? [] : [SOURCES[origin.source], ...origin.lacks.map((lack) => LACKS[lack])];
}

/** notesOf gives the sentences that a reader must know to read the counts right. */
export function notesOf(tally: Tally, noted: Noted): string[] {
  const { draft, compared } = noted;
  return [
    "Decisions use each image's scan record as it stands now, not as it stood at the admission.",
    ...notesOnOrigin(noted.origin),
    ...(draft.spec.enforcement === 'Audit'
      ? [
          'The draft is an Audit policy; it was replayed as if it enforced, so would_deny counts what it would only report.',
        ]
      : []),
    ...(noted.truncated
      ? [
          `Only the newest ${counted(noted.limit, 'covered row was', 'covered rows were')} decided; older ones in the period were left out.`,
        ]
      : []),
    ...(noted.notEvaluated > 0
      ? [
          'Rows that could not be decided (the reference does not parse, or a fact was never recorded) are in no other figure; JSON counts them in not_evaluated.',
        ]
      : []),
    ...(tally.clockSuspect > 0
      ? [
          `${counted(tally.clockSuspect, 'covered row is', 'covered rows are')} marked clock_suspect: the time is that of a clock that was behind, so rows of other times may be covered, and some of this time may not.`,
        ]
      : []),
    ...(tally.breakGlass > 0 ? ['Break-glass admissions are counted and not replayed.'] : []),
    ...(noted.quotaAllowed > 0
      ? [
          'The replay does not count ceilings of the licence again: rows that were denied because a ceiling was exceeded are shown as allowed, under quota.',
        ]
      : []),
    ...(compared === null
      ? [
          'No policy in effect has the name of the draft. To see the changed fields, name the policy that the draft was edited from: --source NAME.',
        ]
      : []),
    ...(tally.missing > 0
      ? ['Rows that have no policy in effect to compare with are counted in baseline.missing (JSON).']
      : []),
  ];
}
