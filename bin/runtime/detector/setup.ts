import { setTimeout as sleep } from 'node:timers/promises';
import type { DetectorBody } from '../../../src/api/contract/detector.ts';
import type { EventBody } from '../../../src/api/contract/runtime.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import { parseDuration } from '../../../src/base/index.ts';
import { withService } from '../../service/client.ts';
import { toYaml } from '../../../src/render/index.ts';
import { parseOutputs, writeOutputs } from '../../terminal/output.ts';
import { openParts } from '../../terminal/parts.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import type { GlobalOptions, Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { falcoValues } from './values.ts';
import type { DetectorFlags } from './bundle.ts';

/** DetectorSetupFlags are those of `ipo runtime detector setup`. */
export interface DetectorSetupFlags extends DetectorFlags {
  readonly connection: 'mtls' | 'sidekick';
  readonly url?: string;
  readonly secret: string;
  readonly wait: boolean;
  readonly waitFor: string;
}

const LOOK_MS = 1_000;

interface Events {
  readonly items: readonly EventBody[];
}

/** runDetectorSetup is `ipo runtime detector setup`: values on stdout, all else on stderr. */
export async function runDetectorSetup(
  options: DetectorSetupFlags,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const wait = parseDuration(options.waitFor);
  if (wait === null || wait <= 0)
    throw new UsageError(`--wait-for ${options.waitFor}: this is not a duration`, 'Write it as 10m or 90s');
  const targets = parseOutputs(options.output, ['yaml', 'json'], 'yaml');
  const url = options.url === undefined ? null : listenerUrl(options.url);
  const say = (text: string): void => {
    if (!globals.quiet) terminal.err(text);
  };
  return withService(terminal, options, async (service) => {
    const { body } = await service.json<DetectorBody>('GET /integrations/detector');
    if (!body.enabled) {
      terminal.err(
        'ipo: the listener of the runtime detector is off\n  Set integrations.detector.enabled to true (in the values of the chart or the settings file of the service), and run this again.\n',
      );
      return EXIT.check;
    }
    const address = url ?? `https://HOST:${body.port ?? 8444}`;
    const values = falcoValues({ connection: options.connection, address, secret: options.secret });
    await writeOutputs(
      targets,
      (format) => (format === 'json' ? `${JSON.stringify(values)}\n` : toYaml(values)),
      openParts(terminal),
      terminal,
    );
    say(stepsOf(options, url === null));
    if (!options.wait) return EXIT.done;
    const before = await newest(service);
    say(`\nWaiting for the first event, ${options.waitFor} at most…\n`);
    const until = performance.now() + wait;
    while (performance.now() < until) {
      await sleep(LOOK_MS);
      const { body: found } = await service.json<Events>('GET /runtime/events', {
        query: { after: before, limit: 1 },
      });
      const [event] = found.items;
      if (event === undefined) continue;
      say(arrived(event));
      return EXIT.done;
    }
    terminal.err(
      'ipo: no event came\n  Look into the log of Falco for http_output, and into svc_runtime_events_dropped_total for callers that were rejected.\n',
    );
    return EXIT.check;
  });
}

async function newest(service: ServiceClient): Promise<number> {
  const { body } = await service.json<Events>('GET /runtime/events', { query: { limit: 1 } });
  return body.items[0]?.id ?? 0;
}

function listenerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new UsageError(`--url ${text}: is not the address of a listener`, 'Write it as https://HOST:8444');
  return url.origin;
}

function stepsOf({ connection, secret }: DetectorSetupFlags, open: boolean): string {
  const chart = connection === 'mtls' ? 'falcosecurity/falco' : 'falcosecurity/falco (with falcosidekick)';
  return [
    '',
    'Next:',
    '  1. ipo runtime detector bundle --out detector/',
    `  2. kubectl -n falco create secret generic ${secret} --from-file=detector/`,
    `  3. helm upgrade --install falco ${chart.split(' ')[0]} -n falco --values falco.yaml   (the values above)`,
    ...(open ? ['  HOST stands for the name of the listener; --url fills it in.'] : []),
    '',
  ].join('\n');
}

function arrived(event: EventBody): string {
  const { kind, rule, source, host } = event;
  const what =
    { test: 'the test of falcosidekick', heartbeat: 'a sign of life of Falco' }[kind as string] ??
    `an event of "${clean(rule)}"`;
  const joined = kind === 'event' ? ` ${joinedText(event)}` : '';
  return `Arrived: ${what} from ${clean(host ?? '') || 'an unnamed host'} (${clean(source ?? 'no source')}).${joined}\n`;
}

function joinedText({ digest, match_basis: basis, decided_at: decided }: EventBody): string {
  if (digest !== null) return `It was joined to an image (${basis}).`;
  if (decided === null) return 'It is not decided yet.';
  return 'It was joined to no image: without append_output Falco names neither digest nor pod uid.';
}
