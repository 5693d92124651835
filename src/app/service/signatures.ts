import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openTrustFile,
  openTufTrust,
  openVerifier,
  type OpenVerifier,
  type TrustSource,
} from '../../adapters/sigstore/index.ts';
import type { Clock, Log } from '../../base/index.ts';
import { readTrustPlace } from '../config/sigstore.ts';
import type { Settings } from '../config/settings.ts';
import { threadEntry } from '../programs/worker-entry.ts';

/** SignaturesDeps are what signatures are verified with. */
export interface SignaturesDeps {
  readonly settings: Pick<Settings, 'sigstore' | 'data'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** openSignatures joins the verification of signatures, in a thread of its own. Nothing is asked before there is something to verify. */
export async function openSignatures({ settings, clock, log }: SignaturesDeps): Promise<OpenVerifier> {
  const { sigstore, data } = settings;
  const place = readTrustPlace(sigstore.trustRoot);
  if (place === null) throw new Error('sigstore.trustRoot is none'); // the settings were checked
  // What was seen of a mirror must not be forgotten, or it could be taken back; without a directory it is, at each start.
  const own =
    place.kind === 'tuf' && data === undefined ? await mkdtemp(join(tmpdir(), 'ipo-sigstore-')) : null;
  let trust: TrustSource | null = null;
  if (place.kind === 'file') trust = openTrustFile(place.path, clock);
  if (place.kind === 'tuf')
    trust = openTufTrust({
      mirror: place.mirror,
      rootPath: sigstore.tufRootFile ?? null,
      clock,
      log,
      cachePath: own ?? join(data ?? '', 'sigstore'),
    });
  const entry = threadEntry('verify-worker');
  const verifier = openVerifier({ trust, keyedLog: sigstore.keyedLog, log, entry });
  return {
    verify: (digest, evidence, signal) => verifier.verify(digest, evidence, signal),
    verifyArtifact: (artifact, bundle, signal) => verifier.verifyArtifact(artifact, bundle, signal),
    get rootFault() {
      return verifier.rootFault;
    },
    async close() {
      await verifier.close();
      if (own !== null) await rm(own, { recursive: true, force: true });
    },
  };
}
