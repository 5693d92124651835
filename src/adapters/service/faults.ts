import { STATUS_CODES } from 'node:http';
import { ERROR_CODES, fieldSentence, type ErrorCode, type FieldFault } from '../../base/index.ts';
import { ServiceError } from './service-error.ts';

/** What a status means that nothing more is said with. A bare 404 is another address, not a thing that the service does not have. */
const UNSAID: Readonly<Record<number, ErrorCode>> = { 401: 'unauthenticated', 429: 'rate_limited' };

/** fromProblem turns an answer of 400 and above into a fault: what the service said, else what its status means. */
export function fromProblem(server: string, status: number, text: string, retryAfter?: number): ServiceError {
  const said = readProblem(text);
  if (said === null) {
    return new ServiceError(
      UNSAID[status] ?? 'network',
      `${server} answered with ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd() +
        ', which says nothing more',
      {
        hint: 'Check that this is the address of the service, and check any proxy in front of it',
        status,
        retryAfter,
      },
    );
  }
  // The sentence of the whole is often that of the first fault.
  const fields = said.fields.filter(({ path, message }) => path !== '' && !said.detail.endsWith(message));
  const between = fields.length < said.fields.length ? ';' : ':';
  const listed = fields.length > 0 ? `${between} ${fields.map((one) => fieldSentence(one)).join('; ')}` : '';
  return new ServiceError(said.code, listed === '' ? said.detail : `${said.detail}${listed}`, {
    hint:
      status === 401 && said.code === 'unauthenticated' ? `Sign in with \`ipo login ${server}\`` : said.hint,
    retryAfter,
    fields: said.fields,
    status,
  });
}

interface Said {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly hint: string | undefined;
  readonly fields: readonly FieldFault[];
}

/** What stands before a service may answer in its name, so nothing of the body is taken as given. */
function readProblem(text: string): Said | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { code, detail, hint, errors } = value as Readonly<Record<string, unknown>>;
  if (typeof detail !== 'string' || detail === '') return null;
  const known = ERROR_CODES.find((one) => one === code);
  return {
    code: known ?? 'server_fault',
    detail,
    hint: typeof hint === 'string' ? hint : undefined,
    fields: Array.isArray(errors) ? errors.filter(isFault) : [],
  };
}

function isFault(value: unknown): value is FieldFault {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    'message' in value &&
    typeof value.path === 'string' &&
    typeof value.message === 'string'
  );
}

const SENTENCES: Readonly<Record<string, readonly [string, string]>> = {
  ECONNREFUSED: ['nothing listens there', 'Check that the service runs, and its address'],
  ECONNRESET: [
    'the connection was cut off',
    'Try again; if it stays, look at what stands before the service',
  ],
  ENOTFOUND: ['no machine has this name', 'Check the address for a mistake'],
  EAI_AGAIN: ['the name cannot be looked up at present', 'Check the network of this machine'],
  ENETUNREACH: ['no route to it from this machine', 'Check the network of this machine'],
  EHOSTUNREACH: ['no route to it from this machine', 'Check the network of this machine'],
  ETIMEDOUT: ['no answer in time', 'Check that the service runs, and what stands between'],
  CONNECT_TIMEOUT: ['no connection in time', 'Check that the service runs, and what stands between'],
  ERR_PROXY_TUNNEL: ['the proxy let no tunnel through', 'Check HTTPS_PROXY and NO_PROXY'],
  ANSWER_TIMEOUT: ['no answer in time', 'Try again; a replay over many days may need longer'],
  BODY_TIMEOUT: ['the answer stopped on the way', 'Try again'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is signed by itself', 'Name the certificate with --ca FILE'],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'its certificate is signed by an authority unknown here',
    'Name it with --ca FILE',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'its certificate is signed by an authority unknown here',
    'Name the authority with --ca FILE',
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'its certificate is signed by an authority unknown here',
    'Name the authority with --ca FILE',
  ],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Renew the certificate of the service'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name',
    'Call it by a name in its certificate',
  ],
  ABORT_ERR: ['the call was given up', 'Call again'],
};

/** toNetworkFault turns what the connection met into a sentence. */
export function toNetworkFault(server: string, error: unknown): ServiceError {
  const codes: string[] = [];
  for (let at: unknown = error; at instanceof Error && codes.length < 5; at = at.cause) {
    const inner = at instanceof AggregateError ? (at.errors as unknown[])[0] : at;
    if (inner instanceof Error && 'code' in inner) codes.push(String(inner.code));
  }
  const [what, hint] = codes.map(sentenceOf).find((one) => one !== undefined) ?? [
    `the call failed (${codes[0] ?? 'unknown fault'})`,
  ];
  return new ServiceError('network', `${server}: ${what}`, { hint, cause: error });
}

function sentenceOf(code: string): readonly [string, string?] | undefined {
  if (Object.hasOwn(SENTENCES, code)) return SENTENCES[code];
  if (/^(EPROTO$|ERR_SSL_)/.test(code))
    return [
      'the server there does not speak HTTPS',
      'Check the port, and whether the address begins with http or https',
    ];
  if (/^HPE_/.test(code))
    return [
      'the server there does not speak HTTP',
      'Check the port, and whether the address begins with http or https',
    ];
  return undefined;
}
