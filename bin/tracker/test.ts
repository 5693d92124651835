import type { ChannelBody, ChannelTestBody } from '../../src/api/contract/channels.ts';
import { openTrackerDoor, type ServiceClient } from '../../src/app/index.ts';
import { formatTime, Secret } from '../../src/base/index.ts';
import { isTrackerKind, tellTest } from '../../src/channels/index.ts';
import { toYaml } from '../../src/render/index.ts';
import type { TrackerTestOptions } from './index.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { parseOutputs, writeOutputs } from '../terminal/output.ts';
import { openParts } from '../terminal/parts.ts';
import { openPrompts, readStdinLines } from '../terminal/prompts.ts';
import { checkStdin } from '../files/index.ts';
import { withService } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import { readDocument } from '../channel/document.ts';
import { findChannel, toName } from '../channel/find.ts';
import { isTestLoopback, toChannel } from '../channel/setup/check.ts';

interface Tested extends ChannelTestBody {
  readonly channel: string;
}

/** runTrackerTest is `ipo tracker test`. Exit 1 when a credential does not work, 3 when a limit kept one from being tested. */
export async function runTrackerTest(
  which: string | undefined,
  options: TrackerTestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const targets = parseOutputs(options.output, ['table', 'json', 'yaml'] as const, 'table', [options.file]);
  if (which !== undefined && options.file !== undefined)
    throw new UsageError('a channel of the service and --file are two channels', 'Name one of them');
  if (options.credentialStdin && options.file === undefined)
    throw new UsageError(
      '--credential-stdin goes with --file',
      'The service tests with the credential that it holds',
    );
  const tests =
    options.file === undefined
      ? await withService(terminal, options, (service) => testStored(service, which))
      : [await testFile(options.file, options, terminal)];
  const render = (format: 'table' | 'json' | 'yaml'): string =>
    format === 'json' ? `${JSON.stringify(tests)}\n` : format === 'yaml' ? toYaml(tests) : shown(tests);
  await writeOutputs(targets, render, openParts(terminal), terminal);
  if (tests.some(({ status }) => status === 'fails')) return EXIT.check;
  return tests.some(({ status }) => status === 'limited') ? EXIT.outside : EXIT.done;
}

/** A service of an earlier release tells a limit like any other failure. */
type OlderTestBody = Omit<ChannelTestBody, 'status' | 'limited_until'> &
  Partial<Pick<ChannelTestBody, 'status' | 'limited_until'>>;

async function testStored(service: ServiceClient, which: string | undefined): Promise<readonly Tested[]> {
  const { body } = await service.json<{ items: readonly ChannelBody[] }>('GET /channels');
  const channels =
    which === undefined
      ? body.items.filter(({ kind }) => isTrackerKind(kind))
      : [(await findChannel(service, which)).body];
  const tests: Tested[] = [];
  for (const channel of channels) {
    if (!isTrackerKind(channel.kind))
      throw new UsageError(
        `a channel of ${channel.kind} has nothing that could be read`,
        'POST /channels/{id}/test of the API sends it one test message',
      );
    const params = { id: channel.id };
    const { body: found } = await service.json<OlderTestBody>('POST /channels/{id}/test', { params });
    const { works, status = works ? 'works' : 'fails', limited_until = null } = found;
    tests.push({ channel: channel.name, ...found, status, limited_until });
  }
  return tests;
}

async function testFile(file: string, options: TrackerTestOptions, terminal: Terminal): Promise<Tested> {
  checkStdin([file, options.credentialStdin && '-']);
  const testLoopback = isTestLoopback(terminal.env);
  const { channel, credential } = toChannel(await readDocument(file, terminal), testLoopback);
  if (channel === null)
    throw new UsageError(`${clean(file)} is no channel of a tracker`, 'Only a tracker can be tested');
  const token =
    credential ??
    new Secret(
      options.credentialStdin
        ? ((await readStdinLines(terminal, ['the token']))[0] ?? '').trim()
        : await openPrompts(terminal, 'ipo tracker test', 'Give the token with --credential-stdin').secret(
            `The token of ${toName(channel)}`,
          ),
    );
  const door = await openTrackerDoor({ testLoopback, userAgent: `ipo/${VERSION}` });
  const test = await door.test(channel, token);
  const { status, detail, limitedUntil } = tellTest(test, Date.now());
  const limited_until = limitedUntil === null ? null : formatTime(limitedUntil);
  const { works, hints } = test;
  return { channel: channel.name, works, status, limited_until, detail, hints: [...hints], wrote: false };
}

const STATUS = { works: 'works', fails: 'does not work', limited: 'cannot be tested now' } as const;

function shown(tests: readonly Tested[]): string {
  if (tests.length === 0) return 'No tracker channel.\n';
  return tests
    .map(({ channel, status, detail, hints }) =>
      [
        `${clean(channel, 100)}: ${STATUS[status]}: ${clean(detail)}`,
        ...hints.map((hint) => `  ${clean(hint, 1000)}`),
        '',
      ].join('\n'),
    )
    .join('');
}
