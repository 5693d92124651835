import { formatTime, type Clock, type Log } from '../base/index.ts';
import {
  DETECTOR_TIMES,
  planDetector,
  readDetectorData,
  toDetectorData,
  type DetectorStep,
  type DetectorTimes,
  type KeptDetector,
} from './detector.ts';
import { readServingPair } from './kept.ts';
import type { CertificateMaker, ClientMaker, SecretStore } from './ports.ts';

/** DetectorCertificatesDeps are what the certificates of the detector are kept with. */
export interface DetectorCertificatesDeps {
  readonly secret: SecretStore;
  readonly maker: CertificateMaker & ClientMaker;
  /** Names and addresses by which the detector calls. */
  readonly names: readonly string[];
  /** Whether this replica leads; asked before every write. */
  isLeader(): boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly times?: DetectorTimes;
}

/** More steps than a run ever has. */
const MOST_STEPS = 8;

/** DetectorCertificates keeps an authority, the listener’s certificate and the detector’s in a Secret: the leader's job. */
export class DetectorCertificates {
  readonly #deps: DetectorCertificatesDeps;
  readonly #times: DetectorTimes;

  constructor(deps: DetectorCertificatesDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? DETECTOR_TIMES;
  }

  /** Does what is to be done now. Throws what the ports throw; the next run goes on from there. */
  async run(): Promise<void> {
    const { secret, names, clock, log, isLeader } = this.#deps;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const stored = await secret.read();
      const kept = stored === null ? null : readDetectorData(stored.data);
      const at = clock.now();
      const step = planDetector(kept, names, at, this.#times);
      if (step === 'none' || !isLeader()) return;
      if (stored !== null && kept === null)
        log.error('the Secret of the detector’s certificates holds something else; it is recreated');
      const after = await this.#after(step, kept, at);
      const data = { ...stored?.data, ...toDetectorData(after) };
      const isDone = stored === null ? await secret.create(data) : await secret.replace(data, stored.version);
      if (isDone) log.info('certificates of the detector', { step, ends_at: formatTime(after.client.to) });
    }
  }

  async #after(step: DetectorStep, kept: KeptDetector | null, at: number): Promise<KeptDetector> {
    const { maker, names } = this.#deps;
    const { authority: life, server, client } = this.#times;
    const serve = (authority: KeptDetector['authority']) =>
      maker.makeServing(authority, names, { from: at, to: at + server });
    const admit = (authority: KeptDetector['authority']) =>
      maker.makeClient(authority, 'runtime-detector', { from: at, to: at + client });
    const read = ({ cert, key }: { readonly cert: string; readonly key: string }) =>
      readServingPair(cert, key);
    if (step === 'begin' || kept === null) {
      const authority = read(await maker.makeAuthority({ from: at, to: at + life }));
      return {
        authority,
        server: read(await serve(authority)),
        client: read(await admit(authority)),
        previous: null,
      };
    }
    const { authority } = kept;
    if (step === 'server') return { ...kept, server: read(await serve(authority)) };
    if (step === 'retire') return { ...kept, previous: null };
    const { cert, from, to } = kept.client;
    return { ...kept, client: read(await admit(authority)), previous: { cert, from, to } };
  }
}
