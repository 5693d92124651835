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
    'The rows come from an audit log of the API server, not from a ledger. They lack the groups of users and the verdicts of policies. They have a digest only if a reference, a registry or a report names it.',
  pods: 'The rows are the pods of a list, each at the time of its creation, however long ago. Denied pods and pods that have ended are not among them.',
};

const LACKS: Readonly<Record<ReplayOrigin['lacks'][number], string>> = {
  exposure: 'Services and Ingresses were not given: the signal exposed shows only pods with a hostPort.',
  rest_of_list: 'The list of pods is incomplete: it is one page of a longer list.',
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
          `${counted(tally.clockSuspect, 'covered row is', 'covered rows are')} marked clock_suspect: their time comes from a clock that was behind. So rows from outside the period may be covered, and rows inside it may be missing.`,
        ]
      : []),
    ...(tally.breakGlass > 0 ? ['Break-glass admissions are counted and not replayed.'] : []),
    ...(noted.quotaAllowed > 0
      ? ['Licence ceilings are not replayed: rows that a ceiling denied appear as allowed, under quota.']
      : []),
    ...(compared === null
      ? [
          'No policy in effect has the name of the draft. To see the changed fields, name the policy from which you made the draft: --source NAME.',
        ]
      : []),
    ...(tally.missing > 0
      ? ['Rows that have no policy in effect to compare with are counted in baseline.missing (JSON).']
      : []),
  ];
}
