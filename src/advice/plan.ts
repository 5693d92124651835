import { byCodeUnit } from '../base/index.ts';
import { decide } from '../decision/index.ts';
import { severityRank } from '../findings/index.ts';
import type { PolicySpec } from '../policy/index.ts';
import { counted } from '../render/index.ts';
import { verdictsOf, type Group, type Population } from './population.ts';
import { imageKey } from './population.service.ts';
import type { Step } from './steps.ts';

/** Stage is a part of the way: what can be enforced now, what after fixing some images, what should be audited first. */
export interface Stage {
  readonly when: 'after_fixing' | 'audit_first';
  readonly field: string;
  readonly value: string;
  readonly rows: number;
  readonly images: readonly ToFix[];
}

/** ToFix is an image that stands in the way, and what lets it pass. */
export interface ToFix {
  readonly image: string;
  readonly rows: number;
  readonly fix: string;
}

/** So many images can be fixed before a step is taken; with more it is audited first. */
const FEW = 10;
/** Packages named for one image. */
const PACKAGES = 3;

/** stagesOf says of each step who stands in its way. Steps that only leave out an entry of a list are not goals. */
export function stagesOf(population: Population, spec: PolicySpec, steps: readonly Step[]): Stage[] {
  const before = verdictsOf(population, spec);
  return steps
    .filter(({ value }) => !value.includes('without '))
    .map((step) => stageOf(population, before, step))
    .filter(({ images }) => images.length > 0)
    .toSorted(
      (a, b) =>
        Number(a.when === 'audit_first') - Number(b.when === 'audit_first') ||
        a.rows - b.rows ||
        byCodeUnit(a.field + a.value, b.field + b.value),
    );
}

function stageOf(population: Population, before: readonly string[], { field, value, spec }: Step): Stage {
  const after = verdictsOf(population, spec);
  const { groups, asOf } = population;
  const blocked = groups.filter((group, i) => group.allowed && before[i] === 'allow' && after[i] !== 'allow');
  const passing = groups.filter((_, i) => after[i] === 'allow');
  const byImage = Map.groupBy(blocked, imageKey);
  const images = [...byImage.values()].flatMap((own): ToFix[] => {
    const [first] = own;
    if (first === undefined) return [];
    return [
      {
        image: first.image,
        rows: own.reduce((sum, { rows }) => sum + rows, 0),
        fix: fixOf(first, spec, asOf, passing),
      },
    ];
  });
  return {
    when: images.length <= FEW ? 'after_fixing' : 'audit_first',
    field,
    value,
    rows: images.reduce((sum, { rows }) => sum + rows, 0),
    images: images.toSorted((a, b) => b.rows - a.rows || byCodeUnit(a.image, b.image)),
  };
}

/** Another image of the same repository that passes is the shortest way; else what the gate asks for. */
function fixOf(group: Group, spec: PolicySpec, at: number, passing: readonly Group[]): string {
  const { subject, image } = group;
  if (subject === null) return 'write a reference that can be read';
  const decision = decide({ name: 'step', revision: '', spec }, subject, at);
  if (decision.kind === 'unknown') return `find out its ${decision.fact.replaceAll('_', ' ')}`;
  if (decision.kind === 'admit')
    return group.signals === null
      ? 'record the signals of its pod'
      : `change its pod so that it no longer has the ${group.signals.length === 1 ? 'signal' : 'signals'} ${group.signals.join(', ')}`;
  const other = passing
    .filter((one) => one.subject?.reference.name === subject.reference.name && one.image !== image)
    .map((one) => one.image)
    .toSorted(byCodeUnit)
    .at(-1);
  if (other !== undefined) return `move to ${other}, which passes`;
  switch (decision.label) {
    case 'threshold':
    case 'known_exploited':
      return packagesToFix(group, spec);
    case 'tag':
      return 'name a version instead of latest';
    case 'digest':
      return `name it by digest${subject.digest === null ? '' : `: ${subject.reference.name}@${subject.digest}`}`;
    case 'unscanned':
      return 'scan it';
    case 'signature':
      return 'sign it';
    case 'end_of_life':
      return 'build it on a release of its operating system that is still maintained';
    default:
      return decision.sentence;
  }
}

function packagesToFix({ subject }: Group, spec: PolicySpec): string {
  const from = severityRank(spec.severityThreshold) ?? Infinity;
  const judged = (subject?.facts.scan?.findings ?? []).filter(
    ({ rank, fixed, knownExploited }) =>
      (rank >= from && !(spec.ignoreUnfixed && fixed === null)) ||
      (knownExploited === true && spec.knownExploited === 'block'),
  );
  const fixable = judged.filter(({ fixed }) => fixed !== null);
  const packages = [
    ...new Set(fixable.map((one) => `${one.package} ${one.fixed ?? ''} (${one.cve})`)),
  ].toSorted(byCodeUnit);
  const more = packages.length > PACKAGES ? ` and ${packages.length - PACKAGES} more` : '';
  const open = judged.length - fixable.length;
  const unfixed =
    open === 0
      ? ''
      : `${packages.length === 0 ? '' : '; '}${counted(open, 'finding has', 'findings have')} no fixed version: triage ${open === 1 ? 'it' : 'them'} or replace the image`;
  return packages.length === 0
    ? unfixed
    : `update ${packages.slice(0, PACKAGES).join(', ')}${more}${unfixed}`;
}
