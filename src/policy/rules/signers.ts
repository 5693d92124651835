import { keyId } from '../public-key.ts';
import type { Path } from '../paths.ts';
import { LOOK_STEPS, strangerAmong, strangerIssuer } from '../pattern-strangers.ts';
import type { Steps } from '../pattern-program.ts';
import type { PolicyRule, Remark } from '../rule.ts';
import { COVER_STEPS, coversSigner, type SignerName } from '../signer.ts';

/** signerRules look at signers that are not asked for, that more people can be than meant, or that nobody can be. */
export const signerRules: PolicyRule = ({ policy }) => {
  const { signature, attestations, provenance, vex } = policy.spec;
  const remarks: Remark[] = [];
  const allowance: Allowance = { looking: { left: LOOK_STEPS }, covering: { left: COVER_STEPS } };
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
    { readonly keys: readonly string[]; readonly identities: readonly SignerName[] },
  ])[] = [
    [['spec', 'signature'], signature],
    ...attestations.map((attestation, i) => [['spec', 'attestations', i], attestation] as const),
  ];
  for (const [path, { keys, identities }] of lists) {
    remarks.push(
      ...repeatedKeys([...path, 'keys'], keys),
      ...identityRemarks([...path, 'identities'], identities, allowance),
    );
  }
  remarks.push(...identityRemarks(['spec', 'vex', 'trustedIssuers'], vex.trustedIssuers, allowance));
  const builders = provenance.trustedBuilders.map(
    ({ id, signer, identityRegExp, issuer, issuerRegExp, key }): SignerName => ({
      // A key is not a name; entries are looked at in their places.
      ...(identityRegExp === undefined && key === undefined
        ? { identity: signer ?? id }
        : { identityRegExp }),
      issuer,
      issuerRegExp,
    }),
  );
  remarks.push(
    ...identityRemarks(['spec', 'provenance', 'trustedBuilders'], builders, allowance).filter(
      // A builder without an issuer, and one that is trusted in two ways, are usual.
      ({ rule, path }) =>
        rule === 'identity-pattern' || rule === 'open-pattern' || path.at(-1) === 'issuerRegExp',
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

/** What looking into the patterns of one policy may cost. */
interface Allowance {
  readonly looking: Steps;
  readonly covering: Steps;
}

function identityRemarks(
  path: Path,
  identities: readonly SignerName[],
  { looking, covering }: Allowance,
): Remark[] {
  return identities.flatMap((signer, i): Remark[] => {
    const { identity, identityRegExp, issuer, issuerRegExp } = signer;
    if (identity === undefined && identityRegExp === undefined) return [];
    const warning = (rule: Remark['rule'], message: string, hint: string, field?: string): Remark => ({
      rule,
      level: 'warning',
      message,
      hint,
      path: [...path, i, ...(field === undefined ? [] : [field])],
    });
    if (identity !== undefined && /[*^$|\\]|\.\+|\(\?/.test(identity)) {
      const before = identities.findIndex(
        (other) =>
          other.identity === identity && other.issuer === issuer && other.issuerRegExp === issuerRegExp,
      );
      if (before < i)
        return [warning('repeated', `identity ${identity} is listed twice`, 'Take one of the two out')];
      const message = `identity ${identity} reads like a pattern, but identities are matched exactly, so no signer matches`;
      return [
        warning(
          'identity-pattern',
          message,
          'Write each identity out, as the certificate has it, or an RE2 pattern under identityRegExp',
        ),
      ];
    }
    const name = identity === undefined ? `identityRegExp ${identityRegExp ?? ''}` : `identity ${identity}`;
    const twin = identities.findIndex(
      (other, j) =>
        i !== j && coversSigner(other, signer, covering) && (j < i || !coversSigner(signer, other, covering)),
    );
    if (twin !== -1) {
      const message = `${name} is accepted by entry ${twin} already`;
      const hint = 'Remove one of the two; to accept only one issuer, keep the entry that names it';
      return [warning('repeated', message, hint)];
    }
    const remarks: Remark[] = [];
    const stranger = identity === undefined ? strangerAmong(signer, looking) : null;
    if (stranger !== null) {
      const message = `${name} accepts ${stranger.need}, such as ${stranger.example}`;
      remarks.push(
        warning(
          'open-pattern',
          message,
          'Name the owner and the repository in it, with a slash behind each',
          'identityRegExp',
        ),
      );
    }
    if (issuer === undefined && issuerRegExp === undefined) {
      const message = `${name} has no issuer, so a certificate of any OIDC issuer with that name is accepted`;
      remarks.push(
        warning('any-issuer', message, `Add the issuer${issuerOf(identity ?? identityRegExp ?? '')}`),
      );
    }
    const anyIssuer = issuerRegExp === undefined ? null : strangerIssuer(issuerRegExp, looking);
    if (anyIssuer !== null) {
      const message = `issuerRegExp ${issuerRegExp ?? ''} accepts ${anyIssuer.need}, such as ${anyIssuer.example}`;
      remarks.push(
        warning(
          'any-issuer',
          message,
          'Name the issuer, or the whole host with a slash behind it',
          'issuerRegExp',
        ),
      );
    }
    return remarks;
  });
}

/** The issuer that an identity of a well-known form comes from. */
function issuerOf(text: string): string {
  const identity = text.replace(/^\^/, '').replaceAll('\\.', '.');
  if (identity.startsWith('https://github.com/')) return ': https://token.actions.githubusercontent.com';
  return identity.startsWith('https://gitlab.com/') ? ': https://gitlab.com' : '';
}
