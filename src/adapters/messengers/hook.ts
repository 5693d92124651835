import { Secret } from '../../base/index.ts';
import { SendError } from '../../notify/index.ts';
import { TrackerError } from '../../trackers/index.ts';
import { AnswerError, openOnLine, openRedactor, type Line } from '../transport/index.ts';

/** HookCaller is who posts over a line. */
export interface HookCaller {
  /** The whole address; anyone who knows it can post. */
  readonly url: string;
  /** Asked right before the first byte. */
  readonly guard: () => boolean;
  /** Further secrets that no sentence may show. */
  readonly secrets?: readonly Secret[];
}

/** HookPost is one message as it goes. */
export interface HookPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** HookAnswer is an answer of 200 to 299. */
export interface HookAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * openHook gives what posts to the address of a channel: no redirect, one try, 20 s at most. Throws SendError: `refused` for an answer of
 * 300 to 499 but 408 and 429, and for an address that may not be called; `later` for all else.
 */
export function openHook(line: Line, { url, guard, secrets = [] }: HookCaller) {
  return async ({ body, headers }: HookPost): Promise<HookAnswer> => {
    try {
      const transport = openOnLine(line, {
        apiBaseUrl: new URL(url).origin,
        token: new Secret(url),
        credential: {},
        headers: {},
        guard,
        explain: firstLine,
      });
      const { status, text } = await transport.send({ method: 'POST', url, headers, body });
      return { status, text };
    } catch (error) {
      throw toSendError(error, secrets);
    }
  };
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

function toSendError(error: unknown, secrets: readonly Secret[]): unknown {
  if (!(error instanceof TrackerError)) return error;
  const sentence = openRedactor(secrets)(error.message);
  const { quietMs, hint } = error;
  if (error.fault === 'stopped') return new SendError('stopped', sentence);
  const refused = error instanceof AnswerError ? isRefusal(error.status) : error.fault === 'address';
  return new SendError(refused ? 'refused' : 'later', sentence, { quietMs, hint });
}

/** An answer of 400 to 499 but 408 and 429 is about the message; a redirect is not followed, so it is not a success however often it is tried. */
function isRefusal(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}
