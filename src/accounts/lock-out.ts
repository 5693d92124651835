import { isIPv4, isIPv6 } from 'node:net';
import { isWaiting, latestWait, sha256Hex } from '../base/index.ts';

/** Failures is what the store keeps of failed sign-ins under one key. Times are UTC milliseconds. */
export interface Failures {
  readonly failures: number;
  readonly lastAt: number;
  readonly blockedUntil: number;
}

/** NO_FAILURES stands for a key that the store does not have. */
export const NO_FAILURES: Failures = { failures: 0, lastAt: 0, blockedUntil: 0 };

/**
 * SHARED marks the address of a client that came through a proxy of which it is not known whose requests it passes on: `via 10.0.0.1`.
 * Everybody may have it, so by itself it locks out nobody who signs in with a password.
 */
export const SHARED = 'via ';

/** FREE_FAILURES_SHARED is how many failures there may be of such an address before accounts that had a failure themselves wait. */
const FREE_FAILURES_SHARED = 100;

/** FREE_FAILURES is how many failures there may be before the first wait. */
const FREE_FAILURES = 5;

const MINUTE = 60_000;
const LONGEST = 15 * MINUTE;
/** FORGOTTEN_AFTER is how long failures count after the last of them: an hour without one, and they are forgotten. */
export const FORGOTTEN_AFTER = 60 * MINUTE;

/**
 * afterFailure counts one more failed attempt. From the fifth on the key is blocked: for 1 minute, then 2, 4, 8, and 15 minutes after each
 * further one. So guessing costs at most 12 runs of the hash in an hour and account, no matter who guesses.
 */
export function afterFailure(before: Failures, now: number, free = FREE_FAILURES): Failures {
  // A last one in the future was written by a clock that was ahead.
  const fresh = now - before.lastAt > FORGOTTEN_AFTER || before.lastAt > latestWait(now, 0);
  const failures = fresh ? 1 : before.failures + 1;
  const beyond = failures - free;
  const wait = beyond < 0 ? 0 : Math.min(MINUTE * 2 ** Math.min(beyond, 10), LONGEST);
  return { failures, lastAt: now, blockedUntil: wait === 0 ? 0 : now + wait };
}

/**
 * afterSuccess forgives an address one failure: hundreds of people may share it, and their typos must not add up to a block.
 * An account's own failures are forgotten by its success.
 */
export function afterSuccess(before: Failures): Failures {
  return before.failures === 0 ? before : { ...before, failures: before.failures - 1, blockedUntil: 0 };
}

/**
 * secondsBlocked gives the whole seconds until a key may try again, 0 when it may now. A wait longer than the longest was set by a
 * clock that was ahead, and locks nobody out.
 */
export function secondsBlocked({ blockedUntil }: Failures, now: number): number {
  return isWaiting(blockedUntil, now, LONGEST) ? Math.ceil(Math.min(blockedUntil - now, LONGEST) / 1000) : 0;
}

/** accountKey is under which failures of an account are counted, whether there is such an account or not. */
export function accountKey(email: string): string {
  return `account:${sha256Hex(email)}`;
}

/** isShared tells a client of which no more is known than the proxy that it came through. */
export function isShared(client: string): boolean {
  return client.startsWith(SHARED);
}

/** freeOf gives how many failures of a client there may be before the first wait. */
export function freeOf(client: string): number {
  return isShared(client) ? FREE_FAILURES_SHARED : FREE_FAILURES;
}

/**
 * addressKey is under which failures of a client are counted: its IPv4 address, or the /64 of its IPv6 address, which is one home.
 * Some proxies write the port too, which every connection has another of.
 */
export function addressKey(client: string): string {
  const address =
    /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]{1,60})\]):\d{1,5}$/.exec(client)?.slice(1).find(Boolean) ?? client;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return `address:${mapped}`;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return `address:${address.slice(0, 100)}`;
  const [head = '', tail] = bare.toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const last =
    tail === undefined || tail === ''
      ? []
      : tail.split(':').flatMap((part) => (part.includes('.') ? [part, ''] : [part]));
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: gap }, () => '0'), ...last];
  return `address:${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
