import type { Spent } from './limits.ts';
import type { FakeToken } from './tokens.ts';
import type { Route, WireReply, WireRequest } from './wire.ts';

/** Provider is the part of a fake that differs from tracker to tracker. */
export interface Provider {
  /** base is the path before the routes, without a slash at its end. */
  readonly base: string;
  readonly routes: readonly Route[];
  /** enter looks at a request before its credential is: a proxy's rules. */
  enter(request: WireRequest, violation: (text: string) => void): WireReply | null;
  /** who finds the credential of a request, or the refusal. */
  who(request: WireRequest): FakeToken | WireReply;
  /** headers stand on every answer. */
  headers(token: FakeToken | null, spent: Spent | null): Readonly<Record<string, string>>;
  /** fail is an error of the vendor's own making, in its own words. */
  fail(status: 400 | 404 | 415 | 500, text?: string): WireReply;
  /** limited is the refusal of one who asks too much. */
  limited(over: 'primary' | 'secondary', retryAfter: string | null): WireReply;
}
