import type { LookupFunction } from 'node:net';
import type { Secret } from '../../base/index.ts';
import { hostFault } from '../../channels/index.ts';
import { TrackerError, type TrackerClock, type WriteGuard } from '../../trackers/index.ts';
import type { AddressRules } from './address.ts';
import { parseBase } from './base-address.ts';
import type { Outbound } from './outbound.ts';
import { openTransport, type Transport } from './transport.ts';
import type { WriterQueues } from './writer-queue.ts';

/** Line is what all trackers of a process share. */
export interface Line {
  readonly rules: AddressRules;
  /** `trackers.allowedHosts`; any unless said. A channel that was saved before may name another. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly queues: WriterQueues;
  readonly clock: TrackerClock;
  /** Name and version of this service, as providers ask for. */
  readonly userAgent: string;
  /** Milliseconds for a whole call; 20,000 unless said. */
  readonly timeoutMs?: number | undefined;
  /** Resolves names; the system's unless said. */
  readonly lookup?: LookupFunction | undefined;
  /** Through which proxy, and whom TLS trusts; directly and the authorities of the system unless said. */
  readonly outbound?: Outbound | undefined;
}

/** Caller is who calls over a line. */
export interface Caller {
  readonly apiBaseUrl: string;
  /** The token as it was entered. */
  readonly token: Secret;
  /** The header that carries it. */
  readonly credential: Readonly<Record<string, Secret>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly guard: WriteGuard;
  readonly explain: (text: string) => string;
}

/** openOnLine makes the transport of one channel. Throws TrackerError `address` for an address that may not be called. */
export function openOnLine(line: Line, caller: Caller): Transport {
  const base = parseBase(caller.apiBaseUrl, line.rules);
  const fault = hostFault(base.hostname, line.allowedHosts ?? []);
  if (fault !== null)
    throw new TrackerError('address', `the address of the channel ${fault}`, {
      happened: 'no',
      hint: 'Add the host to trackers.allowedHosts, or edit the channel',
    });
  return openTransport({
    base,
    credential: caller.credential,
    secrets: [caller.token],
    headers: { 'user-agent': line.userAgent, ...caller.headers },
    rules: line.rules,
    queue: line.queues.of(base.host, caller.token),
    clock: line.clock,
    guard: caller.guard,
    explain: caller.explain,
    timeoutMs: line.timeoutMs,
    lookup: line.lookup,
    outbound: line.outbound,
  });
}
