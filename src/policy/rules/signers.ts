import { keyId } from '../public-key.ts';
import type { Path } from '../paths.ts';
import type { PolicyRule, Remark } from '../rule.ts';

interface Identity {
  readonly identity?: string | undefined;
  readonly issuer?: string | undefined;
}

/** signerRules look at signers that are not asked for, that more people can be than meant, or that nobody can be. */
export const signerRules: PolicyRule = ({ policy }) => {
  const { signature, attestations, provenance, vex } = policy.spec;
  const remarks: Remark[] = [];
  if (!signature.required && signature.keys.length + signature.identities.length > 0) {
    remarks.push({
      rule: 'signers-unused',
      level: 'warning',
      path: ['spec', 'signature', signature.keys.length > 0 ? 'keys' : 'identities'],
      message: 'signers are named, and signature.required is false, so no signature is asked for',
      hint: 'Set signature.required to true, or take the signers out',
    });
  }
  const lists: readonly (readonly [
    Path,
    { readonly keys: readonly string[]; readonly identities: readonly Identity[] },
  ])[] = [
    [['spec', 'signature'], signature],
    ...attestations.map((attestation, i) => [['spec', 'attestations', i], attestation] as const),
  ];
  for (const [path, { keys, identities }] of lists) {
    remarks.push(
      ...repeatedKeys([...path, 'keys'], keys),
      ...identityRemarks([...path, 'identities'], identities),
    );
  }
  remarks.push(...identityRemarks(['spec', 'vex', 'trustedIssuers'], vex.trustedIssuers));
  const builders = provenance.trustedBuilders.map(({ id, signer, issuer }) => ({
    identity: signer ?? id,
    issuer,
  }));
  remarks.push(
    ...identityRemarks(['spec', 'provenance', 'trustedBuilders'], builders).filter(
      ({ rule }) => rule === 'identity-pattern',
    ),
  );
  return remarks;
};

function repeatedKeys(path: Path, keys: readonly string[]): Remark[] {
  const seen = new Map<string, number>();
  return keys.flatMap((pem, i) => {
    const id = keyId(pem);
    const first = seen.get(id);
    if (first === undefined) {
      seen.set(id, i);
      return [];
    }
    const message = `this is the key of entry ${first} once more, whatever the PEM looks like`;
    return [
      { rule: 'repeated', level: 'warning', path: [...path, i], message, hint: 'Take one of the two out' },
    ];
  });
}

function identityRemarks(path: Path, identities: readonly Identity[]): Remark[] {
  return identities.flatMap(({ identity, issuer }, i): Remark[] => {
    if (identity === undefined) return [];
    if (/[*^$|\\]|\.\+|\(\?/.test(identity)) {
      const message = `identity ${identity} reads like a pattern, and identities are matched exactly, so nobody has it`;
      return [
        {
          rule: 'identity-pattern',
          level: 'warning',
          path: [...path, i],
          message,
          hint: 'Write each identity out, as the certificate has it',
        },
      ];
    }
    const twin = identities.findIndex(
      (other, j) =>
        other.identity === identity &&
        ((other.issuer === undefined && issuer !== undefined) || (other.issuer === issuer && j < i)),
    );
    if (twin !== -1) {
      const message = `identity ${identity} is accepted by entry ${twin} already`;
      return [
        {
          rule: 'repeated',
          level: 'warning',
          path: [...path, i],
          message,
          hint: 'Take one of the two out; to accept one issuer alone, keep the entry that names it',
        },
      ];
    }
    if (issuer !== undefined) return [];
    const message = `identity ${identity} has no issuer, so a certificate of any OIDC issuer with that name is accepted`;
    return [
      {
        rule: 'any-issuer',
        level: 'warning',
        path: [...path, i],
        message,
        hint: `Add the issuer${issuerOf(identity)}`,
      },
    ];
  });
}

/** The issuer that an identity of a well-known form comes from. */
function issuerOf(identity: string): string {
  if (identity.startsWith('https://github.com/')) return ': https://token.actions.githubusercontent.com';
  return identity.startsWith('https://gitlab.com/') ? ': https://gitlab.com' : '';
}
