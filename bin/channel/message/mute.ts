import type { MuteBody } from '../../../src/api/contract/notifications.ts';
import { parseDuration } from '../../../src/base/index.ts';
import { MAX_MUTE } from '../../../src/channels/index.ts';
import { clean } from '../../terminal/clean.ts';
import { UsageError } from '../../terminal/usage.ts';
import { withService } from '../../service/client.ts';
import type { ServiceFlags } from '../../service/index.ts';
import { EXIT, type ExitCode } from '../../terminal/exit.ts';
import { openOutcome } from '../../terminal/outcome.ts';
import { shortMoment } from '../../terminal/rows.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { findChannel, toName } from '../find.ts';

/** ChannelMuteOptions are the flags of `ipo channel mute`. */
export interface ChannelMuteOptions extends ServiceFlags {
  readonly for: string;
  readonly reason: string;
  readonly output: readonly string[];
}

/** runChannelMute is `ipo channel mute`. */
export async function runChannelMute(
  which: string,
  options: ChannelMuteOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  const length = parseDuration(options.for);
  if (length === null || length <= 0)
    throw new UsageError(`--for ${clean(options.for)}: this is not a duration`, 'Write it as 6h or 30m');
  if (length > MAX_MUTE)
    throw new UsageError(
      `--for ${clean(options.for)}: a mute lasts at most 720h`,
      'Mute again before it ends',
    );
  return withService(terminal, options, async (service) => {
    const { body } = await findChannel(service, which);
    const { body: mute } = await service.json<MuteBody>('PUT /channels/{id}/mute', {
      params: { id: body.id },
      body: { for: options.for, reason: options.reason },
    });
    await outcome.write(
      mute,
      `${toName(body)} is muted until ${shortMoment(mute.until)} UTC; events until then are sent afterwards\n`,
    );
    return EXIT.done;
  });
}

/** runChannelUnmute is `ipo channel unmute`. */
export async function runChannelUnmute(
  which: string,
  options: ServiceFlags & { readonly output: readonly string[] },
  terminal: Terminal,
): Promise<ExitCode> {
  const outcome = openOutcome(options.output, terminal);
  return withService(terminal, options, async (service) => {
    const { body } = await findChannel(service, which);
    const { id, name, notifications } = body;
    const wasMuted = (notifications?.muted ?? null) !== null;
    await service.json('DELETE /channels/{id}/mute', { params: { id } });
    await outcome.write(
      { id, name, muted: false, changed: wasMuted },
      `${toName(body)} ${wasMuted ? 'is no longer muted' : 'was not muted'}\n`,
    );
    return EXIT.done;
  });
}
