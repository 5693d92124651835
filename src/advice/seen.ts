import { byCodeUnit, canonicalJson } from '../base/index.ts';
import type { SignedEntry } from '../facts/index.ts';
import type { PolicySpec } from '../policy/index.ts';
import type { Group } from './population.ts';

type Identity = PolicySpec['signature']['identities'][number];

/** signersOf gives the keyless signers that were seen, those that name their issuer. Whose key signed what nobody can tell from a signature. */
export function signersOf(groups: readonly Group[]): Identity[] {
  return identities(groups.flatMap(({ subject }) => subject?.facts.signatures ?? []));
}

/** attestationsOf gives each type of attestation that was seen, with who signed it. */
export function attestationsOf(groups: readonly Group[]): PolicySpec['attestations'] {
  const seen = groups.flatMap(({ subject }) => subject?.facts.attestations ?? []);
  return [...Map.groupBy(seen, ({ predicateType }) => predicateType)]
    .toSorted(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([predicateType, entries]) => {
      const own = identities(entries);
      return own.length === 0 ? [] : [{ predicateType, keys: [], identities: own }];
    });
}

/** buildersOf gives the builders that were seen with who signed for them. At which level one builds only a person can say: 1 is that it says so. */
export function buildersOf(groups: readonly Group[]): PolicySpec['provenance']['trustedBuilders'] {
  const seen = groups.flatMap(({ subject }) => subject?.facts.provenance ?? []);
  const builders = seen.flatMap(({ builderId, signer, issuer }) =>
    signer === null || issuer === null || builderId === ''
      ? []
      : [{ id: builderId, level: 1, signer, issuer }],
  );
  return once(builders);
}

function identities(entries: readonly Pick<SignedEntry, 'identity' | 'issuer'>[]): Identity[] {
  return once(
    entries.flatMap(({ identity, issuer }) =>
      identity === null || identity === '' || issuer === null || issuer === '' ? [] : [{ identity, issuer }],
    ),
  );
}

function once<T>(entries: readonly T[]): T[] {
  const byText = new Map(entries.map((entry) => [canonicalJson(entry), entry]));
  return [...byText].toSorted(([a], [b]) => byCodeUnit(a, b)).map(([, entry]) => entry);
}
