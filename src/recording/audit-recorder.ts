import { byCodeUnit } from '../base/index.ts';
import type { LedgerRow } from '../ledger/index.ts';
import type { ExposureIndex } from '../pods/index.ts';
import { PASSED, toPodEvent, type Passed, type PodEvent } from './audit-event.ts';
import { toRows } from './pod-rows.ts';

/** AuditCounts say what became of the events about pods. */
export type AuditCounts = Readonly<
  Record<Passed | 'reviews' | 'repeated' | 'updates_without_images' | 'updates_of_unknown_pods', number>
>;

/** Names of pods are forgotten beyond so many: an update of one of them is then one of an unknown pod. */
const MOST_PODS = 500_000;

/**
 * AuditRecorder makes rows of audit events, which may come in any order and more than once. It holds the events until
 * all were read: which images an update brings is known from what came before it.
 */
export class AuditRecorder {
  readonly #events = new Map<string, PodEvent>();
  readonly #counts = new Map<string, number>();

  readonly #exposure: ExposureIndex;

  constructor(exposure: ExposureIndex) {
    this.#exposure = exposure;
  }

  /** Takes one line of a log. A line that is not an event is counted as unreadable, and said to be by false. */
  take(line: string): boolean {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#count('unreadable');
      return false;
    }
    const items = (value as { items?: unknown } | null)?.items;
    // What a webhook backend writes: lists of events.
    for (const one of Array.isArray(items) ? (items as unknown[]) : [value]) this.#takeEvent(one);
    return true;
  }

  #takeEvent(value: unknown): void {
    const event = toPodEvent(value, this.#exposure);
    if (event === null) return;
    if (typeof event === 'string') this.#count(event);
    else if (event.id !== '' && this.#events.has(event.id)) this.#count('repeated');
    else this.#events.set(event.id === '' ? `line ${this.#events.size}` : event.id, event);
  }

  #count(what: keyof AuditCounts): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  /** The rows without their numbers, oldest first. */
  finish(cluster: string | null): Omit<LedgerRow, 'id'>[] {
    const events = [...this.#events.values()].toSorted((a, b) => a.at - b.at || byCodeUnit(a.id, b.id));
    const known = new Map<string, ReadonlyMap<string, string>>();
    const rows: Omit<LedgerRow, 'id'>[] = [];
    for (const event of events) {
      const images = this.#broughtBy(event, known);
      if (images === null) continue;
      this.#count('reviews');
      rows.push(...toRows(event, images, cluster));
    }
    return rows;
  }

  /** The images that an event brings: all of a new pod, those of an update that are new or changed. */
  #broughtBy(event: PodEvent, known: Map<string, ReadonlyMap<string, string>>): PodEvent['images'] | null {
    const { namespace, pod, podUid, verb, own, denied, images } = event;
    const key = podUid ?? `${namespace}/${pod ?? ''}`;
    const before = known.get(key);
    if (denied === null) {
      if (known.size > MOST_PODS) known.clear();
      known.set(key, new Map(images.map(({ container, image }) => [container, image])));
    }
    if (verb === 'create' && event.subresource === null)
      return images.length === 0 ? this.#none('no_images') : images;
    const isNew = (image: PodEvent['images'][number]): boolean =>
      before === undefined ? own?.has(image.container) === true : before.get(image.container) !== image.image;
    // An update names every container: without its pod nobody knows which of them it changes.
    if (before === undefined && (verb === 'update' || own === null))
      return this.#none('updates_of_unknown_pods');
    const brought = images.filter(isNew);
    return brought.length === 0 ? this.#none('updates_without_images') : brought;
  }

  #none(why: keyof AuditCounts): null {
    this.#count(why);
    return null;
  }

  /** What became of the events; whole once the rows were asked for. */
  counts(): AuditCounts {
    const names = [
      ...PASSED,
      'reviews',
      'repeated',
      'updates_without_images',
      'updates_of_unknown_pods',
    ] as const;
    return Object.fromEntries(names.map((name) => [name, this.#counts.get(name) ?? 0])) as AuditCounts;
  }
}
