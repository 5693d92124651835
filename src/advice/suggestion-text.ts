import { formatTime, printable } from '../base/index.ts';
import { oneStepStricter, type PolicySpec } from '../policy/index.ts';
import { counted, formatCount, toYaml } from '../render/index.ts';
import type { Stage } from './plan.ts';
import type { Suggestion } from './suggest.ts';

/** The fields in the order of the schema, with the name under which steps tell of each. */
const ORDER: readonly (keyof PolicySpec)[] = [
  ...(['targetNamespaces', 'enforcement', 'severityThreshold', 'ignoreUnfixed', 'admissionTiming'] as const),
  ...([
    'allowedRegistries',
    'denyLatestTag',
    'digestEnforcement',
    'signature',
    'attestations',
    'provenance',
  ] as const),
  ...(['vex', 'knownExploited', 'endOfLifeOS', 'deploymentContext', 'workloadHardening'] as const),
  ...(['runtimeReconciliation', 'sla', 'breakGlass'] as const),
];

/** Images that a stage names. */
const NAMED = 5;

/** suggestionText writes a suggestion as a policy file: a comment at each field on what it rests, and the way further at the end. */
export function suggestionText(suggestion: Suggestion): string {
  const { name, spec, population, tolerated, cost } = suggestion;
  const from = `${counted(population.rows, 'admission')} of ${counted(population.images, 'image')}`;
  const head = [
    `${name}: made by ipo policy suggest from ${from}, from the ${counted(population.days, 'day')} to ${formatTime(population.asOf)}.`,
    `It would deny ${formatCount(cost)} of the admissions that were allowed (--tolerate: ${formatCount(tolerated)}).`,
    'Each digest counts as one image, and so does each reference of which no digest is known.',
    ...population.notes,
  ];
  const fields = ORDER.flatMap((field) => {
    const value = spec[field];
    if (value === undefined) return [];
    const why = whyOf(field, suggestion);
    return [...why.map((line) => `  # ${line}`), ...indent(toYaml({ [field]: value }))];
  });
  return `${[
    ...head.map((line) => `# ${printable(line, 400)}`),
    ...['apiVersion: ipo.dev/v1', 'kind: ImagePolicy', 'metadata:', ...indent(toYaml({ name })), 'spec:'],
    ...fields,
    ...planLines(suggestion).map((line) => `# ${printable(line, 400)}`),
  ].join('\n')}\n`;
}

function indent(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}

/** whyOf says on what a field rests, in lines without a mark. */
export function whyOf(field: keyof PolicySpec, suggestion: Suggestion): string[] {
  const { spec, population, steps, droppedRegistries } = suggestion;
  const lines: string[] = [];
  if (field === 'allowedRegistries' && spec.allowedRegistries.length > 0) {
    const dropped =
      droppedRegistries.length === 0
        ? ''
        : `; ${counted(droppedRegistries.length, 'path')} more left out: ${droppedRegistries.join(', ')}`;
    lines.push(
      `${counted(spec.allowedRegistries.length, 'entry', 'entries')} ${spec.allowedRegistries.length === 1 ? 'covers' : 'cover'} the ${counted(population.rows, 'admission')} of ${counted(population.images, 'image')}${dropped}`,
    );
  }
  const next = steps.filter((step) => step.field === `spec.${field}` && !step.value.startsWith('without '));
  for (const step of next.slice(0, 6))
    lines.push(
      `${step.value} would deny ${counted(step.cost, 'admission')}, or leave ${step.cost === 1 ? 'it' : 'them'} undecided`,
    );
  if (next.length === 0 && DECIDES.has(field)) lines.push(whyNoStep(field, spec));
  const { unscanned } = suggestion;
  if (unscanned > 0 && ASKS_SCANS.has(field))
    lines.push(
      `no scan is known of ${formatCount(unscanned)} of ${counted(population.images, 'image')}: once scanned, they may be denied`,
    );
  return lines.map((line) => printable(line, 400));
}

const DECIDES: ReadonlySet<keyof PolicySpec> = new Set([
  ...([
    'severityThreshold',
    'ignoreUnfixed',
    'admissionTiming',
    'denyLatestTag',
    'digestEnforcement',
  ] as const),
  ...([
    'knownExploited',
    'endOfLifeOS',
    'workloadHardening',
    'deploymentContext',
    'signature',
    'attestations',
  ] as const),
  'provenance' as const,
]);

/** Fields that deny by what a scan found: without one they deny nothing, which says nothing of the image. */
const ASKS_SCANS: ReadonlySet<keyof PolicySpec> = new Set([
  ...(['severityThreshold', 'knownExploited', 'endOfLifeOS'] as const),
]);

/** Why a field has no stricter step: what was seen is asked for, or nothing was seen that could be. */
function whyNoStep(field: keyof PolicySpec, spec: PolicySpec): string {
  switch (field) {
    case 'signature':
      return spec.signature.required ? 'the signers that were seen are required' : 'no signer was seen';
    case 'attestations':
      return spec.attestations.length > 0
        ? 'every attestation that was seen is required'
        : 'no attestation was seen';
    case 'provenance':
      return spec.provenance.minLevel > 0
        ? 'the builders that were seen are required'
        : 'no builder was seen';
    case 'deploymentContext':
      return oneStepStricter(spec) === null
        ? 'Escalate would change nothing: no gate on findings has a step that is stricter'
        : 'every signal escalates';
    default:
      return 'no stricter value is left';
  }
}

function planLines({ stages, unscanned }: Suggestion): string[] {
  const lines = ['', 'Plan'];
  let number = 0;
  const step = (text: string): void => void lines.push(`${(number += 1)}. ${text}`);
  if (unscanned > 0)
    step(
      `Scan the ${counted(unscanned, 'image')} of which no scan is known, and ask again with the reports (--trivy).`,
    );
  step(unscanned > 0 ? 'Enforce what is suggested then.' : 'Enforce this policy now.');
  const draw = (title: string, when: Stage['when']): void => {
    const own = stages.filter((stage) => stage.when === when);
    if (own.length === 0) return;
    step(title);
    for (const { field, value, rows, images } of own) {
      lines.push(`   ${field}: ${value} (${counted(images.length, 'image')}, ${counted(rows, 'admission')})`);
      for (const { image, fix } of images.slice(0, NAMED)) lines.push(`     ${image}: ${fix}`);
      if (images.length > NAMED) lines.push(`     and ${images.length - NAMED} more: --explain ${field}`);
    }
  };
  draw('After fixing these images:', 'after_fixing');
  draw('In a policy that audits first:', 'audit_first');
  return lines;
}
