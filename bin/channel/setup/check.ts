import type { TrackerDoor } from '../../../src/app/index.ts';
import { isIpoError, type Secret } from '../../../src/base/index.ts';
import {
  ChannelError,
  isTracker,
  kindOf,
  openDocuments,
  tellTest,
  toStoredChannel,
  type ChannelKind,
  type ChannelTest,
  type TestStatus,
  type TrackerChannel,
  type TrackerKind,
} from '../../../src/channels/index.ts';
import { TrackerError } from '../../../src/trackers/index.ts';
import { lookOf } from './address.ts';

/** Level says how much a remark matters: `wrong` means that the channel would not work, `wait` that a limit keeps that from being known. */
export type Level = 'ok' | 'note' | 'wait' | 'wrong';

/** Remark is what was found. */
export interface Remark {
  readonly level: Level;
  readonly sentence: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** statusOf tells whether a channel would work by what was found. */
export function statusOf(remarks: readonly Remark[]): TestStatus {
  if (remarks.some(({ level }) => level === 'wrong')) return 'fails';
  return remarks.some(({ level }) => level === 'wait') ? 'limited' : 'works';
}

/** limitRemarks say when the limit that a read met ends; none for any other error. */
export function limitRemarks(error: unknown): readonly Remark[] {
  if (!(error instanceof TrackerError) || error.fault !== 'rate_limited') return [];
  const { message: sentence, quietMs } = error;
  return testRemarks({ works: false, sentence, hints: [], limitedMs: quietMs ?? 60_000 }, false);
}

/** tokenFault tells why a token cannot be one of this tracker, or null. It is asked before the token goes anywhere. */
export function tokenFault(kind: TrackerKind, token: string): string | null {
  const look = lookOf(token);
  if (look === null) return null;
  if (look.kind !== kind) return `the token looks like ${look.name}, and this is a channel of ${kind}`;
  return look.usable ? null : `the token looks like ${look.name}`;
}

/** checkLook says what a token of this tracker should rather be. */
export function checkLook(token: Secret): readonly Remark[] {
  const look = lookOf(token.reveal());
  if (look === null || !/classic/.test(look.name)) return [];
  return [
    {
      level: 'note',
      sentence: `it is ${look.name}, which reaches every repository of its owner`,
      fix: 'A fine-grained token with Issues: read and write on the repositories is narrower',
    },
  ];
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
    return isIpoError(error) ? limitRemarks(error) : Promise.reject(error as Error);
  }
  const { scopes, expiresAt } = known;
  const ends = expiresAt === null ? null : Date.parse(expiresAt);
  return [
    scopes.includes('api')
      ? { level: 'ok', sentence: 'the token has the scope api' }
      : {
          level: 'wrong',
          sentence: `the token has ${scopes.length === 0 ? 'no scope' : `the scopes ${scopes.join(', ')}`}, and api is needed to open issues`,
          fix: 'Create a project access token with the scope api and the role Reporter',
        },
    ...(ends === null || ends - now > THIRTY_DAYS
      ? []
      : [
          {
            level: 'note',
            sentence: `the token expires on ${expiresAt ?? ''}`,
            fix: 'Enter a new one with ipo channel edit before then',
          } as const,
        ]),
  ];
}

const THIRTY_DAYS = 30 * 86_400_000;

/**
 * testRemarks are what the one read of a channel found. What it cannot tell by itself is left out where `proved` says that another read
 * of the setup has told it.
 */
export function testRemarks(test: ChannelTest, proved: boolean): readonly Remark[] {
  const { status, detail } = tellTest(test, Date.now());
  if (status === 'limited')
    return [
      {
        level: 'wait',
        sentence: detail,
        fix: 'It is not known yet whether the channel works; try again then',
      },
    ];
  const told = test.works && proved ? [] : test.hints;
  return [
    {
      level: test.works ? 'ok' : 'wrong',
      sentence: detail,
      ...(told.length > 0 && { fix: told.join('. ') }),
    },
  ];
}

/** faultOf tells what is wrong with one field of a channel, in a sentence, whatever the others are; null for nothing. */
export function faultOf(
  kind: ChannelKind,
  fields: Readonly<Record<string, unknown>>,
  field: string,
  testLoopback: boolean,
): string | null {
  try {
    openDocuments({ testLoopback, allowedHosts: [] })({
      ...kindOf(kind).setup.example,
      name: kind,
      kind,
      ...fields,
    });
    return null;
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    const fault = error.fields?.find(({ path }) => path === field || path.startsWith(`${field}[`));
    if (fault === undefined) return null;
    return /^(is|has|must) /.test(fault.message) ? `it ${fault.message}` : fault.message;
  }
}

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
