import type { Log } from '../../base/index.ts';
import { ClusterError, isFault } from '../../cluster/index.ts';
import { type ElectionClock } from '../../leadership/index.ts';
import type { KubernetesApi } from './api.ts';
import { BackOff } from './back-off.ts';
import { pathOf, type KubeList, type KubeObject, type Resource } from './resources.ts';
import { watch } from './watch.ts';

/** InformerOptions say what is kept in memory. */
export interface InformerOptions<T> {
  readonly api: KubernetesApi;
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Whether the server sends only metadata. */
  readonly metadataOnly?: boolean;
  /** What is kept of an object; the rest is dropped at once. Null leaves the object out. */
  readonly project: (object: KubeObject) => T | null;
  /** Called after objects changed, with their keys; null after a list, which may change all. */
  readonly onChange?: (keys: readonly string[] | null) => void;
  readonly clock: ElectionClock;
  readonly log: Log;
  /** A number from 0 to 1, for spreading. */
  readonly random?: () => number;
}

/** OpenInformer opens the informer of a kind of objects; `project` gives what is kept of one. */
export type OpenInformer = <T>(
  resource: Resource,
  project: (object: KubeObject) => T | null,
  more?: Partial<InformerOptions<T>>,
) => Informer<T>;

const PAGE = 500;
/** A watch ends by itself after 5 to 10 minutes, so that a load balancer's view of it never grows old. */
const WATCH_SECONDS = 300;
/** One that ended sooner than this without an event was not a watch. */
const SHORT_MS = 1_000;
/** The server sends a bookmark each minute or so; without any sign for longer, what is here may be old. */
const SILENT_MS = 130_000;

/** After this many faults of the server's own one after the other a version is given up. */
const MOST_REFUSED = 2;

/**
 * Informer keeps the objects of one kind in memory as the API server has them: a list by pages, then a watch with bookmarks from its
 * version on, taken up again where it broke off, and a new list when the server no longer has that version. Faults are waited out with
 * a growing time between attempts. Old contents are served meanwhile, and `staleSince` tells that they are old.
 */
