import type { SignedEntry } from '../../src/facts/index.ts';
import {
  builderOf,
  parseStatement,
  statementNames,
  type Accepted,
  type Evidence,
  type EvidenceVerifier,
  type NotAccepted,
  type Verification,
  type VerifiedArtifact,
} from '../../src/supply-chain/index.ts';

/** Said is what the evidence of these tests holds instead of signatures: who signed what, or why it does not count. */
export interface Said {
  readonly by?: { readonly identity: string; readonly issuer: string } | 'key';
  readonly statement?: unknown;
  readonly not?: NotAccepted;
}

const entry = (by: Said['by'], payload: Uint8Array | null): SignedEntry =>
  typeof by === 'object'
    ? { ...by, payload: null, signature: null, payloadType: null }
    : {
        identity: null,
        issuer: null,
        payload: Buffer.from(payload ?? []).toString('base64'),
        signature: 'c2ln',
        payloadType: payload === null ? null : 'application/vnd.in-toto+json',
      };

/** memoryVerifier believes what evidence says of itself. `artifacts` answers for documents of sources. */
export function memoryVerifier(
  artifacts: () => VerifiedArtifact | NotAccepted = () => {
    throw new Error('not asked');
  },
): EvidenceVerifier {
  return {
    async verify(digest, evidence): Promise<Verification> {
      const said = JSON.parse(Buffer.from(contentOf(evidence)).toString('utf8')) as Said;
      if (said.not !== undefined) return said.not;
      const by = said.by ?? 'key';
      const kind = by === 'key' ? 'key' : 'identity';
      const nothing = { signatures: [], attestations: [], provenance: [] };
      if (said.statement === undefined) {
        const signed = [entry(by, null)];
        return {
          kind: 'accepted',
          by: kind,
          signed,
          statement: null,
          payload: Buffer.alloc(0),
          ...nothing,
          signatures: signed,
        };
      }
      const payload = Buffer.from(JSON.stringify(said.statement));
      const statement = parseStatement(payload);
      if (statement === null) return { kind: 'refused', reason: 'malformed', message: 'is no statement' };
      if (!statementNames(statement, digest))
        return { kind: 'refused', reason: 'other_subject', message: 'names another digest' };
      const signed = [entry(by, payload)];
      const builderId = builderOf(statement, payload);
      const accepted: Accepted = {
        kind: 'accepted',
        by: kind,
        signed,
        statement,
        payload,
        signatures: [],
        attestations: signed.map((one) => ({ ...one, predicateType: statement.predicateType })),
        provenance:
          builderId === null
            ? []
            : by === 'key'
              ? signed.map(({ payload: kept, signature, payloadType }) => ({
                  ...{ builderId, signer: null, issuer: null },
                  proof: { payload: kept ?? '', signature: signature ?? '', payloadType },
                }))
              : [{ builderId, signer: by.identity, issuer: by.issuer }],
      };
      return accepted;
    },
    async verifyArtifact() {
      return artifacts();
    },
  };
}

function contentOf(evidence: Evidence): Uint8Array {
  switch (evidence.kind) {
    case 'bundle':
      return evidence.bundle;
    case 'simple_signing':
      return evidence.payload;
    case 'envelope':
      return evidence.envelope;
  }
}
