import { AsyncLocalStorage } from 'node:async_hooks';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { answerApart, type ApartCall, type Route, type Work } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { fromCarriedFault, toCarriedFault } from '../programs/carried-fault.ts';
import { OF_THREAD, Pace, type PaceRate } from '../programs/pace.ts';
import type { CallAsks, CallSetup, FromCallThread, ToCallThread } from './protocol.ts';
import { callRoutes } from './routes.ts';

/** A call under way, and its stream once it has one. */
interface Running {
  readonly gone: AbortController;
  stream: Readable | null;
  more: (() => void) | null;
  /** Pieces that may be sent before the other side has taken some. */
  credit: number;
}

/** Tells the other side something; bytes are handed over with it. */
type Tell = (message: FromCallThread, bytes?: Uint8Array) => void;

/** Only of this thread: behind the loop that sends what it reads, and before the replays. */
const NICE = 15;

/** A list is there at once, and an import of an ordinary report; somebody who goes on asking waits while reviews come. */
const RATES: Readonly<Record<Work, PaceRate>> = {
  read: { rest: 4, burst: 300 },
  export: { rest: 9, burst: 300 },
  import: { rest: 3, burst: 1_000 },
};

/** serveCalls makes this thread one that answers costly calls, over a connection of its own, until the other side ends it. */
export function serveCalls(port: MessagePort, setup: CallSetup): void {
  setPriority(NICE);
  const pace = new Pace(RATES[setup.work], OF_THREAD);
  pace.works = false;
  const running = new Map<number, Running>();
  const asked = new Map<number, PromiseWithResolvers<never>>();
  const present = new AsyncLocalStorage<number>();
  const clock = { now: () => present.getStore() ?? Date.now() };
  const tell: Tell = (message, bytes) =>
    port.postMessage(message, bytes === undefined ? [] : [bytes.buffer as ArrayBuffer]);
  let asks = 0;
  const ask = async <T>(act: keyof CallAsks, value?: unknown): Promise<T> => {
    const answer = Promise.withResolvers<never>();
    asked.set((asks += 1), answer);
    tell({ kind: 'ask', id: asks, act, value });
    return answer.promise;
  };
  const toLoop: CallAsks = {
    refresh: () => ask('refresh'),
    collected: (digest) => ask('collected', digest),
    record: (entry) => ask('record', entry),
    checkpoint: () => ask('checkpoint'),
  };
  let opened: ReturnType<typeof openRoutes> | null = null;
  const routeOf = async (key: string): Promise<Route> => {
    // A database that could not be opened is tried again by the next call.
    opened ??= openRoutes(setup, toLoop, clock).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    const route = (await opened).get(key);
    if (route === undefined) throw new TypeError(`${key} is not a call of this thread`);
    return route;
  };
  const make = async (id: number, call: ApartCall): Promise<void> => {
    const own: Running = { gone: new AbortController(), stream: null, more: null, credit: 0 };
    running.set(id, own);
    pace.works = true;
    try {
      const { body, ...head } = await answerApart(await routeOf(call.key), call, own.gone.signal);
      if (body instanceof Uint8Array) {
        const bytes = movable(body);
        tell({ kind: 'answer', id, head, bytes }, bytes);
      } else {
        own.stream = body;
        tell({ kind: 'answer', id, head, bytes: null });
        await sendPieces(tell, id, own, body);
      }
    } catch (error) {
      tell({ kind: 'failed', id, fault: toCarriedFault(error) });
    } finally {
      running.delete(id);
      pace.works = running.size > 0;
    }
  };
  port.on('message', (message: ToCallThread) => {
    switch (message.kind) {
      case 'call':
        return void present.run(message.at, () => make(message.id, message.call));
      case 'pace':
        return pace.take(message.told);
      case 'more': {
        const own = running.get(message.id);
        if (own !== undefined) own.credit += 1;
        return own?.more?.();
      }
      case 'cancel': {
        const own = running.get(message.id);
        own?.gone.abort(new Error('nobody waits for the answer any more'));
        return own?.more?.();
      }
      case 'told':
        asked.get(message.id)?.resolve(message.value as never);
        return void asked.delete(message.id);
      case 'refused':
        asked.get(message.id)?.reject(fromCarriedFault(message.fault));
        return void asked.delete(message.id);
    }
  });
}

/** Opens the connection of this thread, and the routes over it by their keys. */
async function openRoutes(
  setup: CallSetup,
  toLoop: CallAsks,
  clock: Clock,
): Promise<ReadonlyMap<string, Route>> {
  const options =
    setup.work === 'import'
      ? ({ migrate: false, turn: 'behind', poolSize: 2 } as const)
      : ({ readOnly: true, poolSize: 2 } as const);
  const store: Store = await openStore({ url: setup.url, ...options });
  const routes = await callRoutes(store, setup, toLoop, clock);
  return new Map(routes.map((route) => [route.key, route]));
}

/** Sends as many pieces as the other side has asked for: what a client does not read is not made. */
async function sendPieces(tell: Tell, id: number, own: Running, stream: Readable): Promise<void> {
  if (own.gone.signal.aborted) stream.destroy();
  for await (const piece of stream) {
    while (own.credit === 0 && !own.gone.signal.aborted) await new Promise<void>((go) => (own.more = go));
    if (own.gone.signal.aborted) break;
    own.credit -= 1;
    const bytes = movable(typeof piece === 'string' ? Buffer.from(piece) : (piece as Uint8Array));
    tell({ kind: 'piece', id, bytes }, bytes);
  }
  tell({ kind: 'end', id });
}

/** Bytes that have their memory to themselves, so that it can be handed over; small ones share that of others. */
function movable(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
