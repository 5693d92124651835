import { StateKeeper, StateTeller, type StatePiece } from './kept-state.ts';

interface Told {
  readonly kind: 'tell';
  readonly act: 'state';
  readonly given: StatePiece;
}

/**
 * StateMirror keeps what one part told another to keep, as it goes by, so that a new life of the other one has it while the part that told
 * it is away. What it is about is of no matter here.
 */
export class StateMirror {
  readonly #topics = new Map<string, ReadonlyMap<string, unknown>>();
  readonly #keeper = new StateKeeper((topic, entries) => void this.#topics.set(topic, entries));

  /** Another life of the part that tells begins: it tells everything again. */
  begin(): void {
    this.#keeper.begin();
  }

  /** Hears what a part says to the other one. */
  heard(message: unknown): void {
    if (isTold(message)) this.#keeper.take(message.given);
  }

  /** Says again what was told so far. */
  say(send: (message: unknown) => void): void {
    const teller = new StateTeller((given) => send({ kind: 'tell', act: 'state', given } satisfies Told));
    for (const [topic, entries] of this.#topics) teller.set(topic, entries);
  }
}

function isTold(message: unknown): message is Told {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === 'tell' &&
    'act' in message &&
    message.act === 'state'
  );
}
