import { SendError, type Messenger } from '../../notify/index.ts';
import { printable } from '../../base/index.ts';
import { toSlack } from '../markup/index.ts';
import type { Line } from '../transport/index.ts';
import { openHook } from './hook.ts';

/** What an incoming webhook says, with whatever status, of a message that it will never take. */
const PERMANENT =
  /^(?:no_text|no_active_hooks|no_service|no_team|invalid_payload|invalid_blocks|invalid_token|msg_blocks_too_long|channel_is_archived|channel_not_found|action_prohibited|posting_to_\w+|too_many_attachments|user_not_found)/;

/** openSlack gives the messenger of an incoming webhook. It took a message only if it answers `ok`. */
export function openSlack(url: string, guard: () => boolean, line: Line): Messenger {
  const post = openHook(line, { url, guard });
  return {
    async send(message) {
      const { status, text } = await post({
        body: JSON.stringify(toSlack(message)),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      });
      const said = printable(text.trim(), 200);
      if (said === 'ok') return `${status} ok`;
      throw new SendError(
        PERMANENT.test(said) ? 'refused' : 'later',
        `Slack answers ${status} with ${said === '' ? 'nothing' : said} instead of ok`,
      );
    },
  };
}
