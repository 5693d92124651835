import { Chalk, type ChalkInstance } from 'chalk';
import { counted, formatCount, displayWidth } from '../../src/render/index.ts';
import type { AnswerDocument, CheckDocument, ImageDocument } from '../../src/checks/index.ts';
import { imageText } from '../../src/whatif/report/index.ts';
import { clean } from '../terminal/clean.ts';

/** Narrower, a line would be cut in the middle of every name. */
const LEAST = 40;

interface View {
  readonly paint: ChalkInstance;
  readonly columns: number;
  /** Whether names are never cut: what goes to a file or another program is as wide as it is. */
  readonly whole: boolean;
}

/** renderCheckTable writes one block for each workload: every image with its verdict, why, and what would let it pass. */
export function renderCheckTable(
  document: CheckDocument,
  { color, columns, whole }: { readonly color: boolean; readonly columns: number; readonly whole: boolean },
): string {
  const view: View = { paint: new Chalk({ level: color ? 1 : 0 }), columns: Math.max(columns, LEAST), whole };
  const blocks = groupByWorkload(document).map((answers) => block(answers, view));
  return [...blocks, summary(document, view)].join('\n');
}

/** Workload is the answers that stand in one block. */
export interface WorkloadAnswers {
  readonly images: readonly ImageDocument[];
  readonly pod: AnswerDocument | null;
}

/** groupByWorkload puts the answers on images and on their pod together, in the order of the files. */
function groupByWorkload({ results, pods }: CheckDocument): readonly WorkloadAnswers[] {
  const groups = new Map<string, { images: ImageDocument[]; pod: AnswerDocument | null }>();
  const groupOf = (answer: AnswerDocument) => {
    const key = JSON.stringify([answer.file, answer.namespace, answer.kind, answer.name]);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { images: [], pod: null }));
    return group;
  };
  for (const pod of pods) groupOf(pod).pod = pod;
  for (const image of results) groupOf(image).images.push(image);
  return [...groups.values()].filter(({ images, pod }) => images.length > 0 || pod !== null);
}

/** nameWorkload names a workload as `Deployment shop/web`, and the pod of images given by name as such. */
export function nameWorkload({ kind, namespace, name }: AnswerDocument): string {
  return kind === null
    ? `images in ${clean(namespace)}`
    : `${clean(kind)} ${clean(namespace)}/${clean(name ?? '') || '(no name)'}`;
}

function block({ images, pod }: WorkloadAnswers, view: View): string {
  const { paint } = view;
  const first = images[0] ?? pod;
  if (first === null) return '';
  const place = pod === null || pod.file === null ? '' : `  ${paint.dim(`${clean(pod.file)}:${pod.line}`)}`;
  const answers = pod === null ? images : [...images, pod];
  const head = `${mark(worst(answers), paint)} ${paint.bold(nameWorkload(first))}${place}`;
  const names = images.map((image) => ({
    container: clean(image.container ?? '', 40),
    image: clean(image.image, 160) || '(no image)',
  }));
  const wide = Math.max(0, ...names.map(({ container }) => displayWidth(container)));
  const long = Math.min(
    Math.max(0, ...names.map(({ image }) => displayWidth(image))),
    Math.floor(view.columns / 2),
  );
  const lines = images.flatMap((image, i) => {
    const { container = '', image: shown = '' } = names[i] ?? {};
    const gap = wide === 0 ? '' : `${pad(container, wide)}  `;
    const indent = 4 + (wide === 0 ? 0 : wide + 2);
    return [
      `  ${mark(stateOf(image), paint)} ${gap}${answerLines(image, shown, { long, indent }, view)}`,
      ...details(image, indent, view),
    ];
  });
  return `${[head, ...lines, ...podLines(pod, view)].join('\n')}\n`;
}

/** A name gives way only where the terminal is narrower than it is; a word that has no room beside it stands below. */
function answerLines(
  image: ImageDocument,
  name: string,
  { long, indent }: { readonly long: number; readonly indent: number },
  { paint, columns, whole }: View,
): string {
  const room = whole ? Infinity : columns - indent;
  const shown = displayWidth(name) <= room ? name : imageText(name, room);
  const word = wordOf(image);
  if (word === '') return shown;
  const painted = stateColor(stateOf(image), paint)(word);
  const beside = `${pad(shown, long)}  `;
  return displayWidth(beside + word) <= room
    ? `${beside}${painted}`
    : `${shown}\n${' '.repeat(indent)}${painted}`;
}

function podLines(pod: AnswerDocument | null, view: View): string[] {
  if (pod === null || (pod.signals ?? []).length === 0) return [];
  const by = pod.exposed_by === null ? '' : ` (by ${clean(pod.exposed_by)})`;
  const signals = (pod.signals ?? []).map((signal) => `${clean(signal)}${signal === 'exposed' ? by : ''}`);
  const shown = `pod: ${signals.join(', ')}`;
  if (pod.label === null)
    return [
      ...wrap(shown, view.columns - 4).map((line) => `    ${view.paint.dim(line)}`),
      ...details(pod, 4, view),
    ];
  const state = stateOf(pod);
  return [
    `  ${mark(state, view.paint)} ${shown}  ${stateColor(state, view.paint)(wordOf(pod))}`,
    ...details(pod, 4, view),
  ];
}

