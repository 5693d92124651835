import type { ChannelBody } from '../../src/api/contract/channels.ts';
import { openTrackerDoor, type ServiceClient } from '../../src/app/index.ts';
import { formatTime, Secret } from '../../src/base/index.ts';
import { isTrackerKind, tellTest } from '../../src/channels/index.ts';
import { clean } from '../terminal/clean.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { openPrompts, readStdinLines } from '../terminal/prompts.ts';
import { checkStdin } from '../files/index.ts';
import { withService } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { VERSION } from '../terminal/version.ts';
import { readDocument } from '../channel/document.ts';
import { findChannel, quoted, toName } from '../channel/find.ts';
import { openTested, testStored, type TestedChannel } from '../channel/message/test.ts';
import { isTestLoopback, toChannel } from '../channel/setup/check.ts';
import { hereOf } from '../channel/setup/say.ts';
import type { ServiceFlags } from '../service/index.ts';

/** TrackerTestOptions are the flags of `ipo tracker test`. */
export interface TrackerTestOptions extends ServiceFlags {
  readonly file?: string;
  readonly credentialStdin?: true;
  readonly output: readonly string[];
}

/** runTrackerTest is `ipo tracker test`. Exit 1 when a credential does not work, 3 when a limit kept one from being tested. */
export async function runTrackerTest(
  which: string | undefined,
  options: TrackerTestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const write = openTested(options.output, [options.file], terminal);
  if (which !== undefined && options.file !== undefined)
    throw new UsageError('CHANNEL and --file exclude each other', 'Name one of them');
  if (options.credentialStdin && options.file === undefined)
    throw new UsageError(
      '--credential-stdin needs --file',
      'Add --file, or leave --credential-stdin out to test with the stored credential',
    );
  const tests =
    options.file === undefined
      ? await withService(terminal, options, (service) => testTrackers(service, which))
      : [await testFile(options.file, options, terminal)];
  return write(tests);
}

async function testTrackers(
  service: ServiceClient,
  which: string | undefined,
): Promise<readonly TestedChannel[]> {
  const { body } = await service.json<{ items: readonly ChannelBody[] }>('GET /channels');
  const channels =
    which === undefined
      ? body.items.filter(({ kind }) => isTrackerKind(kind))
      : [(await findChannel(service, which)).body];
  const tests: TestedChannel[] = [];
  for (const channel of channels) {
    if (!isTrackerKind(channel.kind))
      throw new UsageError(
        `only tracker channels are tested by a read, and this is a channel of the kind ${channel.kind}`,
        `ipo channel test ${quoted(channel.name)} sends it one test message`,
      );
    tests.push(await testStored(service, channel));
  }
  return tests;
}

async function testFile(
  file: string,
  options: TrackerTestOptions,
  terminal: Terminal,
): Promise<TestedChannel> {
  checkStdin([file, options.credentialStdin && '-']);
  const testLoopback = isTestLoopback(terminal.env);
  const { channel, credential } = toChannel(await readDocument(file, terminal), testLoopback);
  if (channel === null)
    throw new UsageError(`${clean(file)} is not a tracker channel`, 'Only a tracker channel can be tested');
  const token =
    credential ??
    new Secret(
      options.credentialStdin
        ? ((await readStdinLines(terminal, ['the token']))[0] ?? '').trim()
        : await openPrompts(terminal, 'ipo tracker test', 'Give the token with --credential-stdin').secret(
            `The token of ${toName(channel)}`,
          ),
    );
  const door = await openTrackerDoor({ testLoopback, userAgent: `ipo/${VERSION}`, env: terminal.env });
  const test = await door.test(channel, token);
  const { status, detail, limitedUntil } = tellTest(test, Date.now());
  const limited_until = limitedUntil === null ? null : formatTime(limitedUntil);
  const { works, hints } = test;
  return {
    channel: channel.name,
    works,
    status,
    limited_until,
    detail,
    hints: hints.map(hereOf),
    wrote: false,
  };
}
