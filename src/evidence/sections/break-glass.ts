import { formatTime } from '../../base/index.ts';
import type { BypassRecord } from '../records.ts';

/** MAX_BYPASSES are written into the document; the table has all. */
export const MAX_BYPASSES = 1000;

/** BreakGlassTally counts images that were admitted by break-glass. */
export class BreakGlassTally {
  total = 0;
  #withoutReason = 0;
  #withoutPerson = 0;
  readonly #people = new Set<string>();
  readonly #items: object[] = [];

  take(bypass: BypassRecord): void {
    this.total += 1;
    if (bypass.reason === null) this.#withoutReason += 1;
    if (bypass.requester === null) this.#withoutPerson += 1;
    else this.#people.add(bypass.requester);
    if (this.#items.length >= MAX_BYPASSES) return;
    const { time, judged_again_at: again, triaged_at: triaged, ...rest } = bypass;
    this.#items.push({
      ...rest,
      time: formatTime(time ?? 0),
      judged_again_at: again === null ? null : formatTime(again),
      triaged_at: triaged === null ? null : formatTime(triaged),
    });
  }

  section() {
    return {
      file: 'break-glass.csv',
      images: this.total,
      people: this.#people.size,
      without_reason: this.#withoutReason,
      without_person: this.#withoutPerson,
      items: this.#items,
    };
  }
}