export class Informer<T> {
  readonly #options: InformerOptions<T>;
  readonly #stop = new AbortController();
  readonly #backOff: BackOff;
  #objects = new Map<string, T>();
  #version = '';
  #synced = false;
  #fault: ClusterError | null = null;
  #brokenAt: number | null = null;
  #contactAt = 0;
  #contactWall = 0;
  /** Faults of the server's own in a row. */
  #refused = 0;
  #running: Promise<void> | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#backOff = new BackOff(options.random === undefined ? {} : { random: options.random });
  }

  /** Kept objects by key: `namespace/name`, or the name of one without a namespace. */
  get objects(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  /** Whether the whole list was read once. */
  get synced(): boolean {
    return this.#synced;
  }

  /** What keeps it from being up to date, or null. */
  get fault(): ClusterError | null {
    return this.#fault;
  }

  /** UTC milliseconds since when the contents may be old; null while they are not. */
  staleSince(): number | null {
    if (this.#brokenAt !== null) return this.#brokenAt;
    const { clock } = this.#options;
    return clock.monotonic() - this.#contactAt > SILENT_MS ? this.#contactWall : null;
  }

  start(): void {
    if (this.#running !== null) return;
    const { clock } = this.#options;
    this.#contactAt = clock.monotonic();
    this.#contactWall = clock.now();
    this.#brokenAt = clock.now();
    this.#running = this.#run();
  }

  /** Resolves once the list was read; false when that did not come to pass within the time, or it was stopped. */
  async untilSynced(ms: number): Promise<boolean> {
    if (this.#synced) return true;
    const over = new AbortController();
    let done = (): void => {};
    const synced = new Promise<void>((resolve) => (done = resolve));
    this.#waiting.add(done);
    await Promise.race([synced, this.#options.clock.wait(ms, over.signal)]);
    over.abort();
    this.#waiting.delete(done);
    return this.#synced;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const done of this.#waiting) done();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, log, resource } = this.#options;
    while (!signal.aborted) {
      try {
        if (this.#version === '') await this.#list();
        const began = clock.monotonic();
        const events = await this.#watch();
        // The server ended it: the next begins at once, unless it ends them all at once.
        if (events > 0 || clock.monotonic() - began >= SHORT_MS) this.#backOff.reset();
        else await clock.wait(this.#backOff.next(), signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isFault(error, 'gone')) {
          this.#version = '';
          log.info('a watch starts again with a list', { kind: resource.kind });
          await clock.wait(this.#backOff.next(), signal);
          continue;
        }
        const fault = error instanceof ClusterError ? error : null;
        if (fault === null) log.error('an informer has a defect', { kind: resource.kind, error });
        else if (this.#fault === null)
          log.warn('the cluster cannot be watched; it is tried again', { kind: resource.kind, error });
        this.#fault =
          fault ??
          new ClusterError('unreadable', `${resource.kind}: a defect of the informer`, { cause: error });
        this.#brokenAt ??= clock.now();
        this.#refused = fault?.fault === 'server' ? this.#refused + 1 : 0;
        // After an event that could not be read its version is not known either. An error of only the server itself may mean a version that
        // it does not have: one that is still to come after its store was restored.
        if (
          fault === null ||
          fault.fault === 'unreadable' ||
          fault.fault === 'invalid' ||
          this.#refused >= MOST_REFUSED
        )
          this.#version = '';
        await clock.wait(this.#backOff.next(fault?.retryAfter), signal);
      }
    }
  }

  async #list(): Promise<void> {
    const { api, resource, namespace, labelSelector, metadataOnly, project, onChange } = this.#options;
    const objects = new Map<string, T>();
    let from: string | undefined;
    let version = '';
    let whole = false;
    do {
      let page: KubeList<KubeObject>;
      try {
        page = await api.call<KubeList<KubeObject>>({
          method: 'GET',
          path: pathOf(resource, { namespace }),
          query: { labelSelector, limit: whole ? undefined : PAGE, continue: from },
          what: `the list of ${resource.plural}`,
          metadataOnly: metadataOnly === true ? 'list' : undefined,
          timeoutMs: 60_000,
          // It is told as a fault, and waited for by the same back-off.
          once: true,
          signal: this.#stop.signal,
        });
      } catch (error) {
        // The version of the first page is gone before the last was read: once more, in one piece.
        if (from === undefined || !isFault(error, 'gone')) throw error;
        whole = true;
        from = undefined;
        version = '';
        objects.clear();
        continue;
      }
      for (const object of page.items ?? []) {
        const kept = project(object);
        if (kept !== null) objects.set(keyOf(object), kept);
      }
      from = page.metadata?.continue === '' ? undefined : page.metadata?.continue;
      version = page.metadata?.resourceVersion ?? '';
    } while (from !== undefined || (whole && version === ''));
    this.#objects = objects;
    this.#version = version;
    this.#touch();
    this.#recovered();
    this.#synced = true;
    for (const done of this.#waiting) done();
    onChange?.(null);
  }

  async #watch(): Promise<number> {
    const {
      api,
      resource,
      namespace,
      labelSelector,
      project,
      onChange,
      random = Math.random,
    } = this.#options;
    const events = watch<KubeObject>(api, {
      path: pathOf(resource, { namespace }),
      query: { labelSelector },
      resourceVersion: this.#version,
      timeoutSeconds: Math.round(WATCH_SECONDS * (1 + random())),
      what: `the watch of ${resource.plural}`,
      signal: this.#stop.signal,
      metadataOnly: this.#options.metadataOnly,
      onOpen: () => {
        this.#touch();
        this.#recovered();
      },
    });
    let seen = 0;
    for await (const { type, object } of events) {
      seen += 1;
      this.#touch();
      if (seen === 1) this.#backOff.reset();
      const version = object.metadata?.resourceVersion;
      if (type !== 'BOOKMARK') {
        const key = keyOf(object);
        const kept = type === 'DELETED' ? null : project(object);
        const had = this.#objects.has(key);
        if (kept === null) this.#objects.delete(key);
        else this.#objects.set(key, kept);
        if (had || kept !== null) onChange?.([key]);
      }
      if (version !== undefined && version !== '') this.#version = version;
    }
    return seen;
  }

  #touch(): void {
    const { clock } = this.#options;
    this.#contactAt = clock.monotonic();
    this.#contactWall = clock.now();
  }

  #recovered(): void {
    const { log, resource } = this.#options;
    if (this.#fault !== null) log.info('the cluster is watched again', { kind: resource.kind });
    this.#fault = null;
    this.#brokenAt = null;
    this.#refused = 0;
  }
}

/** keyOf gives the key under which an object is kept. */
function keyOf({ metadata }: KubeObject): string {
  const { namespace, name = '' } = metadata ?? {};
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
