import { FactsError, nullableList, object, optionalString, string, type Json } from './fields.ts';
import type { ProvenanceEntry, SignedAttestation, SignedEntry, VexEntry } from './image-facts.ts';

/** signedEntry reads a signature: whose, or what a key must have signed. */
export function signedEntry(value: unknown, path: string): SignedEntry {
  const entry = object(value, path);
  const signed = {
    identity: optionalString(entry.identity, `${path}.identity`),
    issuer: optionalString(entry.issuer, `${path}.issuer`),
    payload: optionalString(entry.payload, `${path}.payload`),
    signature: optionalString(entry.signature, `${path}.signature`),
    payloadType: optionalString(entry.payload_type, `${path}.payload_type`),
  };
  const keyed = signed.payload !== null && signed.signature !== null;
  if (signed.identity === null && !keyed) {
    throw new FactsError(path, 'has neither an identity nor a payload with its signature');
  }
  return signed;
}

/** attestation reads one with its predicate type. */
export function attestation(value: unknown, path: string): SignedAttestation {
  const predicateType = string(object(value, path).predicate_type, `${path}.predicate_type`);
  return { ...signedEntry(value, path), predicateType };
}

/** vexEntry reads a statement of a producer. */
export function vexEntry(value: unknown, path: string): VexEntry {
  const entry = object(value, path);
  return {
    ...signedEntry(value, path),
    cve: string(entry.cve, `${path}.cve`),
    status: string(entry.status, `${path}.status`),
    packages: nullableList(entry.packages, `${path}.packages`, string),
    ...(entry.except === undefined ? {} : { except: nullableList(entry.except, `${path}.except`, string) }),
  };
}

/** provenanceEntry reads a builder with its signer, or with what a key must have signed. */
export function provenanceEntry(value: unknown, path: string): ProvenanceEntry {
  const entry = object(value, path);
  const payload = optionalString(entry.payload, `${path}.payload`);
  const signature = optionalString(entry.signature, `${path}.signature`);
  if ((payload === null) !== (signature === null))
    throw new FactsError(path, 'has a payload or a signature without the other');
  return {
    builderId: string(entry.builder_id, `${path}.builder_id`),
    signer: optionalString(entry.signer, `${path}.signer`),
    issuer: optionalString(entry.issuer, `${path}.issuer`),
    ...(payload !== null &&
      signature !== null && {
        proof: {
          payload,
          signature,
          payloadType: optionalString(entry.payload_type, `${path}.payload_type`),
        },
      }),
  };
}

/** attestationDocument, provenanceDocument, vexDocument and signedDocument write them; their keys stand in the order of RFC 8785. */
export function attestationDocument(entry: SignedAttestation): Json {
  const { identity, issuer, payload, payload_type, signature } = signedFields(entry);
  return present({ identity, issuer, payload, payload_type, predicate_type: entry.predicateType, signature });
}

export function provenanceDocument({ builderId, signer, issuer, proof }: ProvenanceEntry): Json {
  if (proof === undefined) return { builder_id: builderId, issuer, signer };
  return present({
    builder_id: builderId,
    issuer: issuer ?? undefined,
    payload: proof.payload,
    payload_type: proof.payloadType ?? undefined,
    signature: proof.signature,
    signer: signer ?? undefined,
  });
}

export function vexDocument(entry: VexEntry): Json {
  const { identity, issuer, payload, payload_type, signature } = signedFields(entry);
  return present({
    cve: entry.cve,
    except: entry.except ?? undefined,
    identity,
    issuer,
    packages: entry.packages ?? undefined,
    payload,
    payload_type,
    signature,
    status: entry.status,
  });
}

export function signedDocument(entry: SignedEntry): Json {
  return present(signedFields(entry));
}

function signedFields(entry: SignedEntry) {
  return {
    identity: entry.identity ?? undefined,
    issuer: entry.identity === null ? undefined : entry.issuer,
    payload: entry.payload ?? undefined,
    payload_type: entry.payloadType ?? undefined,
    signature: entry.signature ?? undefined,
  };
}

/** The fields that are set, in their order. */
function present(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
