import { printable } from '../../src/base/index.ts';
import { toAnnotations, toJUnit, toSarif, type Finding, type JUnitCase } from '../../src/render/index.ts';
import { isImageAnswer, type AnswerDocument, type CheckDocument } from '../../src/checks/index.ts';
import { isFailing, nameWorkload, stateOf } from './view.ts';

/** PolicyPlaces tells where each policy stands, by name: that is cited for an image that no manifest names. */
export type PolicyPlaces = ReadonlyMap<
  string,
  { readonly file: string; readonly line: number; readonly column: number }
>;

/** renderCheckSarif writes what was refused, audited, not decided and warned of, for code scanning. */
export function renderCheckSarif(document: CheckDocument, policies: PolicyPlaces, version: string): string {
  const { refused, audited, undecided, as_of } = document;
  return toSarif(toFindings(document, policies), {
    version,
    category: 'ipo-check',
    properties: { refused, audited, undecided, as_of },
  });
}

/** renderCheckAnnotations writes the same as annotations of GitHub Actions. */
export function renderCheckAnnotations(document: CheckDocument, policies: PolicyPlaces): string {
  return toAnnotations(toFindings(document, policies));
}

/** renderCheckJUnit writes a test for each image and each pod; what is refused or could not be decided has failed. */
export function renderCheckJUnit(document: CheckDocument): string {
  const { results, pods, as_of } = document;
  const cases = [...results, ...pods].map((answer): JUnitCase => {
    const about = { name: nameAnswer(answer), classname: nameWorkload(answer) };
    const text = sentenceOf(answer);
    const said = [text, ...answer.warnings.map((warning) => `warning: ${warning}`)]
      .filter((line) => line !== '')
      .join('\n');
    if (isFailing(answer, document)) {
      const type = answer.label ?? (answer.allowed === null ? 'undecided' : 'refused');
      return { ...about, failure: { type, message: answer.reason, text: said } };
    }
    return said === '' ? about : { ...about, output: said };
  });
  return toJUnit({ name: 'ipo check', cases, properties: { as_of } });
}

const TITLES = {
  refused: 'Image denied',
  audited: 'Image would be denied if enforced',
  undecided: 'Image not decided',
  admitted: 'Image admitted',
} as const;

function toFindings(document: CheckDocument, policies: PolicyPlaces): Finding[] {
  const { results, pods } = document;
  return [...results, ...pods].flatMap((answer) => {
    const [anyPolicy] = policies.values();
    const state = stateOf(answer);
    const own =
      answer.file === null
        ? undefined
        : { file: answer.file, line: answer.line ?? 1, column: answer.column ?? 1 };
    const place = own ?? policies.get(answer.policy ?? '') ?? anyPolicy;
    if (place === undefined) return [];
    const who = `${nameWorkload(answer)}, ${nameAnswer(answer)}`;
    const title = isImageAnswer(answer) ? TITLES[state] : TITLES[state].replace('Image', 'Pod');
    const found: Finding[] = [];
    if (state !== 'admitted') {
      const rule = state === 'undecided' ? 'undecided' : (answer.label ?? 'refused');
      found.push({
        ruleId: rule,
        ruleTitle: `${title}${state === 'undecided' ? '' : `: ${rule}`}`,
        level: isFailing(answer, document) ? 'error' : 'warning',
        message: `${who}: ${sentenceOf(answer)}`,
        ...place,
        identity: JSON.stringify([who, rule, answer.policy]),
        properties: {
          allowed: answer.allowed,
          policy: answer.policy,
          policy_revision: answer.policy_revision,
        },
      });
    }
    const warned = answer.warnings.map((warning): Finding => ({
      ruleId: 'warning',
      ruleTitle: 'The policy warns',
      level: 'note',
      message: `${who}: ${warning}`,
      ...place,
      identity: JSON.stringify([who, warning]),
    }));
    return [...found, ...warned];
  });
}

function sentenceOf(answer: AnswerDocument): string {
  const { reason, policy, remedy } = answer;
  if (reason === '') return '';
  const isOpen = stateOf(answer) === 'undecided';
  const under = isOpen || policy === null ? '' : ` (policy ${printable(policy)})`;
  return `${reason}${under}${remedy === null ? '' : `. To ${isOpen ? 'decide' : 'pass'}: ${remedy}`}`;
}

function nameAnswer(answer: AnswerDocument): string {
  if (!isImageAnswer(answer)) return 'the pod';
  const image = printable(answer.image) || '(no image)';
  return answer.container === null || answer.container === ''
    ? image
    : `${printable(answer.container)}: ${image}`;
}
