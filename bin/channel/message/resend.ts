import { formatTime } from '../../../src/base/index.ts';
import { MESSAGE_ID } from '../../../src/channels/index.ts';
import { counted } from '../../../src/render/index.ts';
import { withService } from '../../service/client.ts';
import type { ServiceFlags } from '../../service/index.ts';
import { clean } from '../../terminal/clean.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { parseSince } from '../../terminal/since.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UsageError } from '../../terminal/usage.ts';
import { findChannel, toName } from '../find.ts';

/** ChannelResendOptions are the flags of `ipo channel resend`. */
export interface ChannelResendOptions extends ServiceFlags {
  readonly since?: string;
  readonly output: readonly string[];
}

/** runChannelResend is `ipo channel resend`. Exit 1 where there was nothing to send again. */
export async function runChannelResend(
  which: string,
  messages: readonly string[],
  options: ChannelResendOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  if ((messages.length === 0) === (options.since === undefined))
    throw new UsageError(
      'give either IDs of messages or --since',
      'ipo channel deliveries CHANNEL --state failed shows the ids; --since 24h sends those that failed in the last 24 hours',
    );
  const strange = messages.find((id) => !MESSAGE_ID.test(id));
  if (strange !== undefined)
    throw new UsageError(
      `${clean(strange)}: not the ID of a message`,
      'ipo channel deliveries CHANNEL shows the IDs',
    );
  const body =
    options.since === undefined
      ? { messages }
      : { since: formatTime(parseSince('--since', options.since, Date.now())) };
  return withService(terminal, options, async (service) => {
    const { body: channel } = await findChannel(service, which);
    const { body: done } = await service.json<{ resent: number }>('POST /channels/{id}/resend', {
      params: { id: channel.id },
      body,
    });
    const { resent } = done;
    const text =
      resent === 0
        ? `${toName(channel)}: no message to send again\n`
        : `${toName(channel)}: ${counted(resent, 'message')} sent again within a minute each\n`;
    await outcome.write(done, text);
    return resent === 0 ? EXIT.check : EXIT.done;
  });
}
