import type { Principal, RouteKey } from '../accounts/index.ts';
import type { RouteAnswer, Work } from './route.ts';

/** ApartCall is a call as it can be handed to a thread: path and query have passed their schemas, the body is as it came. */
export interface ApartCall {
  readonly key: RouteKey;
  readonly params: unknown;
  readonly query: unknown;
  /** In blocks; null where none came. The code that takes the call may use its memory. */
  readonly body: readonly Uint8Array[] | null;
  readonly principal: Principal | null;
  readonly path: string;
  /** What of the head an answer may depend on. */
  readonly acceptEncoding: string | null;
}

/** Apart makes costly calls elsewhere, those of all accounts in turn. */
export interface Apart {
  /**
   * Gives the answer, its body as bytes or a stream. `account` is whose turn it is. It settles once the work is over, although nobody may
   * wait any more. Throws what the route throws, and `unavailable`.
   */
  run(work: Work, account: string, call: ApartCall, signal: AbortSignal): Promise<RouteAnswer>;
}
