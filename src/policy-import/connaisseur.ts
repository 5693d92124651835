import { toAllowList } from './allow-list.ts';
import { at, left, listAt, textAt, type Converted, type Json } from './imported.ts';
import { keysIn } from './signers.ts';

/** connaisseurRules reads the policy of a configuration, of which the most exact pattern decides. Ours asks the same of every image. */
export function connaisseurRules(config: Json, below: readonly PropertyKey[]): Converted[] {
  const validators = new Map(listAt(config, 'validators').map((one) => [textAt(one, 'name'), one as Json]));
  const rules = listAt(config, 'policy').map((one) => one as Json);
  const validatorOf = (rule: Json): Json => validators.get(textAt(rule, 'validator') || 'default') ?? {};
  const isStatic = (rule: Json, approve: boolean): boolean => {
    const validator = validatorOf(rule);
    return textAt(validator, 'type') === 'static' && validator['approve'] === approve;
  };
  const byDefault = rules.find((rule) => textAt(rule, 'pattern') === '*:*');
  const denies = byDefault !== undefined && isStatic(byDefault, false);
  const others = rules.filter((rule) => rule !== byDefault && !isStatic(rule, false));
  return rules.map((rule, i): Converted => {
    const pattern = textAt(rule, 'pattern');
    const path = [...below, 'policy', i, 'pattern'];
    if (rule === byDefault && denies) {
      const list = toAllowList(others.map((one) => textAt(one, 'pattern')));
      const base = { rule: pattern, path, narrower: list.narrower, wider: list.wider, notCovered: null };
      if (list.entries.length === 0)
        return left(pattern, path, list.narrower.join('; ') || 'it denies every image');
      return { ...base, parts: [{ allowedRegistries: [...list.entries] }] };
    }
    if (isStatic(rule, true))
      return left(
        pattern,
        path,
        denies
          ? 'what it allows is in the allow-list of the default'
          : 'it only allows; ours allows what nothing denies',
      );
    if (isStatic(rule, false)) return left(pattern, path, 'ours lists what is allowed, not what is denied');
    return signedRule(rule, validatorOf(rule), pattern, path);
  });
}

function signedRule(rule: Json, validator: Json, pattern: string, path: readonly PropertyKey[]): Converted {
  const type = textAt(validator, 'type');
  if (type !== 'cosign')
    return left(
      pattern,
      path,
      `ours verifies signatures of cosign, not of ${type || 'an unknown validator'}`,
    );
  const wanted = textAt(at(rule, 'with'), 'trustRoot') || 'default';
  const roots = listAt(validator, 'trustRoots').filter(
    (one) => wanted === '*' || textAt(one, 'name') === wanted,
  );
  const keys = roots.flatMap((one) => keysIn(textAt(one, 'key')));
  if (keys.length === 0 || keys.length < roots.length)
    return left(pattern, path, 'its trust root is not a PEM public key');
  const parts =
    wanted === '*'
      ? keys.map((key) => ({ signature: { required: true, keys: [key], identities: [] } }))
      : [{ signature: { required: true, keys, identities: [] } }];
  return {
    rule: pattern,
    path,
    parts,
    notCovered: null,
    narrower: ['it is asked of every image, not only of those that it names'],
    wider: ['with a key no entry of a transparency log is asked for'],
  };
}
