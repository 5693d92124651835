import type { WrittenChannelBody, ChannelBody } from '../../../src/api/contract/channels.ts';
import { isTrackerKind } from '../../../src/channels/index.ts';
import { withService } from '../../service/client.ts';
import type { ServiceFlags } from '../../service/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { findChannel, toName } from '../find.ts';

/** ChannelResumeOptions are the flags of `ipo channel resume`. */
export interface ChannelResumeOptions extends ServiceFlags {
  readonly all?: true;
  readonly output: readonly string[];
}

/** runChannelResume is `ipo channel resume`. */
export async function runChannelResume(
  which: string | undefined,
  options: ChannelResumeOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  if ((which === undefined) === (options.all !== true))
    throw new UsageError('name one channel, or give --all', 'ipo channel list shows those that are paused');
  return withService(terminal, options, async (service) => {
    const ids =
      which === undefined
        ? (await service.json<{ items: ChannelBody[] }>('GET /channels')).body.items
            .filter(({ paused }) => paused !== undefined)
            .map(({ id }) => id)
        : [(await findChannel(service, which)).body.id];
    const items: WrittenChannelBody[] = [];
    for (const id of ids)
      items.push(
        (await service.json<WrittenChannelBody>('POST /channels/{id}/resume', { params: { id } })).body,
      );
    const lines = items.map((channel) => `${toName(channel)} ${wordFor(channel)}\n`);
    await outcome.write(
      { items, total: items.length },
      lines.length === 0 ? 'No channel is paused.\n' : lines.join(''),
    );
    return EXIT.done;
  });
}

function wordFor({ kind, changed, paused }: WrittenChannelBody): string {
  if (!changed) return 'is not paused';
  if (!isTrackerKind(kind)) return 'goes on';
  return `resumes within a minute, once the service has looked up the issues filed since the backup${paused?.error ? `; last try: ${clean(paused.error)}` : ''}`;
}
