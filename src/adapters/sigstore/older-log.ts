import { crypto, json } from '@sigstore/core';
import { sha256Hex } from '../../base/index.ts';
import { asObject, parseJson } from '../../supply-chain/index.ts';
import type { Bundle } from './bundle.ts';
import { Refused } from './refused.ts';
import type { TrustRoot } from './trust-root.ts';

type LogEntry = Bundle['verificationMaterial']['tlogEntries'][number];

/**
 * isOlderEntry tells a log entry of the type `intoto` 0.0.1, which cosign made for attestations before 2.3 and the library does not know.
 * It is bound to the whole envelope, byte for byte, so that it is of use only for a layer.
 */
export function isOlderEntry({ kindVersion }: LogEntry): boolean {
  return kindVersion.kind === 'intoto' && kindVersion.version === '0.0.1';
}

/**
 * checkOlderEntry verifies such an entry as cosign does: the log's promise over the entry, by a log of the trust root
 * that was in use at that time, and the hash of the envelope. That it names the signer is checked for every entry
 * alike. Throws Refused.
 */
export function checkOlderEntry(trust: TrustRoot, entry: LogEntry, envelope: Uint8Array): void {
  const body = parseJson(entry.canonicalizedBody);
  const hash = asObject(asObject(asObject(body?.spec)?.content)?.hash);
  if (body?.kind !== entry.kindVersion.kind || body.apiVersion !== entry.kindVersion.version)
    throw new Refused('log', 'the entry of the transparency log is of another type than it is said to be');
  if (hash?.algorithm !== 'sha256' || hash.value !== sha256Hex(envelope))
    throw new Refused('log', 'the transparency log took another envelope');
  const promised = Buffer.from(
    json.canonicalize({
      body: entry.canonicalizedBody.toString('base64'),
      integratedTime: Number(entry.integratedTime),
      logIndex: Number(entry.logIndex),
      logID: entry.logId.keyId.toString('hex'),
    }),
    'utf8',
  );
  const signature = entry.inclusionPromise?.signedEntryTimestamp;
  const at = new Date(Number(entry.integratedTime) * 1000);
  const holds = trust.material.tlogs.some(
    ({ logID, publicKey, validFor }) =>
      signature !== undefined &&
      logID.equals(entry.logId.keyId) &&
      validFor.start <= at &&
      at <= validFor.end &&
      crypto.verify(promised, publicKey, signature),
  );
  if (!holds) throw new Refused('log', "the transparency log's promise cannot be verified");
}
