import { randomBytes } from 'node:crypto';
import { isIpoError, IpoError, type ErrorCode, type Log } from '../../base/index.ts';
import type { Link } from './link.ts';

/** Acts are what a part does for the other one: each takes one value and gives one, both of them data. */
export type Acts = { readonly [name: string]: (given: never, signal: AbortSignal) => unknown };

type Given<A extends Acts, N extends keyof A> = Parameters<A[N]>[0];
type Gives<A extends Acts, N extends keyof A> = Awaited<ReturnType<A[N]>>;

type Message =
  | { readonly kind: 'tell'; readonly act: string; readonly given: unknown }
  | { readonly kind: 'ask'; readonly id: string; readonly act: string; readonly given: unknown }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'answer'; readonly id: string; readonly value: unknown }
  | {
      readonly kind: 'fault';
      readonly id: string;
      readonly code: ErrorCode | null;
      readonly message: string;
    };

/** PeerOptions say what is done for the other part. */
export interface PeerOptions<Ours extends Acts> {
  readonly acts: Ours;
  /** Told when the other part came, or came again. */
  there?(): void;
  gone?(): void;
  readonly log: Log;
}

interface Asked {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** AWAY is what is said of a part that is not there. */
const AWAY = 'the other process of the service is being started again';

/**
 * Peer is the other part of a service: it gets notifications, which may be lost with it, and questions, which are answered or fail. A part
 * that ends fails everything that it was asked.
 */
export class Peer<Ours extends Acts, Theirs extends Acts> {
  readonly #link: Link;
  readonly #options: PeerOptions<Ours>;
  /** Tells the questions of this life from those of an earlier one. */
  readonly #life = randomBytes(6).toString('hex');
  readonly #asked = new Map<string, Asked>();
  readonly #answering = new Map<string, AbortController>();
  #there = false;
  #count = 0;

  constructor(link: Link, options: PeerOptions<Ours>) {
    this.#link = link;
    this.#options = options;
  }

  /** Begins to listen; to be called once everything that the acts need is there. */
  open(): void {
    this.#link.open({
      message: (message) => this.#take(message as Message),
      there: () => this.#came(),
      gone: () => this.#went(),
    });
  }

  get isThere(): boolean {
    return this.#there;
  }

  /** Tells something that needs no answer; lost while the other part is away. */
  tell<N extends keyof Theirs & string>(act: N, given: Given<Theirs, N>): void {
    if (this.#there) this.#link.send({ kind: 'tell', act, given } satisfies Message);
  }

  /** Asks, and waits for the answer, `ms` at most. Throws IpoError `unavailable` where there is none. */
  async ask<N extends keyof Theirs & string>(
    act: N,
    given: Given<Theirs, N>,
    { ms = 10_000, signal }: { readonly ms?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Gives<Theirs, N>> {
    if (!this.#there) throw new IpoError('unavailable', AWAY);
    signal?.throwIfAborted();
    const id = `${this.#life}.${(this.#count += 1)}`;
    const answer = Promise.withResolvers<unknown>();
    const leave = (why: Error): void => {
      if (!this.#asked.delete(id)) return;
      this.#link.send({ kind: 'cancel', id } satisfies Message);
      answer.reject(why);
    };
    const timer = setTimeout(
      () => leave(new IpoError('unavailable', `the other process of the service did not answer in ${ms} ms`)),
      ms,
    );
    const cancelled = (): void => leave(new IpoError('unavailable', 'nobody waits for the answer any more'));
    signal?.addEventListener('abort', cancelled, { once: true });
    this.#asked.set(id, answer);
    this.#link.send({ kind: 'ask', id, act, given } satisfies Message);
    try {
      return (await answer.promise) as Gives<Theirs, N>;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancelled);
    }
  }

  #came(): void {
    this.#forget();
    this.#there = true;
    this.#options.there?.();
  }

  #went(): void {
    this.#there = false;
    this.#forget();
    this.#options.gone?.();
  }

  /** What was under way between this part and a life of the other that is over. */
  #forget(): void {
    for (const { reject } of this.#asked.values()) reject(new IpoError('unavailable', AWAY));
    this.#asked.clear();
    for (const cancelled of this.#answering.values()) cancelled.abort();
    this.#answering.clear();
  }

  #take(message: Message): void {
    switch (message.kind) {
      case 'tell':
        void this.#act(message.act, message.given, new AbortController().signal).catch((error: unknown) =>
          this.#options.log.error('what the other process of the service told was not taken', { error }),
        );
        break;
      case 'ask':
        void this.#answer(message.id, message.act, message.given);
        break;
      case 'cancel':
        this.#answering.get(message.id)?.abort();
        break;
      case 'answer':
        this.#settle(message.id)?.resolve(message.value);
        break;
      case 'fault':
        this.#settle(message.id)?.reject(toError(message.code, message.message));
    }
  }

  #settle(id: string): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  async #answer(id: string, act: string, given: unknown): Promise<void> {
    const cancelled = new AbortController();
    this.#answering.set(id, cancelled);
    let message: Message;
    try {
      message = { kind: 'answer', id, value: (await this.#act(act, given, cancelled.signal)) ?? null };
    } catch (error) {
      const code = isIpoError(error) ? error.code : null;
      message = { kind: 'fault', id, code, message: error instanceof Error ? error.message : String(error) };
    }
    // A caller from an earlier life is not there to be told.
    if (this.#answering.get(id) !== cancelled) return;
    this.#answering.delete(id);
    this.#link.send(message);
  }

  async #act(name: string, given: unknown, signal: AbortSignal): Promise<unknown> {
    const act = this.#options.acts[name];
    if (act === undefined) throw new TypeError(`there is no action ${name}`);
    return act(given as never, signal);
  }
}

function toError(code: ErrorCode | null, message: string): Error {
  return code === null ? new Error(message) : new IpoError(code, message);
}
