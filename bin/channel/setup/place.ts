import type { TrackerDoor } from '../../../src/app/index.ts';
import { Secret } from '../../../src/base/index.ts';
import { trackerOf, type CredentialField, type TrackerKind } from '../../../src/channels/index.ts';
import { TrackerError } from '../../../src/trackers/index.ts';
import type { ChannelSetupOptions } from './options.ts';
import { isCloud, toApiUrl, toTarget } from './address.ts';
import type { Interview } from './ask.ts';
import { faultOf, tokenFault, toChannel } from './check.ts';

/** SetupAnswers are the answers that flags or a file gave. Of `email`, null says that there is none: a Data Center. */
export interface SetupAnswers extends Omit<ChannelSetupOptions, 'email' | 'output' | 'check'> {
  readonly email?: string | null;
  readonly subscriptions?: readonly string[];
}

/** SetupMeans are what a setup asks and reads with. */
export interface SetupMeans {
  /** Asks a person, if one is there. */
  readonly interview: Interview;
  /** Asks for what a file may leave out: nobody, where there is a file. */
  readonly rest: Interview;
  readonly door: TrackerDoor;
  /** Whether this machine may be a tracker. */
  readonly testLoopback: boolean;
}

/** SetupPlace is where a channel leads, as its document has it. */
export interface SetupPlace {
  readonly kind: TrackerKind;
  readonly apiBaseUrl: string;
  /** Repository, or path, number or key of the project. */
  readonly target: string;
  /** With an API token of Jira Cloud. */
  readonly email: string | null;
}

/** placeFields are the fields of a channel's document that say where it leads. */
export function placeFields({ kind, apiBaseUrl, target, email }: SetupPlace) {
  return { apiBaseUrl, [trackerOf(kind).setup.target.field]: target, ...(email !== null && { email }) };
}

/** askPlace asks where a channel leads; what is wrong with an address is said before a token is entered, and sent there. */
export async function askPlace(
  kind: TrackerKind,
  answers: SetupAnswers,
  { rest, door, testLoopback }: SetupMeans,
): Promise<SetupPlace> {
  const { standardUrl: standard, target: asked } = trackerOf(kind).setup;
  const { option, field, text } = asked;
  const url = await rest.line({
    flag: '--url',
    given: answers.url,
    text: 'Address of the tracker or of any of its pages',
    ...(standard !== undefined && { standard }),
    check: (text) => addressFault(kind, toApiUrl(kind, text), answers.email, testLoopback),
  });
  const apiBaseUrl = toApiUrl(kind, url);
  const entered = await rest.line({
    flag: `--${option}`,
    given: answers[option],
    text,
    check: (path) => faultOf(kind, { [field]: toTarget(kind, path) }, field, testLoopback),
  });
  const email = kind === 'jira' ? await emailOf(apiBaseUrl, answers, rest, door, testLoopback) : null;
  const place = { kind, apiBaseUrl, target: toTarget(kind, entered), email };
  toChannel({ kind, name: kind, ...placeFields(place) }, testLoopback);
  return place;
}

/** Which form an address of Jira must have depends on the way to sign in, which may not be known yet. */
function addressFault(
  kind: TrackerKind,
  apiBaseUrl: string,
  email: string | null | undefined,
  testLoopback: boolean,
): string | null {
  const fault = (fields: object): string | null =>
    faultOf(kind, { apiBaseUrl, ...fields }, 'apiBaseUrl', testLoopback);
  if (kind !== 'jira' || isCloud(apiBaseUrl) || typeof email === 'string') return fault({});
  return fault({ email: null });
}

/** An address that is none of the cloud's own may still be one of its sites: it says so itself. */
async function emailOf(
  url: string,
  { email }: SetupAnswers,
  interview: Interview,
  door: TrackerDoor,
  testLoopback: boolean,
): Promise<string | null> {
  if (email === null || (email === undefined && !(isCloud(url) || (await isSite(url, door))))) return null;
  return interview.line({
    flag: '--email',
    given: email,
    text: 'E-mail address of the account',
    check: (text) => faultOf('jira', { email: text }, 'email', testLoopback),
  });
}

async function isSite(url: string, door: TrackerDoor): Promise<boolean> {
  try {
    return (await door.cloudId(url)) !== null;
  } catch (error) {
    // What keeps it from answering is said once the token is tried.
    if (error instanceof TrackerError) return false;
    throw error;
  }
}

/** tokenField is the field of the document that holds the token of a channel. */
export function tokenField({ kind, email }: Pick<SetupPlace, 'kind' | 'email'>): CredentialField {
  return trackerOf(kind).credential({ email });
}

/** askToken asks for the token; one of another tracker is not shown to this one. */
export async function askToken(
  place: SetupPlace,
  given: string | undefined,
  { interview, testLoopback }: SetupMeans,
): Promise<Secret> {
  const { kind } = place;
  const field = tokenField(place);
  const text = trackerOf(kind).setup.credentials[field] ?? 'Token (not shown)';
  const jiraWay = kind === 'jira' ? { email: place.email } : {};
  return new Secret(
    await interview.secret({
      flag: '--credential-stdin',
      given,
      text,
      check: (token) =>
        faultOf(kind, { ...placeFields(place), ...jiraWay, [field]: token }, field, testLoopback) ??
        tokenFault(kind, token),
    }),
  );
}
