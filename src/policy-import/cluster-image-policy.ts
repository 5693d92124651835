import { at, left, listAt, textAt, type Converted, type Json, type Part } from './imported.ts';
import { isPublic, keylessOf, keysIn, type Signers } from './signers.ts';

/** One authority, as it was read. */
interface Authority extends Signers {
  readonly wider: readonly string[];
  readonly narrower: readonly string[];
  readonly predicates: readonly string[];
}

/** clusterImagePolicyRule reads a ClusterImagePolicy: one of its authorities must hold. */
export function clusterImagePolicyRule(spec: Json): Converted {
  const rule = 'authorities';
  const path = ['spec', 'authorities'];
  const authorities = listAt(spec, 'authorities').map((one) => one as Json);
  if (authorities.length === 0) return left(rule, path, 'it has no authority');
  const statics = authorities.map((one) => textAt(one, 'static', 'action')).filter(Boolean);
  if (statics.includes('fail')) return left(rule, path, 'ours lists what is allowed, not what is denied');
  if (statics.length > 0)
    return left(
      rule,
      path,
      Object.hasOwn(spec, 'policy')
        ? `its ${textAt(spec, 'policy', 'type') || 'own'} policy cannot be said`
        : 'it lets every image pass that it names',
    );
  const read: Authority[] = [];
  for (const one of authorities) {
    const authority = authorityOf(one);
    if (typeof authority === 'string') return left(rule, path, authority);
    read.push(authority);
  }
  const signing = read.filter(({ predicates }) => predicates.length === 0);
  const attesting = read.filter(({ predicates }) => predicates.length > 0);
  const parts: Part[] = attesting.map(({ predicates, keys, identities }) => ({
    attestations: [...new Set(predicates)].map((predicateType) => ({
      predicateType,
      keys: [...keys],
      identities: [...identities],
    })),
  }));
  if (signing.length > 0)
    parts.push({
      signature: {
        required: true,
        keys: signing.flatMap(({ keys }) => keys),
        identities: signing.flatMap(({ identities }) => identities),
      },
    });
  const globs = listAt(spec, 'images').map((one) => textAt(one, 'glob'));
  const narrower = [
    ...read.flatMap((one) => one.narrower),
    ...(globs.every((glob) => glob === '**')
      ? []
      : ['it is asked of every image, not only of those that it names']),
    ...(parts.length > 1 ? ['all of its authorities are asked for, not one of them'] : []),
    ...(listAt(spec, 'match').length > 0 ? ['what limits it to some objects is not carried over'] : []),
  ];
  const wider = [
    ...read.flatMap((one) => one.wider),
    ...(Object.hasOwn(spec, 'policy')
      ? ['its policy on the pod or the image configuration is not asked for']
      : []),
  ];
  return {
    rule,
    path,
    parts,
    narrower: [...new Set(narrower)],
    wider: [...new Set(wider)],
    notCovered: null,
  };
}

function authorityOf(one: Json): Authority | string {
  const signers = signersOf(one);
  if (typeof signers === 'string') return signers;
  const attestations = listAt(one, 'attestations');
  const predicates = attestations.map(
    (each) => PREDICATES[textAt(each, 'predicateType')] ?? textAt(each, 'predicateType'),
  );
  const wider = [...signers.wider];
  if (attestations.some((each) => Object.hasOwn(each as object, 'policy')))
    wider.push('what its attestations must state is not asked for');
  const narrower =
    listAt(one, 'source').length > 0 ? ['signatures are looked for beside the image only'] : [];
  if (signers.identities.some((each) => each.identityRegExp !== undefined || each.issuerRegExp !== undefined))
    narrower.push('patterns match whole texts');
  return { ...signers, wider, narrower, predicates };
}

/** Short names of predicate types, as cosign has them. */
const PREDICATES: Readonly<Record<string, string>> = {
  custom: 'https://cosign.sigstore.dev/attestation/v1',
  vuln: 'https://cosign.sigstore.dev/attestation/vuln/v1',
  cyclonedx: 'https://cyclonedx.org/bom',
  spdx: 'https://spdx.dev/Document',
  spdxjson: 'https://spdx.dev/Document',
  slsaprovenance: 'https://slsa.dev/provenance/v0.2',
  link: 'https://in-toto.io/Link/v1',
};

function signersOf(one: Json): (Signers & { readonly wider: readonly string[] }) | string {
  const log = at(one, 'ctlog');
  if (Object.hasOwn(one, 'keyless')) {
    const keyless = at(one, 'keyless');
    const read = keylessOf(keyless, listAt(keyless, 'identities') as Json[]);
    if (typeof read === 'string' || (isPublic(textAt(log, 'url')) && !Object.hasOwn(log, 'trustRootRef')))
      return read;
    return { ...read, wider: [...new Set([...read.wider, 'its own log is not asked for'])] };
  }
  const text = textAt(one, 'key', 'data');
  if (text === '') return 'its key is not in the policy (a KMS or a Secret); give it as PEM';
  const keys = keysIn(text);
  if (keys.length === 0) return 'its key is not a PEM public key';
  const wider = [
    ...(Object.hasOwn(one, 'ctlog') ? ['with a key no entry of a transparency log is asked for'] : []),
    ...(Object.hasOwn(one, 'rfc3161timestamp') ? ['a time stamp is not asked for'] : []),
  ];
  return { keys, identities: [], wider };
}
