import type { FakeToken } from './tokens.ts';

/** Act names what a call does, in the same word for every tracker, so that one test can speak of all six. */
export type CallAct = (typeof CALL_ACTS)[number];

/** CALL_ACTS are the acts that calls of the service may be. 'other' is a path that the fake does not play. */
export const CALL_ACTS = [
  'self',
  'test',
  'create',
  'find',
  'read',
  'comments',
  'comment',
  'close',
  'transitions',
  'server_info',
  'tenant',
  'token',
  'permissions',
  'fields',
  'limits',
  'other',
] as const;

/** WRITES are the acts that change the tracker. */
export const WRITES: ReadonlySet<CallAct> = new Set<CallAct>(['create', 'comment', 'close']);

/** WireRequest is a request as it came: `path` still encoded, without the query. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** WireReply is an answer: an object becomes JSON, a string goes as it is, undefined is not a body. */
export interface WireReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Call is a request that reached a route: what stood in its path, its body and who calls. */
export interface Call {
  readonly request: WireRequest;
  readonly act: CallAct;
  readonly params: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: FakeToken;
  /** violation records something that the vendor would let pass, or would not, but that our code must never send. */
  readonly violation: (text: string) => void;
}

/** Route is one endpoint: the path beneath the base address, what it takes, and what it does. */
export interface Route {
  readonly act: CallAct;
  readonly method: string;
  readonly path: RegExp;
  readonly query?: readonly string[];
  /** fields are the members that the body may have; without it the call has no body. */
  readonly fields?: readonly string[];
  /** open needs no credential. */
  readonly open?: boolean;
  readonly answer: (call: Call) => WireReply;
}

/** seconds writes a time as GitHub does. */
export function seconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** millis writes a time as GitLab does. */
export function millis(at: number): string {
  return new Date(at).toISOString();
}

/** wholeNumber reads a parameter that must be a whole number within a range, or gives what stands for its absence. */
export function wholeNumber(text: string | null, absent: number, max: number): number {
  if (text === null || !/^\d{1,9}$/.test(text)) return absent;
  return Math.min(max, Number(text));
}
