import { STATUS_CODES } from 'node:http';
import { TrackerError, type TrackerErrorOptions, type TrackerFault } from '../../trackers/index.ts';
import { AddressRefused } from './connect.ts';
import { ProxyFault } from './tunnel.ts';
import { toWait, type Headers } from './waiting.ts';

/** Answer is what a tracker sent back. `text` is null where the body cannot be read; `why` then says why. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Headers;
  readonly text: string | null;
  readonly why: string | null;
  readonly tooLong: boolean;
}

/** AnswerError is an answer that is not a success; adapters look into it, others see a TrackerError. */
export class AnswerError extends TrackerError {
  readonly status: number;
  /** Those of SHOWN that came, redacted. */
  readonly headers: Headers;
  /** Where the provider says the repository, project or issue is now, without its query; null when it did not move. */
  readonly movedTo: string | null;
  /** What the provider said, redacted and cut; empty when it said nothing that can be read. */
  readonly said: string;

  constructor(
    fault: TrackerFault,
    sentence: string,
    options: TrackerErrorOptions,
    about: Pick<AnswerError, 'status' | 'headers' | 'movedTo' | 'said'>,
  ) {
    super(fault, sentence, options);
    this.status = about.status;
    this.headers = about.headers;
    this.movedTo = about.movedTo;
    this.said = about.said;
  }
}

/** SHOWN are the headers of an answer that adapters look into; nothing else of it stays in an error. */
const SHOWN = [
  'location',
  'x-ausername',
  'x-authentication-denied-reason',
  'x-github-sso',
  'x-seraph-loginreason',
] as const;

/**
 * These say that nothing was done, whatever the request was: "DNS, refused, TLS before send, 3xx, 400/401/403/404/410/413/422, 429,
 * 403-secondary", and 405, which GitLab answers to a write to a project that has moved. Of every other answer that is not a success the outcome is unknown.
 */
const REFUSED: readonly number[] = [400, 401, 403, 404, 405, 410, 413, 422, 429];

/** happenedBy tells what an answer says of the write that it answers. */
export function happenedBy(status: number): 'no' | 'unknown' {
  return (status >= 300 && status < 400) || REFUSED.includes(status) ? 'no' : 'unknown';
}

/** isLimited tells a refusal for too many calls from one for lack of permission. */
function isLimited({ status, headers, text }: Answer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining']?.trim() === '0' ||
    /\brate limit|\babuse detection/i.test(text?.slice(0, 4096) ?? '')
  );
}

/** Named is what a fault is told about: the host, and what the provider said in a form fit for a sentence. */
export interface Named {
  readonly host: string;
  readonly write: boolean;
  readonly said: string;
  readonly now: number;
  readonly redact: (text: string) => string;
}

/** toAnswerError words an answer that is not a success. */
export function toAnswerError(answer: Answer, { host, write, said, now, redact }: Named): AnswerError {
  const { status, headers } = answer;
  const shown = Object.fromEntries(
    SHOWN.flatMap((name) => (headers[name] === undefined ? [] : [[name, redact(headers[name])]])),
  );
  const limited = isLimited(answer);
  const movedTo = status >= 300 && status < 400 ? redact(placeOf(headers['location'])) : null;
  const words = said === '' ? `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd() : `${status}: ${said}`;
  const answered = limited ? `${host} asks to call less often (${words})` : `${host} answers ${words}`;
  const sentence =
    movedTo === null
      ? answered
      : `channel moved to ${movedTo} (${host} answers ${status}); redirects are not followed`;
  return new AnswerError(
    status === 405 && /\bmoved\b/.test(said) ? 'moved' : faultOf(status, limited),
    sentence,
    {
      happened: write ? happenedBy(status) : 'no',
      quietMs: limited || status >= 500 ? toWait(headers, limited, now) : null,
      hint: movedTo === null ? undefined : 'Enter the address or name where it is now',
    },
    { status, headers: shown, movedTo, said },
  );
}

function faultOf(status: number, limited: boolean): TrackerFault {
  if (limited) return 'rate_limited';
  if (status < 400) return 'moved';
  const known: Readonly<Record<number, TrackerFault>> = {
    400: 'invalid',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    410: 'gone',
    413: 'invalid',
    422: 'invalid',
  };
  return known[status] ?? 'server';
}

/** Only origin and path are shown: a query can hold a token. */
function placeOf(location: string | undefined): string {
  if (location === undefined || location === '') return 'a place that it does not name';
  if (!URL.canParse(location))
    return location.startsWith('/') ? shortened(location) : 'a place that cannot be read';
  const { protocol, host, pathname } = new URL(location);
  return shortened(`${protocol}//${host}${pathname}`);
}

