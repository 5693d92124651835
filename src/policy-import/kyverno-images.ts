import { at, left, listAt, textAt, textsIn, type Converted, type Json, type Part } from './imported.ts';
import { keylessOf, keysIn, type Signers } from './signers.ts';

/** Demand is one of several signers that must all have signed: each becomes a policy of its own. */
interface Demands {
  readonly demands: readonly Signers[];
  readonly narrower: readonly string[];
  readonly wider: readonly string[];
}

const ALL_IMAGES = 'it is asked of every image, not only of those that it names';

/** verifyImagesRule reads signatures and attestations that Kyverno asks for. */
export function verifyImagesRule(rule: Json, name: string, path: readonly PropertyKey[]): Converted {
  const parts: Part[] = [];
  const narrower: string[] = [];
  const wider: string[] = [];
  for (const value of listAt(rule, 'verifyImages')) {
    const one = value as Json;
    const references = textsIn(listAt(one, 'imageReferences'));
    if (!references.every((pattern) => pattern === '*')) narrower.push(ALL_IMAGES);
    if (listAt(one, 'skipImageReferences').length > 0) narrower.push('images that it leaves out are judged');
    if (textAt(one, 'type').toLowerCase() === 'notary')
      return left(name, path, 'ours verifies signatures of cosign, not of Notary');
    if (one['mutateDigest'] === false && one['verifyDigest'] !== false)
      parts.push({ digestEnforcement: 'require' });
    const signed = demandsOf(listAt(one, 'attestors'));
    if (typeof signed === 'string') return left(name, path, signed);
    parts.push(
      ...signed.demands.map(({ keys, identities }) => ({
        signature: { required: true, keys: [...keys], identities: [...identities] },
      })),
    );
    narrower.push(...signed.narrower);
    wider.push(...signed.wider);
    for (const attestation of listAt(one, 'attestations')) {
      const attested = demandsOf(listAt(attestation, 'attestors'));
      if (typeof attested === 'string') return left(name, path, attested);
      const predicateType = textAt(attestation, 'predicateType') || textAt(attestation, 'type');
      if (predicateType === '' || attested.demands.length === 0)
        return left(name, path, 'an attestation names no type or no signer');
      parts.push(
        ...attested.demands.map(({ keys, identities }) => ({
          attestations: [{ predicateType, keys: [...keys], identities: [...identities] }],
        })),
      );
      narrower.push(...attested.narrower);
      wider.push(...attested.wider);
      if (listAt(attestation, 'conditions').length > 0)
        wider.push(`conditions on what ${predicateType} states are not asked for`);
    }
  }
  if (parts.every((part) => part.signature === undefined && part.attestations === undefined))
    return left(name, path, 'it names no signer');
  return {
    rule: name,
    path,
    parts,
    narrower: [...new Set(narrower)],
    wider: [...new Set(wider)],
    notCovered: null,
  };
}

/** Every set of attestors must be satisfied; of a set so many entries as it counts, else all of them. */
function demandsOf(attestors: readonly unknown[]): Demands | string {
  const demands: Signers[] = [];
  const narrower: string[] = [];
  const wider: string[] = [];
  for (const set of attestors) {
    const entries: Signers[] = [];
    for (const entry of listAt(set, 'entries')) {
      const read = entryOf(entry as Json);
      if (typeof read === 'string') return read;
      for (const key of read.keys) entries.push({ keys: [key], identities: [] });
      if (read.identities.length > 0) entries.push({ keys: [], identities: read.identities });
      wider.push(...read.wider);
    }
    const count = (set as Json)['count'];
    if (count === 1)
      demands.push({
        keys: entries.flatMap(({ keys }) => keys),
        identities: entries.flatMap(({ identities }) => identities),
      });
    else {
      if (typeof count === 'number' && count < entries.length)
        narrower.push(`all ${entries.length} signers are asked for, not ${count} of them`);
      demands.push(...entries);
    }
  }
  return { demands, narrower, wider };
}

function entryOf(entry: Json): (Signers & { readonly wider: readonly string[] }) | string {
  if (Object.hasOwn(entry, 'keyless')) {
    const keyless = at(entry, 'keyless');
    return keylessOf(keyless, [keyless]);
  }
  const text = textAt(entry, 'keys', 'publicKeys');
  if (text === '') return 'its key is not in the policy (a KMS, a Secret or a certificate); give it as PEM';
  if (/\{\{/.test(text)) return 'its key comes from a variable';
  const keys = keysIn(text);
  if (keys.length === 0) return 'its key is not a PEM public key';
  const noLog = at(entry, 'keys', 'rekor')['ignoreTlog'] === true;
  return {
    keys,
    identities: [],
    wider: noLog ? [] : ['with a key no entry of a transparency log is asked for'],
  };
}
