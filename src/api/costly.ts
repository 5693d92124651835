import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../accounts/index.ts';
import { IpoError } from '../base/index.ts';
import type { Apart } from './apart.ts';
import { MAX_BODY } from './limits.ts';
import { PLACE_LIMITS, Places, type Place, type PlaceLimits } from './places.ts';
import type { Route, RouteAnswer } from './route.ts';

/** CostlyDeps are where costly calls are made, and their bounds where they are others than PLACE_LIMITS. */
export interface CostlyDeps {
  readonly apart: Apart | undefined;
  readonly limits: Partial<PlaceLimits> | undefined;
}

/** CostlyCall is a call whose path and query have passed their schemas. */
export interface CostlyCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly principal: Principal | null;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** CostlyCalls holds the places of requests that may cost much, and has them made apart where that can be done. */
export class CostlyCalls {
  readonly #apart: Apart | undefined;
  readonly #places: Places;
  readonly #held = new WeakMap<FastifyRequest, Place>();

  constructor({ apart, limits }: CostlyDeps) {
    this.#apart = apart;
    this.#places = new Places({ ...PLACE_LIMITS, ...limits });
  }

  /** Whether calls of a route are made apart, their bodies unread. */
  isApart({ work }: Pick<Route, 'work'>): boolean {
    return work !== undefined && this.#apart !== undefined;
  }

  /**
   * Takes a place for a request, before its body is read; it may wait a moment for one. The connection holds it until the answer has gone
   * out: what is not read takes memory. Throws `rate_limited`, `unavailable`.
   */
  async enter(
    { work, maxBody = MAX_BODY }: Route,
    by: Principal | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (work === undefined) return;
    const { 'content-length': length, 'transfer-encoding': coded } = request.headers;
    const bytes = coded === undefined ? Math.min(Number(length ?? 0), maxBody) : maxBody;
    const left = new AbortController();
    const leave = (): void => left.abort(new IpoError('unavailable', 'nobody waits for the answer any more'));
    reply.raw.once('close', leave);
    const own = work === 'import' ? bytes : 0;
    const place = await this.#places.enter(work, accountOf(by, request), own, left.signal);
    reply.raw.off('close', leave);
    if (left.signal.aborted) {
      place.leave(); // it was handed out in the moment in which the client left
      throw left.signal.reason;
    }
    this.#held.set(request, place);
    let over = false;
    const end = (): void => {
      if (!over) place.leave();
      over = true;
    };
    reply.raw.once('finish', end).once('close', end);
  }

  /** Makes a call, apart or by `handle`; the work holds the place of its request too. */
  async make(
    { key, work }: Route,
    request: FastifyRequest,
    { signal, ...call }: CostlyCall,
    handle: () => Promise<RouteAnswer> | RouteAnswer,
  ): Promise<RouteAnswer> {
    const place = this.#held.get(request);
    place?.hold();
    try {
      if (work === undefined || this.#apart === undefined) return await handle();
      const body = (request.body as readonly Uint8Array[] | undefined) ?? null;
      const acceptEncoding = request.headers['accept-encoding']?.toString() ?? null;
      const account = accountOf(call.principal, request);
      return await this.#apart.run(work, account, { ...call, key, body, acceptEncoding }, signal);
    } finally {
      place?.leave();
    }
  }
}

function accountOf(principal: Principal | null, { ip }: FastifyRequest): string {
  return principal?.accountId ?? ip;
}
