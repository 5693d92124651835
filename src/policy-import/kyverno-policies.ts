import { at, left, listAt, textAt, textsIn, type Converted, type Json } from './imported.ts';
import { celRule, variablesIn } from './kyverno-cel.ts';
import { keylessOf, keysIn, type Signers } from './signers.ts';

function isAboutPods(spec: Json): boolean {
  const rules = listAt(spec, 'matchConstraints', 'resourceRules');
  return rules.some((rule) =>
    textsIn(listAt(rule, 'resources')).some((one) => one === 'pods' || one === '*'),
  );
}

function limits(spec: Json): string[] {
  const match = at(spec, 'matchConstraints');
  const isLimited = ['namespaceSelector', 'objectSelector', 'excludeResourceRules'].some((key) =>
    Object.hasOwn(match, key),
  );
  return [
    ...(isLimited || listAt(spec, 'matchConditions').length > 0
      ? ['what limits it to some pods is not carried over']
      : []),
  ];
}

/** validatingRules reads a ValidatingPolicy whose expressions are of the known forms. */
export function validatingRules(spec: Json): Converted {
  const path = ['spec', 'validations'];
  const texts = listAt(spec, 'validations').map((one) => textAt(one, 'expression'));
  if (!isAboutPods(spec)) return left('validations', path, 'it is not about pods');
  const made = celRule(texts, variablesIn(spec), 'validations', path);
  return { ...made, narrower: [...made.narrower, ...limits(spec)] };
}

const SIGNED =
  /^images\.containers\.map\((\w+),\s*verifyImageSignatures\(\1,\s*\[([^\]]*)\]\)\)\.all\((\w+)\s*,\s*\3\s*>\s*0\)$/;

/** imageValidatingRules reads an ImageValidatingPolicy that asks for signatures of its attestors. */
export function imageValidatingRules(spec: Json): Converted {
  const rule = 'validations';
  const path = ['spec', 'validations'];
  const attestors = new Map(listAt(spec, 'attestors').map((one) => [textAt(one, 'name'), one as Json]));
  const demands: Signers[] = [];
  const wider: string[] = [];
  for (const one of listAt(spec, 'validations')) {
    const [, , named = ''] = SIGNED.exec(textAt(one, 'expression').trim()) ?? [];
    const names = named
      .split(',')
      .map((text) => text.trim().replace(/^attestors\./, ''))
      .filter(Boolean);
    if (names.length === 0) return left(rule, path, 'its expression is none of the known forms');
    const signers: Signers[] = [];
    for (const name of names) {
      const read = attestorOf(attestors.get(name) ?? {});
      if (typeof read === 'string') return left(rule, path, read);
      signers.push(read);
      wider.push(...read.wider);
    }
    demands.push({
      keys: signers.flatMap(({ keys }) => keys),
      identities: signers.flatMap(({ identities }) => identities),
    });
  }
  if (demands.length === 0) return left(rule, path, 'it has no expression');
  const parts = demands.map(({ keys, identities }) => ({
    signature: { required: true, keys: [...keys], identities: [...identities] },
  }));
  const narrower = ['it is asked of every image, not only of those that it names', ...limits(spec)];
  return { rule, path, parts, narrower, wider: [...new Set(wider)], notCovered: null };
}

function attestorOf(attestor: Json): (Signers & { readonly wider: readonly string[] }) | string {
  if (!Object.hasOwn(attestor, 'cosign')) return 'ours verifies signatures of cosign, not of Notary';
  const cosign = at(attestor, 'cosign');
  if (Object.hasOwn(cosign, 'keyless')) {
    const keyless = at(cosign, 'keyless');
    return keylessOf(keyless, listAt(keyless, 'identities') as Json[]);
  }
  const keys = keysIn(textAt(cosign, 'key', 'data'));
  if (keys.length === 0) return 'its key is not in the policy; give it as PEM';
  return { keys, identities: [], wider: ['with a key no entry of a transparency log is asked for'] };
}
