import { formatTime } from '../../base/index.ts';
import type { NewRow, RecordedRow, Stored } from '../../ledger/index.ts';
import type { SeenShape } from './image-log.ts';
import { storableText } from '../sql/storable.ts';

/** What a row has beside its shape. */
interface Own {
  readonly at: number;
  readonly pod: string | null;
  readonly pod_uid: string | null;
  readonly requester: string | null;
}

/** Written answers an entry that was appended; most callers never look at the rows, so they are made when they are asked for. */
export class Written implements Stored {
  readonly repeat: boolean;
  readonly #uid: string | null;
  readonly #own: readonly Own[];
  readonly #first: number;
  readonly #shapes: readonly SeenShape[];

  constructor(
    uid: string | null,
    given: readonly NewRow[],
    first: number,
    shapes: readonly SeenShape[],
    repeat: boolean,
  ) {
    this.repeat = repeat;
    this.#uid = uid;
    // Thousands are kept for a while: what their rows share is in their shapes already.
    this.#own = given.map(({ at, pod = null, pod_uid = null, requester = null }) => ({
      at,
      pod,
      pod_uid,
      requester,
    }));
    this.#first = first;
    this.#shapes = shapes;
  }

  get rows(): RecordedRow[] {
    const text = (value: string | null): string | null => (value === null ? null : storableText(value));
    return this.#own.map((row, i) => ({
      ...(this.#shapes[i] as SeenShape).shape.row,
      id: this.#first + i,
      time: formatTime(row.at),
      review_uid: this.#uid,
      pod: text(row.pod),
      pod_uid: text(row.pod_uid),
      requester: text(row.requester),
    }));
  }
}
