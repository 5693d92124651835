import type { EvidenceDocument } from './document.ts';

/** Changed is a requirement or an attestation whose state is another in the later package. */
export interface Changed {
  readonly framework: string | null;
  readonly id: string;
  readonly title: string;
  /** Null where the package does not have it. */
  readonly from: string | null;
  readonly to: string | null;
  /** Why: the sentences of the attestations whose state changed. */
  readonly because: readonly string[];
}

/** PackageDiff is what became of states from one package to another. */
export interface PackageDiff {
  readonly old: { readonly id: string; readonly period: EvidenceDocument['period'] };
  readonly new: { readonly id: string; readonly period: EvidenceDocument['period'] };
  readonly attestations: readonly Changed[];
  readonly requirements: readonly Changed[];
}

/** diffPackages compares the states of two packages. */
export function diffPackages(before: EvidenceDocument, after: EvidenceDocument): PackageDiff {
  const was = new Map(before.attestations.map((one) => [one.id, one]));
  const is = new Map(after.attestations.map((one) => [one.id, one]));
  const attestations = [...new Set([...was.keys(), ...is.keys()])].flatMap((id): Changed[] => {
    const [from, to] = [was.get(id), is.get(id)];
    if (from?.state === to?.state) return [];
    const because = [from?.because, to?.because].filter((text) => text !== undefined);
    return [
      {
        framework: null,
        id,
        title: (to ?? from)?.title ?? id,
        from: from?.state ?? null,
        to: to?.state ?? null,
        because,
      },
    ];
  });
  const moved = new Map(attestations.map((one) => [one.id, one]));
  const old = new Map(
    before.requirements.flatMap((framework) =>
      framework.requirements.map((one) => [`${framework.id} ${one.id}`, one]),
    ),
  );
  const requirements = after.requirements.flatMap((framework) =>
    framework.requirements.flatMap((one): Changed[] => {
      const from = old.get(`${framework.id} ${one.id}`)?.state ?? null;
      if (from === one.state) return [];
      const because = one.attestations.flatMap((id) => {
        const change = moved.get(id);
        return change === undefined
          ? []
          : [
              `${id} went from ${change.from ?? 'absent'} to ${change.to ?? 'absent'}: ${change.because.at(-1) ?? ''}`,
            ];
      });
      return [{ framework: framework.id, id: one.id, title: one.title, from, to: one.state, because }];
    }),
  );
  const kept = new Set(
    after.requirements.flatMap(({ id, requirements: all }) => all.map((one) => `${id} ${one.id}`)),
  );
  const gone = before.requirements.flatMap(({ id: framework, requirements: all }) =>
    all.flatMap(({ id, title, state }): Changed[] =>
      kept.has(`${framework} ${id}`) ? [] : [{ framework, id, title, from: state, to: null, because: [] }],
    ),
  );
  const head = ({ id, period }: EvidenceDocument) => ({ id, period });
  return { old: head(before), new: head(after), attestations, requirements: [...requirements, ...gone] };
}
