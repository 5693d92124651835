import { setTimeout as sleep } from 'node:timers/promises';
import type { EventBody } from '../../src/api/contract/runtime.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { formatTime, isIpoError } from '../../src/base/index.ts';
import { counted, formatCount } from '../../src/render/index.ts';
import { withService } from '../service/client.ts';
import {
  ANSWER_FORMATS,
  imageColumn,
  markdownLines,
  tableLines,
  writeAnswer,
  type AnswerViews,
} from '../terminal/answer.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs } from '../terminal/output.ts';
import { parsePaging } from '../terminal/paging.ts';
import { openParts } from '../terminal/parts.ts';
import { parseSince } from '../terminal/since.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { EventPage } from './stored-events.ts';
import type { ServiceFlags } from '../service/index.ts';
import type { PagingFlags } from '../terminal/paging-flags.ts';

/** RuntimeEventsOptions are the flags of `ipo runtime events`. */
export interface RuntimeEventsOptions extends ServiceFlags, PagingFlags {
  readonly effect?: string;
  readonly rule?: string;
  readonly priority?: string;
  readonly image?: string;
  readonly namespace?: string;
  readonly since?: string;
  readonly follow?: true;
  readonly output: readonly string[];
}

const COLUMNS = [
  { heading: 'time (UTC)', text: ({ at }: EventBody) => at.slice(0, 19).replace('T', ' ') },
  { heading: 'priority', text: ({ priority }: EventBody) => priority },
  { heading: 'rule of the detector', flex: 2, text: ({ rule }: EventBody) => rule },
  { heading: 'where', flex: 2, text: whereOf },
  imageColumn(2, ({ image, digest }: EventBody) => image ?? digest ?? '–'),
  { heading: 'effect', text: effectOf },
  { heading: 'by', flex: 2, text: ({ matched }: EventBody) => matched ?? '–' },
];
/** EVENTS_SHOWN is how many events are listed where no limit is asked for. */
export const EVENTS_SHOWN = 50;
/** A page of the API has no more. */
const MOST_EVENTS = 1000;
/** How often a service is asked for what came, in milliseconds. */
const POLL_MS = 1000;

/** runRuntimeEvents is `ipo runtime events`. */
export async function runRuntimeEvents(
  options: RuntimeEventsOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { effect, rule, priority, image, namespace, since } = options;
  const now = openParts(terminal).clock.now();
  const query = {
    effect,
    rule,
    priority,
    image,
    namespace,
    ...(since !== undefined && { since: formatTime(parseSince('--since', since, now)) }),
  };
  if (options.follow === true) return follow(options, query, terminal);
  const paging = parsePaging({ limit: String(EVENTS_SHOWN), ...options }, MOST_EVENTS);
  const answer = await withService(terminal, options, (service) =>
    service.json<EventPage>('GET /runtime/events', { query: { ...query, ...paging } }),
  );
  const { items, total } = answer.body;
  const left = total - items.length;
  const sum = `${counted(total, 'event')}${left > 0 ? `; ${formatCount(left)} not shown, see --limit and --offset` : ''}`;
  const views: AnswerViews = {
    table: (paint) => [...(items.length === 0 ? [] : tableLines(paint, COLUMNS, items)), sum],
    markdown: () => [...markdownLines(COLUMNS, items), ...(items.length === 0 ? [] : ['']), sum],
  };
  await writeAnswer(targets, answer, views, terminal, globals);
  return EXIT.done;
}

type Query = Readonly<Record<string, string | undefined>>;

/** Prints events as they come, until it is interrupted or has printed `--limit` of them. */
async function follow(options: RuntimeEventsOptions, query: Query, terminal: Terminal): Promise<ExitCode> {
  const [{ format, path } = { format: 'table', path: null }, second] = parseOutputs(
    options.output,
    ['table', 'json'],
    'table',
  );
  if (second !== undefined || path !== null)
    throw new UsageError(
      '-f prints events to stdout as they come',
      'Give -o table or -o json without a path',
    );
  const { limit: most = Infinity } = parsePaging(options.limit === undefined ? {} : { limit: options.limit });
  const print = (event: EventBody): void =>
    terminal.out(format === 'json' ? `${JSON.stringify(event)}\n` : `${lineOf(event)}\n`);
  return withService(terminal, options, async (service) => {
    let after = query['since'] === undefined ? await newest(service) : 0;
    for (let printed = 0; ; await sleep(POLL_MS)) {
      const { items } = await next(service, { ...query, after: String(after) });
      for (const event of items) {
        after = event.id;
        print(event);
        printed += 1;
        if (printed >= most) return EXIT.done;
      }
    }
  });
}

async function newest(service: ServiceClient): Promise<number> {
  const { body } = await service.json<EventPage>('GET /runtime/events', { query: { limit: 1 } });
  return body.items[0]?.id ?? 0;
}

/** A service that is being updated is asked again. */
async function next(service: ServiceClient, query: Query): Promise<EventPage> {
  for (;;)
    try {
      return (await service.json<EventPage>('GET /runtime/events', { query })).body;
    } catch (error) {
      if (!isIpoError(error) || !['network', 'unavailable', 'rate_limited'].includes(error.code)) throw error;
      await sleep(5 * POLL_MS);
    }
}

function lineOf(event: EventBody): string {
  const { at, priority, rule, output } = event;
  const what = output === '' ? '' : `: ${output}`;
  return clean(`${at.slice(0, 19)}Z ${priority} ${effectOf(event)} ${whereOf(event)} ${rule}${what}`, 1000);
}

function whereOf({ namespace, workload, pod, host }: EventBody): string {
  const name = workload ?? pod;
  if (name === null) return host === null || host === '' ? '–' : `host ${host}`;
  return namespace === null ? name : `${namespace}/${name}`;
}

/** What came of it; what a runtime policy did stands behind it. */
function effectOf({ effect, policy, policy_effect }: EventBody): string {
  const shown = effect ?? 'not decided yet';
  if (policy_effect === null || policy_effect === effect) return shown;
  return `${shown} (${policy_effect} by ${policy ?? 'a policy'})`;
}
