import type { Link, LinkEnds } from './link.ts';
import type { FromPart, ToPart } from './part-messages.ts';

/** Channel is this process as it speaks to the supervisor. */
export type Channel = Pick<NodeJS.Process, 'on' | 'send'>;

/** channelLink is the link of this part to the other one, over the supervisor. */
export function channelLink(channel: Channel): Link {
  let ends: LinkEnds | null = null;
  const send = (message: FromPart): void => {
    // A channel that just broke ends this process.
    channel.send?.(message, undefined, undefined, () => {});
  };
  channel.on('message', (message: ToPart) => {
    if (message.kind === 'relay') ends?.message(message.message);
    else if (message.kind === 'there') ends?.there();
    else if (message.kind === 'gone') ends?.gone();
  });
  return {
    open(told) {
      ends = told;
      send({ kind: 'open' });
    },
    send: (message) => send({ kind: 'relay', message }),
  };
}
