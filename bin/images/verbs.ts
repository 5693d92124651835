import type { ImageDetailBody, ImageListBody, ScanRequestedBody } from '../../src/api/contract/images.ts';
import type { HealthBody } from '../../src/api/contract/health.ts';
import type { ServiceClient } from '../../src/app/index.ts';
import { IpoError, isIpoError, nearest } from '../../src/base/index.ts';
import { IMAGE_STATES } from '../../src/inventory/index.ts';
import { counted } from '../../src/render/index.ts';
import { MAX_SCAN_DIGESTS } from '../../src/scan/index.ts';
import {
  ANSWER_FORMATS,
  markdownLines,
  tableLines,
  writeAnswer,
  type ViewColumn,
} from '../terminal/answer.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findImage } from '../service/find-image.ts';
import { imageDetailViews, imageListViews, type ImageEvents } from './view.ts';
import { parseOutputs } from '../terminal/output.ts';
import { parsePaging } from '../terminal/paging.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import type { PagingFlags } from '../terminal/paging-flags.ts';
import type { ServiceFlags } from '../service/index.ts';

/** ImageListOptions are the flags of `ipo images list`. */
export interface ImageListOptions extends ServiceFlags, PagingFlags {
  readonly filter?: string;
  readonly search?: string;
  readonly sort?: string;
  readonly order?: string;
  readonly output: readonly string[];
}

/** ImageShowOptions are the flags of `ipo images show`. */
export interface ImageShowOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** ImageScanOptions are the flags of `ipo images scan`. */
export interface ImageScanOptions extends ServiceFlags {
  readonly unscanned?: true;
  readonly output: readonly string[];
}

/** runImageList is `ipo images list`. */
export async function runImageList(
  options: ImageListOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { filter, search: q, sort, order } = options;
  const query = { filter: stateOf(filter), q, sort, order, ...parsePaging(options) };
  const answer = await withService(terminal, options, (service) =>
    service.json<ImageListBody>('GET /images', { query }).catch((error: unknown) => {
      throw withNearest(error, filter);
    }),
  );
  await writeAnswer(targets, answer, imageListViews(answer.body), terminal, globals);
  return EXIT.done;
}

/** A state, however its letters are written; the service says of another which there are. */
function stateOf(text: string | undefined): string | undefined {
  return IMAGE_STATES.find((state) => state.toLowerCase() === text?.toLowerCase()) ?? text;
}

function withNearest(error: unknown, filter: string | undefined): unknown {
  if (!isIpoError(error) || error.code !== 'invalid_request' || filter === undefined) return error;
  const close = IMAGE_STATES.some((state) => state === stateOf(filter))
    ? null
    : nearest(filter, IMAGE_STATES);
  if (close === null) return error;
  return new IpoError(error.code, error.message, { hint: `Did you mean "${close}"?`, cause: error });
}

/** runImageShow is `ipo images show`. */
export async function runImageShow(
  image: string,
  options: ImageShowOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  const { answer, events } = await withService(terminal, options, async (service) => {
    const digest = await findImage(service, image);
    const found = await service.json<ImageDetailBody>('GET /images/{digest}', { params: { digest } });
    return { answer: found, events: await eventsOf(service, digest) };
  });
  await writeAnswer(targets, answer, imageDetailViews(answer.body, events), terminal, globals);
  return EXIT.done;
}

const EVENTS_SHOWN = 5;

/** What containers of an image did last; none of a service that takes no events yet. */
async function eventsOf(service: ServiceClient, digest: string): Promise<ImageEvents> {
  try {
    const query = { image: digest, limit: EVENTS_SHOWN };
    return (await service.json<ImageEvents>('GET /runtime/events', { query })).body;
  } catch (error) {
    if (isIpoError(error) && error.code === 'not_found') return { items: [], total: 0 };
    throw error;
  }
}

interface Outcome {
  readonly digest: string;
  readonly outcome: string;
}

const OUTCOMES: readonly ViewColumn<Outcome>[] = [
  { heading: 'digest', text: ({ digest }) => digest },
  { heading: '', text: ({ outcome }) => outcome },
];

/** runImageScan is `ipo images scan`; more than one request takes are asked for one after another. */
export async function runImageScan(
  images: readonly string[],
  options: ImageScanOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ANSWER_FORMATS, 'table');
  if (images.length === 0 && options.unscanned !== true) {
    throw new UsageError('no image given', 'Name digests or parts of names, or give --unscanned');
  }
  let scans = true;
  const body = await withService(terminal, options, async (service): Promise<ScanRequestedBody> => {
    const digests = new Set<string>();
    for (const image of images) digests.add(await findImage(service, image));
    if (options.unscanned === true) {
      const query = { filter: 'Unscanned' };
      const { body: list } = await service.json<ImageListBody>('GET /images', { query });
      for (const { digest } of list.items) digests.add(digest);
    }
    const all = [...digests];
    const asked: ScanRequestedBody = { queued: [], already_queued: [], unknown: [] };
    for (let from = 0; from < all.length; from += MAX_SCAN_DIGESTS) {
      const part = all.slice(from, from + MAX_SCAN_DIGESTS);
      const { body: made } = await service.json<ScanRequestedBody>('POST /images/scan', {
        body: { digests: part },
      });
      asked.queued.push(...made.queued);
      asked.already_queued.push(...made.already_queued);
      asked.unknown.push(...made.unknown);
    }
    if (asked.queued.length + asked.already_queued.length > 0) scans = await isScanning(service);
    return asked;
  });
  const { queued, already_queued, unknown } = body;
  const outcomes = [
    ...queued.map((digest) => ({ digest, outcome: 'queued' })),
    ...already_queued.map((digest) => ({ digest, outcome: 'queued already' })),
    ...unknown.map((digest) => ({ digest, outcome: 'not known' })),
  ];
  const sum = `${counted(queued.length, 'scan')} queued, ${already_queued.length} queued already, ${unknown.length} not known`;
  const views = {
    table: (paint: Parameters<typeof tableLines>[0]) => [
      ...(outcomes.length === 0 ? [] : tableLines(paint, OUTCOMES, outcomes)),
      sum,
    ],
    markdown: () => [...markdownLines(OUTCOMES, outcomes), ...(outcomes.length === 0 ? [] : ['']), sum],
  };
  await writeAnswer(targets, { body, text: JSON.stringify(body) }, views, terminal, globals);
  if (!scans && !globals.quiet) {
    terminal.err(
      'ipo: this service has no scanner, so these images wait; set scanner.kind, or import reports with ipo scan import\n',
    );
  }
  return unknown.length > 0 ? EXIT.check : EXIT.done;
}

/** Whether the service runs a scanner; where it does not say, nothing is claimed. */
async function isScanning(service: ServiceClient): Promise<boolean> {
  try {
    const { body } = await service.json<HealthBody>('GET /system/health');
    return body.scanner !== undefined;
  } catch {
    return true; // what was asked for is done; this is a word beside it
  }
}
