import type { ChannelBody, ChannelTestBody } from '../../../src/api/contract/channels.ts';
import type { ServiceClient } from '../../../src/app/index.ts';
import { withService } from '../../service/client.ts';
import type { ServiceFlags } from '../../service/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { findChannel } from '../find.ts';

/** ChannelTestOptions are the flags of `ipo channel test`. */
export interface ChannelTestOptions extends ServiceFlags {
  readonly output: readonly string[];
}

/** TestedChannel is what a test of a channel found. */
export interface TestedChannel extends ChannelTestBody {
  readonly channel: string;
}

/** A service of an earlier release tells a limit like any other failure. */
type OlderTestBody = Omit<ChannelTestBody, 'status' | 'limited_until'> &
  Partial<Pick<ChannelTestBody, 'status' | 'limited_until'>>;

/** runChannelTest is `ipo channel test`. Exit 1 when it does not work, 3 when a limit kept it from being tested. */
export async function runChannelTest(
  which: string,
  options: ChannelTestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const write = openTested(options.output, [], terminal);
  return write(
    await withService(terminal, options, async (service) => [
      await testStored(service, (await findChannel(service, which)).body),
    ]),
  );
}

/** testStored lets the service test a channel with the secrets that it holds. */
export async function testStored(
  service: ServiceClient,
  { id, name }: Pick<ChannelBody, 'id' | 'name'>,
): Promise<TestedChannel> {
  const { body: found } = await service.json<OlderTestBody>('POST /channels/{id}/test', { params: { id } });
  const { works, status = works ? 'works' : 'fails', limited_until = null } = found;
  return { channel: name, ...found, status, limited_until };
}

/** openTested reads `-o` of a test, and gives what writes its answer; `inputs` are files that no output may be. Throws UsageError. */
export function openTested(
  output: readonly string[],
  inputs: readonly (string | undefined)[],
  terminal: Terminal,
): (tests: readonly TestedChannel[]) => Promise<ExitCode> {
  const outcome = openOutcome(output, terminal, inputs);
  return async (tests) => {
    await outcome.write(tests, shown(tests));
    if (tests.some(({ status }) => status === 'fails')) return EXIT.check;
    return tests.some(({ status }) => status === 'limited') ? EXIT.outside : EXIT.done;
  };
}

const STATUS = { works: 'works', fails: 'does not work', limited: 'cannot be tested now' } as const;

function shown(tests: readonly TestedChannel[]): string {
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
