import type { Secret } from '../base/index.ts';
import type { Channel, ChannelState, StoredChannel, TrackerChannel } from './channel.ts';
import type { ChannelEvent } from './events.ts';
import type { ChannelKind, CredentialField } from './kinds.ts';

/** ChannelWrite is what a write sets. */
export interface ChannelWrite {
  readonly kind: ChannelKind;
  readonly name: string;
  readonly enabled: boolean;
  readonly subscriptions: readonly ChannelEvent[];
  /** Without credentials of trackers. */
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * The one credential that the channel has after the write; null for none. A box is put in its place; without one, what is stored
   * under the field stays. All other credentials of the channel are deleted.
   */
  readonly credential: { readonly field: CredentialField; readonly box: string | null } | null;
  /** UTC milliseconds. */
  readonly at: number;
  readonly by: string | null;
}

/** StoredCredential is a credential as it is kept: a box `enc:v1:…`, or plain text of an earlier release. */
export interface StoredCredential {
  readonly channelId: string;
  readonly field: CredentialField;
  readonly value: string;
}

/** ExpectedChannel are the versions of which one must stand, or `any` for whichever does. */
export type ExpectedChannel = 'any' | readonly string[];

/** ChannelPage says which part of a list is wanted; null for all that follows the offset. */
export interface ChannelPage {
  readonly limit: number | null;
  readonly offset: number;
}

/** ChannelStore keeps channels and their credentials. Each method is one atomic act. */
export interface ChannelStore {
  /** In order of creation. */
  list(page: ChannelPage): Promise<{ readonly items: readonly StoredChannel[]; readonly total: number }>;
  get(id: string): Promise<StoredChannel | null>;
  /** `taken` when another channel has the name. */
  create(id: string, channel: ChannelWrite): Promise<StoredChannel | 'taken'>;
  /** Writes when one of the expected versions stands. */
  replace(
    id: string,
    channel: ChannelWrite,
    expected: ExpectedChannel,
  ): Promise<StoredChannel | 'missing' | 'mismatch' | 'taken'>;
  /** Deletes a channel with its credentials; rows of the tracking history keep its id. */
  remove(id: string, expected: ExpectedChannel): Promise<StoredChannel | 'missing' | 'mismatch'>;
  /** Sets what is given of a channel's state; nothing where it is gone. */
  setState(id: string, state: Partial<ChannelState>): Promise<void>;
  /** Ends the pause of a channel, or asks for it where it is a tracker's; false where it is not paused. */
  resume(id: string, at: number, isTracker: boolean): Promise<boolean>;
  /** Credentials of one channel, or of all. */
  credentials(id: string | null): Promise<readonly StoredCredential[]>;
  /** Puts a box in the place of a value that still stands; false when it does not. */
  seal(before: StoredCredential, box: string): Promise<boolean>;
}

/** Adopted says what became of the open rows of a deleted channel. */
export interface Adopted {
  /** Rows that the other channel closes from now on. */
  readonly adopted: number;
  /** Rows whose issue lies on another host than the channel's, and which stay as they are. */
  readonly left: number;
}

/** AdoptionStore hands the rows of a deleted channel to another. */
export interface AdoptionStore {
  /**
   * Sets `closed_via` on the open rows of a channel that is gone. `kinds` are the kinds of the channel that filed them;
   * `host` is where their issues must lie, null where that cannot be told. Rows without an issue have no host and are taken. Many rows
   * are taken in pieces, so that nobody waits for all of them; `record` is called for each, and what it writes commits with it.
   */
  adopt(
    from: string,
    by: TrackerChannel,
    host: string | null,
    record?: (piece: Adopted) => Promise<void>,
  ): Promise<Adopted | 'other_kind' | 'none'>;
}

/** CredentialFault says why a channel has no credential to call with. */
export type CredentialFault = 'missing' | 'unreadable';

/** Credentials open what is sealed. */
export interface Credentials {
  /** The credential of a channel as it stands now. One that does not open is a fault, and is never sent anywhere. */
  open(channel: TrackerChannel): Promise<Secret | CredentialFault>;
}

/** ChannelTest is what testing a channel found: by one read of a repository or project, or by one message that says it is a test. */
export interface ChannelTest {
  readonly works: boolean;
  /** What was found, in one sentence. */
  readonly sentence: string;
  /** What to do about it, a sentence each. */
  readonly hints: readonly string[];
  /** Set where the tracker's limit kept it from answering: milliseconds until that ends. Nothing was found then. */
  readonly limitedMs?: number;
  /** Set where a message was sent. */
  readonly wrote?: true;
}

/** ChannelTester tries a channel. Never throws for what the other side answers. */
export interface ChannelTester {
  test(channel: TrackerChannel, credential: Secret): Promise<ChannelTest>;
  /** Sends one test message over a channel that only tells; `by` is the name of who asked for it. */
  tell(channel: Exclude<Channel, TrackerChannel>, by: string): Promise<ChannelTest>;
}
