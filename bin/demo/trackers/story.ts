import { parse } from 'yaml';
import { exampleChannel, type Fake } from '../../../fakes/index.ts';
import type { SummaryBody, TrackingBody } from '../../../src/api/contract/tracking.ts';
import type { DemoTime, TrackerDemo } from '../../../src/app/index.ts';
import {
  CART,
  CART_FLAWS,
  CHECKOUT,
  CHECKOUT_FLAWS,
  CHECKOUT_NEXT,
  CLUSTER,
  NAMESPACE,
  reportOf,
  type Flaw,
  type Image,
} from './shop.ts';
import { IssueWatch, type IssueChange } from './watch.ts';

/** Told is what the story tells, in its order. */
export type Told =
  | { readonly kind: 'act'; readonly at: number; readonly title: string }
  /** What happened to an issue, as the tracker has it. */
  | { readonly kind: 'issue'; readonly change: IssueChange }
  /** Rows that were closed, each with its reason. */
  | { readonly kind: 'rows'; readonly rows: readonly TrackingBody[] }
  | { readonly kind: 'summary'; readonly summary: SummaryBody };

/** StoryParts are who plays. */
export interface StoryParts {
  readonly service: TrackerDemo;
  readonly fake: Fake;
  readonly time: DemoTime;
  tell(told: Told): void;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LOOK_EVERY = 4 * HOUR;

/**
 * playStory plays the whole life of issues: a first run with its summary, single issues after it, a fix, a triage, a late fix and a
 * retirement, each closed with its reason, and the state of the remediation windows in between.
 */
export async function playStory(parts: StoryParts): Promise<void> {
  const story = new Story(parts);
  await story.scan(CHECKOUT, CHECKOUT_FLAWS);
  await story.runs(CHECKOUT, CART);

  await story.act('No remediation window is declared, and no channel is connected yet');
  await story.act('A policy declares that critical findings are fixed within 72 hours', () =>
    story.declare('72h'),
  );
  await story.act(
    `A ${parts.fake.kind} channel is created: its first run finds seven critical findings`,
    () => story.connect(),
  );

  await story.later(DAY);
  await story.act('The next day a scan of another image finds two more: one issue each', () =>
    story.scan(CART, CART_FLAWS),
  );

  await story.later(5 * HOUR);
  await story.act('One is fixed: the newest scan no longer reports it', () =>
    story.scan(CART, CART_FLAWS.slice(1)),
  );
  await story.act('The other does not apply here: a person triages it with a reason', () =>
    story.triage(CART, CART_FLAWS[1]),
  );

  await story.later(4 * DAY);
  await story.act('Four days later two findings of the summary are fixed, after the window', () =>
    story.scan(CHECKOUT, CHECKOUT_FLAWS.slice(2)),
  );

  await story.act('A new version of checkout without them replaces the old one', async () => {
    await story.scan(CHECKOUT_NEXT, []);
    await story.runs(CHECKOUT_NEXT, CART);
  });
  for (let hours = 0; hours < 25; hours += 5) {
    await story.later(5 * HOUR);
    await story.runs(CHECKOUT_NEXT, CART);
  }
  await story.act('No pod has run the old one for 24 hours: it is retired, which does not count as a fix');
}

class Story {
  readonly #parts: StoryParts;
  readonly #watch: IssueWatch;
  readonly #closed = new Set<number>();
  #running: readonly Image[] = [];

  constructor(parts: StoryParts) {
    this.#parts = parts;
    this.#watch = new IssueWatch(parts.fake);
  }

  /** Something happens; the service files and sweeps as its jobs would, and it is told what came of it. */
  async act(title: string, happens: () => Promise<void> = async () => {}): Promise<void> {
    const { service, time, tell } = this.#parts;
    tell({ kind: 'act', at: time.now(), title });
    await happens();
    await service.file();
    await this.later(10 * MINUTE);
    await service.sweep();
    for (const change of this.#watch.changes()) tell({ kind: 'issue', change });
    const { body } = await service.client.json<{ items: readonly TrackingBody[] }>('GET /tracking', {
      query: { state: 'closed' },
    });
    const rows = body.items.filter(({ id }) => !this.#closed.has(id)).toReversed();
    for (const { id } of rows) this.#closed.add(id);
    if (rows.length > 0) tell({ kind: 'rows', rows });
    const summary = await service.client.json<SummaryBody>('GET /tracking/summary');
    tell({ kind: 'summary', summary: summary.body });
  }

  /** Time passes, in which the cluster is looked at every few hours. */
  async later(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_EVERY) {
      this.#parts.time.advance(Math.min(left, LOOK_EVERY));
      await this.runs(...this.#running);
    }
  }

  async scan(image: Image, flaws: readonly Flaw[]): Promise<void> {
    const { service, time } = this.#parts;
    await service.client.json('POST /scans', { body: reportOf(image, flaws, time.now()) });
  }

  /** What runs from now on, as the reconciliation of the cluster saw it. */
  async runs(...images: readonly Image[]): Promise<void> {
    const { service, time } = this.#parts;
    this.#running = images;
    const at = time.now();
    await service.reconciled({
      cluster: CLUSTER,
      startedAt: at - 1000,
      finishedAt: at,
      pods: images.length,
      running: images.map(({ workload, digest }) => ({ namespace: NAMESPACE, workload, digest })),
    });
  }

  async declare(critical: string): Promise<void> {
    await this.#parts.service.client.json('POST /policies', {
      body: {
        apiVersion: 'ipo.dev/v1',
        kind: 'ImagePolicy',
        metadata: { name: 'shop' },
        spec: { targetNamespaces: [NAMESPACE], sla: { critical } },
      },
    });
  }

  async connect(): Promise<void> {
    const { service, fake } = this.#parts;
    await service.client.json('POST /channels', { body: parse(exampleChannel(fake)) as unknown });
  }

  async triage({ digest }: Image, flaw: Flaw | undefined): Promise<void> {
    const { service, time } = this.#parts;
    const body = {
      digest,
      cve: flaw?.cve,
      reason: 'the vulnerable function is never called',
      until: new Date(time.now() + 90 * DAY).toISOString(),
    };
    await service.client.json('POST /triage', { body });
  }
}
