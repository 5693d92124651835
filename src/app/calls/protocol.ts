import type { AuditEntry } from '../../accounts/index.ts';
import type { ApartCall, Work } from '../../api/index.ts';
import type { Digest } from '../../base/index.ts';
import type { ColdImagePolicy, SignedCheckpoint } from '../../ledger/index.ts';
import type { CollectionState } from '../../supply-chain/index.ts';
import type { PaceTold } from '../programs/pace.ts';
import type { CarriedFault } from '../programs/carried-fault.ts';
import type { RuntimeWhatIfSetup } from '../running/runtime-whatif.ts';

/** CallSetup says what a thread answers, and from which database. */
export interface CallSetup extends RuntimeWhatIfSetup {
  readonly work: Work;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  readonly coldImagePolicy: ColdImagePolicy;
  /** Days for which evidence packages are kept. */
  readonly evidenceDays: number;
  /** Name and verifier's key of the log. */
  readonly origin: string;
  readonly vkey: string;
}

/** CallAsks are the acts that a thread leaves to the loop, which holds what they need: they write, sign, or know what is in memory. */
export interface CallAsks {
  /** Brings the states of images up to date. */
  refresh(): Promise<void>;
  /** How looking for what is signed and stated of an image stands. */
  collected(digest: Digest): Promise<CollectionState | null>;
  record(entry: AuditEntry): Promise<void>;
  checkpoint(): Promise<SignedCheckpoint | null>;
}

/** CallHead is the head of an answer. */
export interface CallHead {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** ToCallThread are the messages that a thread takes; `at` is the present of a call, in milliseconds. */
export type ToCallThread =
  | { readonly kind: 'call'; readonly id: number; readonly at: number; readonly call: ApartCall }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Whether it has to rest, since reviews come. */
  | { readonly kind: 'pace'; readonly told: PaceTold }
  /** One more piece of a stream may be sent. */
  | { readonly kind: 'more'; readonly id: number }
  | { readonly kind: 'told'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly fault: CarriedFault };

/**
 * FromCallThread are the messages that a thread sends. A call ends with `answer`, with `failed`, or, where `answer` has no bytes, with the
 * `end` of its pieces.
 */
export type FromCallThread =
  | {
      readonly kind: 'answer';
      readonly id: number;
      readonly head: CallHead;
      readonly bytes: Uint8Array | null;
    }
  | { readonly kind: 'piece'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly fault: CarriedFault }
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly act: keyof CallAsks;
      readonly value: unknown;
    };
