import { canonicalJson, printable } from '../base/index.ts';
import { readManifestDocuments, type ManifestDocument } from '../manifests/index.ts';
import type { PolicySpec } from '../policy/index.ts';
import { clusterImagePolicyRule } from './cluster-image-policy.ts';
import { connaisseurRules } from './connaisseur.ts';
import { GATEKEEPER, gatekeeperEnforces, gatekeeperRule } from './gatekeeper.ts';
import { imageValidatingRules, validatingRules } from './kyverno-policies.ts';
import {
  at,
  left,
  listAt,
  NOTHING,
  outcomeOf,
  textAt,
  textsIn,
  type Converted,
  type ImportedRule,
  type Json,
  type Part,
} from './imported.ts';
import { kyvernoEnforces, kyvernoRules } from './kyverno.ts';

/** ImportedPolicy is one policy of ours. */
export interface ImportedPolicy {
  readonly name: string;
  readonly spec: PolicySpec;
  /** Of the first rule that it came from. */
  readonly from: string;
}

/** ImportResult is what files of other tools became. */
export interface ImportResult {
  readonly policies: readonly ImportedPolicy[];
  readonly rules: readonly ImportedRule[];
  /** Documents that are not policies of images: their kinds, each once. */
  readonly passedOver: readonly string[];
}

/** A policy of another tool, taken apart. */
interface Source {
  readonly kind: string;
  readonly name: string;
  readonly rules: readonly Converted[];
  enforces(rule: Converted): boolean;
}

/** importPolicies reads texts of other tools. Throws ManifestError for what is not YAML or JSON. Pure. */
export function importPolicies(
  files: readonly { readonly file: string; readonly text: string }[],
): ImportResult {
  const policies: ImportedPolicy[] = [];
  const rules: ImportedRule[] = [];
  const passedOver = new Set<string>();
  const names = new Set<string>();
  for (const { file, text } of files)
    for (const document of readManifestDocuments(text, file)) {
      for (const { value, path } of itemsOf(document.value)) {
        const source = sourceOf(value);
        if (source === null)
          passedOver.add(printable(textAt(value, 'kind') || 'a document without a kind', 80));
        else take(source, file, { ...document, placeOf: (below) => document.placeOf([...path, ...below]) });
      }
    }
  return { policies, rules, passedOver: [...passedOver] };

  function take(source: Source, file: string, document: ManifestDocument): void {
    const label = printable(`${source.kind} ${source.name}`, 200);
    const made: { key: string; part: Part; rules: Converted[] }[] = [];
    for (const rule of source.rules)
      for (const part of outcomeOf(rule) === 'not_covered' ? [] : rule.parts) {
        const whole: Part = { ...part, enforcement: source.enforces(rule) ? 'Enforce' : 'Audit' };
        const key = canonicalJson([whole.enforcement, whole.targetNamespaces ?? []]);
        const fitting = made.find((one) => one.key === key && agree(one.part, whole));
        if (fitting === undefined) made.push({ key, part: whole, rules: [rule] });
        else Object.assign(fitting, { part: { ...fitting.part, ...whole }, rules: [...fitting.rules, rule] });
      }
    const named = made.map((one) => ({ ...one, name: nameFor(source.name) }));
    for (const { name, part, rules: own } of named) {
      const place = document.placeOf(own[0]?.path ?? []);
      policies.push({ name, spec: { ...NOTHING, ...part }, from: `${file}:${place.line} ${label}` });
    }
    for (const rule of source.rules)
      rules.push({
        file,
        ...document.placeOf(rule.path),
        source: label,
        rule: printable(rule.rule, 200),
        outcome: outcomeOf(rule),
        policies: named.filter((one) => one.rules.includes(rule)).map(({ name }) => name),
        reasons: [
          ...(rule.notCovered === null ? [] : [rule.notCovered]),
          ...rule.wider,
          ...rule.narrower,
        ].map((why) => printable(why, 400)),
      });
  }

  /** A name that Kubernetes takes, each once. */
  function nameFor(text: string): string {
    const base =
      text
        .toLowerCase()
        .replaceAll(/[^a-z0-9.-]+/g, '-')
        .replaceAll(/^[-.]+|[-.]+$/g, '')
        .slice(0, 50) || 'imported';
    let name = base;
    for (let n = 2; names.has(name); n += 1) name = `${base}-${n}`;
    names.add(name);
    return name;
  }
}

/** Two parts that say the same or speak of other fields are one policy. */
function agree(one: Part, other: Part): boolean {
  const fields = Object.keys(other) as (keyof Part)[];
  return fields.every(
    (field) => one[field] === undefined || canonicalJson(one[field]) === canonicalJson(other[field]),
  );
}

function itemsOf(value: unknown): { value: Json; path: readonly PropertyKey[] }[] {
  const own = at({ value }, 'value');
  const items = textAt(own, 'kind') === 'List' ? listAt(own, 'items') : [];
  return items.length === 0
    ? [{ value: own, path: [] }]
    : items.map((item, i) => ({ value: at({ item }, 'item'), path: ['items', i] }));
}

function sourceOf(value: Json): Source | null {
  const kind = textAt(value, 'kind');
  const group = textAt(value, 'apiVersion').split('/')[0] ?? '';
  const name = textAt(value, 'metadata', 'name') || kind || 'imported';
  const spec = at(value, 'spec');
  const always = (): boolean => true;
  if (group.endsWith('kyverno.io')) return kyvernoSource(kind, name, spec);
  if (group === 'constraints.gatekeeper.sh') {
    const rules = [
      GATEKEEPER.has(kind)
        ? gatekeeperRule(kind, spec)
        : left(kind, ['kind'], 'its template is none of those about images'),
    ];
    return { kind, name, rules, enforces: () => gatekeeperEnforces(spec) };
  }
  if (kind === 'ClusterImagePolicy' && group === 'policy.sigstore.dev')
    return {
      kind,
      name,
      rules: [clusterImagePolicyRule(spec)],
      enforces: () => textAt(spec, 'mode') !== 'warn',
    };
  const [config, below] = Object.hasOwn(at(value, 'application'), 'validators')
    ? [at(value, 'application'), ['application']]
    : [value, []];
  if (kind === '' && Object.hasOwn(config, 'validators') && Object.hasOwn(config, 'policy')) {
    const detects = at(config, 'features')['detectionMode'] === true;
    return {
      kind: 'Connaisseur',
      name: 'connaisseur',
      rules: connaisseurRules(config, below),
      enforces: detects ? () => false : always,
    };
  }
  return null;
}

function kyvernoSource(kind: string, name: string, spec: Json): Source | null {
  const enforces = (): boolean =>
    textsIn(listAt(spec, 'validationActions')).includes('Deny') ||
    listAt(spec, 'validationActions').length === 0;
  switch (kind) {
    case 'ClusterPolicy':
    case 'Policy': {
      const rules = kyvernoRules(spec);
      const written = listAt(spec, 'rules');
      return {
        kind,
        name,
        rules,
        enforces: (rule) => kyvernoEnforces(spec, (written[rules.indexOf(rule)] ?? {}) as Json),
      };
    }
    case 'ValidatingPolicy':
      return { kind, name, rules: [validatingRules(spec)], enforces };
    case 'ImageValidatingPolicy':
      return { kind, name, rules: [imageValidatingRules(spec)], enforces };
    default:
      return /Policy$/.test(kind) && kind !== 'PolicyException'
        ? {
            kind,
            name,
            rules: [left(kind, ['kind'], 'it changes or makes objects, and ours only decides')],
            enforces,
          }
        : null;
  }
}