function shortened(place: string): string {
  return place
    .replace(/[?#].*$/s, '')
    .replaceAll(/[^!-~]/g, '')
    .slice(0, 200);
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'cut the connection',
  EPIPE: 'cut the connection',
  ENOTFOUND: 'is not a known host',
  EAI_AGAIN: 'cannot be looked up now',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'cannot be reached in time',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached in time',
  UND_ERR_SOCKET: 'cut the connection',
  UND_ERR_HEADERS_OVERFLOW: 'answers with headers that are too long',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that no trusted authority signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that no trusted authority signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that no trusted authority signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that no trusted authority signed',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak HTTPS there',
};

/** Call is what is known of a call without an answer; `timedOut` says how long it was waited for, where it was cut off. */
export interface Call {
  readonly host: string;
  readonly write: boolean;
  /** Whether a connection stood, so that something may have been sent. */
  readonly connected: boolean;
  readonly timedOut: string | null;
}

/**
 * toNetworkError words a call without an answer. Before a connection stood, nothing was sent (`happened: 'no'`); after that the outcome
 * of a write is unknown.
 */
export function toNetworkError(error: unknown, { host, write, connected, timedOut }: Call): TrackerError {
  if (error instanceof TrackerError) return error;
  const happened = write && connected ? 'unknown' : 'no';
  const causes = causesOf(error);
  const refused = causes.find((one) => one instanceof AddressRefused);
  if (refused !== undefined) {
    return new TrackerError('address', `${host} ${refused.message}; it is not called`, {
      happened: 'no',
      hint: 'Check the address of the channel, and what its name resolves to',
    });
  }
  const closed = causes.find((one) => one instanceof ProxyFault);
  if (closed !== undefined) {
    return new TrackerError('network', `${host} ${closed.message}`, {
      happened: 'no',
      hint: closed.hint,
      cause: causeOf(causes),
    });
  }
  if (timedOut !== null)
    return new TrackerError(connected ? 'timeout' : 'network', `${host} ${timedOut}`, {
      happened,
      cause: causeOf(causes),
    });
  const code = causes.map((one) => (one as NodeJS.ErrnoException).code ?? '').find((one) => one !== '');
  const sentence = SENTENCES[code ?? ''] ?? `cannot be called (${code ?? 'unknown fault'})`;
  return new TrackerError(connected ? 'reset' : 'network', `${host} ${sentence}`, {
    happened,
    cause: causeOf(causes),
  });
}

/** The faults within a fault, outermost first. */
function causesOf(error: unknown): Error[] {
  const found: Error[] = [];
  for (let at: unknown = error; at instanceof Error && found.length < 8; at = at.cause) {
    found.push(at);
    if (at instanceof AggregateError) found.push(...at.errors.filter((one) => one instanceof Error));
  }
  return found;
}

/** What is kept for the log: a fault of the connection can hold bytes of the answer. */
function causeOf(causes: readonly Error[]): Error {
  return new Error(
    causes.map(({ name, message }) => `${name}: ${(message.split('\n')[0] ?? '').slice(0, 200)}`).join('; '),
  );
}
