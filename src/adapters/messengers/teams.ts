import { SendError, type Messenger } from '../../notify/index.ts';
import { printable } from '../../base/index.ts';
import { toTeams } from '../markup/index.ts';
import type { Line } from '../transport/index.ts';
import { openHook } from './hook.ts';

/**
 * openTeams gives the messenger of a workflow. Its 202 says that the message was accepted, not that it was posted; addresses of the
 * connectors before workflows answered 200 with what went wrong in their text.
 */
export function openTeams(url: string, guard: () => boolean, line: Line): Messenger {
  const post = openHook(line, { url, guard });
  return {
    async send(message) {
      const { status, text } = await post({
        body: JSON.stringify(toTeams(message)),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      });
      const said = printable(text.trim(), 200);
      if (/\b(?:failed|error)\b/i.test(said))
        throw new SendError(
          /\b(?:429|5\d\d)\b/.test(said) ? 'later' : 'refused',
          `Teams answers ${status} with: ${said}`,
        );
      return status === 202
        ? '202 accepted; whether it was posted, only a person sees'
        : `${status} accepted`;
    },
  };
}
