import { DAY_MS } from '../base/index.ts';
import { certificatesIn, isFor, readServingPair, signed, type Held } from './kept.ts';
import type { Authority, ServingPair } from './ports.ts';

/** KeptDetector is what is kept for the listener of the runtime detector: who signs, what it shows, and which callers it accepts. */
export interface KeptDetector {
  readonly authority: Held & Authority;
  readonly server: Held & ServingPair;
  /** The newest certificate of the detector, which the bundle holds. */
  readonly client: Held & ServingPair;
  /** The certificate before it, accepted until it ends; null for none. */
  readonly previous: Held | null;
}

/** DetectorTimes are the periods of its certificates, in milliseconds. */
export interface DetectorTimes {
  readonly authority: number;
  readonly server: number;
  readonly client: number;
  /** So long before a certificate of the detector ends the next is made: in it a person takes the new one over. */
  readonly overlap: number;
  /** So long before that it is told. */
  readonly notice: number;
}

/** DETECTOR_TIMES: the detector takes nothing over by itself, so that its certificate lasts a year, and two months lie over each other. */
export const DETECTOR_TIMES: DetectorTimes = {
  authority: 20 * 365 * DAY_MS,
  server: 90 * DAY_MS,
  client: 365 * DAY_MS,
  overlap: 60 * DAY_MS,
  notice: 14 * DAY_MS,
};

/** DetectorStep is the next thing to do; each is one write. */
export type DetectorStep = 'none' | 'begin' | 'server' | 'client' | 'retire';

/** planDetector gives the next step for what is kept, null for nothing that can be used. */
export function planDetector(
  kept: KeptDetector | null,
  names: readonly string[],
  at: number,
  times: DetectorTimes = DETECTOR_TIMES,
): DetectorStep {
  if (kept === null || kept.authority.to - at < times.client) return 'begin';
  const { server, client, previous } = kept;
  if (server.from > at || server.to - at <= times.server / 3 || !isFor(server, names)) return 'server';
  if (client.from > at || client.to - at <= times.overlap) return 'client';
  return previous !== null && previous.to <= at ? 'retire' : 'none';
}

/** DetectorNotice is what people are told of the detector's certificate: when the next is made, or that it waits to be taken over. */
export interface DetectorNotice {
  /** When the newest certificate ends, in milliseconds. */
  readonly endsAt: number;
  /** When the next is made. */
  readonly renewsAt: number;
  /** When the one before it ends; null where there is none any more. */
  readonly previousEndsAt: number | null;
  /** A sentence for people, where something is to be done or comes soon; null for nothing. */
  readonly message: string | null;
}

/** noticeOf says how the detector's certificate stands. */
export function noticeOf(
  { client, previous }: Pick<KeptDetector, 'client' | 'previous'>,
  at: number,
  times: DetectorTimes = DETECTOR_TIMES,
): DetectorNotice {
  const renewsAt = client.to - times.overlap;
  const days = (until: number): string => {
    const count = Math.max(0, Math.ceil((until - at) / DAY_MS));
    return count === 1 ? '1 day' : `${count} days`;
  };
  const coming =
    at >= renewsAt - times.notice
      ? `a new certificate of the detector is made in ${days(renewsAt)}; both are accepted for ${days(at + times.overlap)}`
      : null;
  const message =
    previous !== null && previous.to > at
      ? `the detector has a new certificate; the one before it is accepted for ${days(previous.to)} more: give the detector the files of ipo runtime detector bundle`
      : coming;
  return { endsAt: client.to, renewsAt, previousEndsAt: previous?.to ?? null, message };
}

/** toDetectorData writes it as the data of a Secret: `ca.crt`, `client.crt` and `client.key` are the files of the bundle. */
export function toDetectorData(kept: KeptDetector): Readonly<Record<string, string>> {
  const { authority, server, client, previous } = kept;
  return {
    'ca.crt': authority.cert,
    'ca.key': authority.key,
    'tls.crt': server.cert,
    'tls.key': server.key,
    'client.crt': client.cert,
    'client.key': client.key,
    'client.previous.crt': previous?.cert ?? '',
  };
}

/** readDetectorData reads it back; null when anything of it is not what was written: it is then recreated. */
export function readDetectorData(data: Readonly<Record<string, string>>): KeptDetector | null {
  try {
    const pairOf = (name: string) => readServingPair(data[`${name}.crt`] ?? '', data[`${name}.key`] ?? '');
    const kept = { authority: pairOf('ca'), server: pairOf('tls'), client: pairOf('client') };
    const { authority, server, client } = kept;
    if (!signed(authority, server) || !signed(authority, client)) return null;
    const [previous = null] = certificatesIn(data['client.previous.crt'] ?? '');
    return { ...kept, previous };
  } catch {
    return null;
  }
}
