import type { ImageFacts } from '../facts/index.ts';

const settled = new WeakMap<ImageFacts, ImageFacts>();

/**
 * settledFacts gives facts in which what was never recorded counts as not there: no signature, no attestation, no provenance, no
 * statement, no finding known to be exploited, and no scan where the findings are unknown. A replay leaves a row open that lacks a
 * fact; an admission must answer, and "no facts on it is the same as no scan, no signature, no attestation and no provenance".
 */
export function settledFacts(facts: ImageFacts): ImageFacts {
  let made = settled.get(facts);
  if (made === undefined) settled.set(facts, (made = settle(facts)));
  return made;
}

function settle(facts: ImageFacts): ImageFacts {
  const { scan } = facts;
  const findings = scan?.findings ?? null;
  return {
    ...facts,
    scan:
      scan === null || findings === null
        ? null
        : {
            ...scan,
            findings: findings.map((finding) =>
              finding.knownExploited === null ? { ...finding, knownExploited: false } : finding,
            ),
          },
    signatures: facts.signatures ?? [],
    attestations: facts.attestations ?? [],
    provenance: facts.provenance ?? [],
    vex: facts.vex ?? [],
  };
}