/** Why, under which policy, and what would let it pass. */
function details(answer: AnswerDocument, indent: number, { paint, columns }: View): string[] {
  const state = stateOf(answer);
  const write = (text: string, color: (text: string) => string): string[] =>
    wrap(text, columns - indent).map((line) => `${' '.repeat(indent)}${color(line)}`);
  const plain = (text: string): string => text;
  const lines: string[] = [];
  if (answer.reason !== '') lines.push(...write(clean(answer.reason, 2000), plain));
  if (answer.break_glass)
    lines.push(
      ...write(
        `break-glass under policy ${clean(answer.policy ?? '')}: ${clean(answer.break_glass_reason ?? '')}`,
        paint.yellow,
      ),
    );
  const policy =
    answer.policy !== null && (state === 'refused' || state === 'audited')
      ? `policy ${clean(answer.policy)}`
      : null;
  const remedy =
    answer.remedy === null
      ? null
      : `to ${state === 'undecided' ? 'decide' : 'pass'}: ${clean(answer.remedy, 1000)}`;
  const next = [policy, remedy].filter((part) => part !== null).join('; ');
  if (next !== '') lines.push(...write(next, paint.dim));
  for (const warning of answer.warnings)
    lines.push(...write(`${warningHead(answer, warning)}: ${clean(warning, 1000)}`, paint.yellow));
  return lines;
}

/** Without its policy, a warning would read as the reason said twice. */
function warningHead({ warned_by }: AnswerDocument, warning: string): string {
  const policies = warned_by.flatMap((one) => (one.warning === warning ? [clean(one.policy)] : []));
  return policies.length === 0
    ? 'warning'
    : `warning (${policies.length === 1 ? 'policy' : 'policies'} ${policies.join(', ')})`;
}

/** State is how an answer is marked. */
export type State = 'refused' | 'undecided' | 'audited' | 'admitted';

/** stateOf tells how an answer is marked; what a policy could not say is undecided unless another refuses. */
export function stateOf({ allowed, label, decisions }: AnswerDocument): State {
  if (allowed === false) return 'refused';
  if (allowed === null) return 'undecided';
  if (label !== null) return 'audited';
  return decisions.some(({ verdict }) => verdict === 'unknown') ? 'undecided' : 'admitted';
}

/** isFailing tells an answer that fails the check: what is refused, and what nobody could decide unless that is allowed. */
export function isFailing(
  { allowed }: AnswerDocument,
  { undecided_allowed }: Pick<CheckDocument, 'undecided_allowed'>,
): boolean {
  return allowed === false || (allowed === null && !undecided_allowed);
}

function worst(answers: readonly AnswerDocument[]): State {
  const states = new Set(answers.map(stateOf));
  return (['refused', 'undecided', 'audited'] as const).find((state) => states.has(state)) ?? 'admitted';
}

function wordOf(answer: AnswerDocument): string {
  const state = stateOf(answer);
  if (state === 'undecided')
    return 'fault' in answer && answer.fault !== null ? 'invalid reference' : 'not decided';
  if (state === 'audited') return `${answer.label} (audited)`;
  if (answer.label !== null) return answer.label;
  if ('fault' in answer && answer.fault !== null) return 'invalid reference';
  if (answer.break_glass) return 'break-glass';
  return 'scanned' in answer && answer.scanned === false ? 'no scan record' : '';
}

function mark(state: State, paint: ChalkInstance): string {
  const sign = { refused: '✗', undecided: '?', audited: '!', admitted: '✓' }[state];
  return stateColor(state, paint)(sign);
}

function stateColor(state: State, paint: ChalkInstance): (text: string) => string {
  return { refused: paint.red, undecided: paint.magenta, audited: paint.yellow, admitted: paint.green }[
    state
  ];
}

/** Breaks a text at its spaces. A reference or an identity is not cut, so that it can be copied. */
function wrap(text: string, max: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > max) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function summary(document: CheckDocument, { paint }: View): string {
  const { results, pods, as_of } = document;
  const images = (state: State): number => results.filter((answer) => stateOf(answer) === state).length;
  const open = results.filter((answer) => answer.allowed === null && isFailing(answer, document));
  const whole = (state: State): number => pods.filter((answer) => stateOf(answer) === state).length;
  const parts: readonly (readonly [count: number, words: string, color: (text: string) => string])[] = [
    [images('refused'), 'denied', paint.red],
    [whole('refused'), 'denied as a whole pod', paint.red],
    [open.length, 'not decided, which fails the check', paint.red],
    [images('undecided') + whole('undecided') - open.length, 'not decided', paint.magenta],
    [images('audited') + whole('audited'), 'would be denied if enforced', paint.yellow],
    [images('admitted'), 'allowed', paint.green],
  ];
  const said = parts.flatMap(([count, words, color]) =>
    count > 0 ? [color(`${formatCount(count)} ${words}`)] : [],
  );
  const what = `${counted(results.length, 'image')}${pods.length === 0 ? '' : ` of ${counted(pods.length, 'pod')}`}`;
  return `${what} as of ${as_of}: ${said.length === 0 ? 'nothing to decide' : said.join(', ')}\n`;
}
