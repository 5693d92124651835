import type { TrackerDoor } from '../../src/app/index.ts';
import { isIpoError, type Secret } from '../../src/base/index.ts';
import {
  isTracker,
  openDocuments,
  toStoredChannel,
  type TrackerChannel,
  type TrackerKind,
} from '../../src/channels/index.ts';
import { lookOf } from './channel-setup-address.ts';

/** Remark is what was found; `wrong` means that the channel would not work. */
export interface Remark {
  readonly wrong: boolean;
  readonly sentence: string;
  readonly fix: string | null;
}

/** checkLook compares what a token looks like with what the channel needs. */
export function checkLook(kind: TrackerKind, token: Secret): readonly Remark[] {
  const look = lookOf(token.reveal());
  if (look === null) return [];
  if (look.kind !== kind)
    return [
      {
        wrong: true,
        sentence: `the token looks like ${look.name}, and this is a channel of ${kind}`,
        fix: 'Enter a token of the tracker itself',
      },
    ];
  if (/classic/.test(look.name))
    return [
      {
        wrong: false,
        sentence: `it is ${look.name}, which reaches every repository of its owner`,
        fix: 'A fine-grained token with Issues: read and write on the repositories is narrower',
      },
    ];
  if (/ends soon|not for its API/.test(look.name))
    return [{ wrong: true, sentence: `it is ${look.name}`, fix: 'Enter a token that is made for this' }];
  return [];
}

/** checkGitlab reads what a token of GitLab may do, and until when. */
export async function checkGitlab(
  apiBaseUrl: string,
  token: Secret,
  door: TrackerDoor,
  now: number,
): Promise<readonly Remark[]> {
  let known;
  try {
    known = await door.gitlabToken(apiBaseUrl, token);
  } catch (error) {
    // The test that follows says what is wrong with the token, if anything is.
    return isIpoError(error) ? [] : Promise.reject(error as Error);
  }
  const { scopes, expiresAt } = known;
  const ends = expiresAt === null ? null : Date.parse(expiresAt);
  return [
    ...(scopes.includes('api')
      ? []
      : [
          {
            wrong: true,
            sentence: `the token has the scopes ${scopes.join(', ') || 'of nothing'}, and api is needed to open issues`,
            fix: 'Make a project access token with the scope api and the role Reporter',
          },
        ]),
    ...(ends === null || ends - now > THIRTY_DAYS
      ? []
      : [
          {
            wrong: false,
            sentence: `the token expires on ${expiresAt ?? ''}`,
            fix: 'Enter the next one with ipo channel edit before then',
          },
        ]),
  ];
}

const THIRTY_DAYS = 30 * 86_400_000;

/** toChannel checks a document as the service would, and gives it as a channel. Throws ChannelError. */
export function toChannel(
  document: Readonly<Record<string, unknown>>,
  testLoopback: boolean,
): { readonly channel: TrackerChannel | null; readonly credential: Secret | null } {
  const read = openDocuments({ testLoopback, allowedHosts: [] })(document);
  const { kind, name, subscriptions, settings, credentials } = read;
  const channel = toStoredChannel(
    {
      id: 'not-saved',
      name,
      enabled: true,
      subscriptions,
      createdAt: 0,
      place: 0,
      version: '0',
      updatedAt: 0,
      updatedBy: null,
      firstRunAt: null,
      notBefore: null,
      capWarnedAt: null,
      lastError: null,
      lastErrorAt: null,
    },
    kind,
    settings,
  );
  return { channel: isTracker(channel) ? channel : null, credential: credentials[0]?.secret ?? null };
}

/** isTestLoopback tells whether the environment lets this machine be a tracker, for tests and the demo. */
export function isTestLoopback(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['IPO_TRACKERS_TEST_LOOPBACK'] === 'true';
}
