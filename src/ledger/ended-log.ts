import { openCheckpoint, type Checkpoint } from './checkpoint.ts';
import { parseVkey, type NoteKey } from './note.ts';
import { TreeError } from './tree-error.ts';

/**
 * EndedLog is a log that a restore ended: it had signed rows after the backup, so it must sign nothing more, and the ledger goes on under the
 * name of its successor.
 */
export interface EndedLog {
  readonly origin: string;
  /** Verifier's key of its checkpoints. */
  readonly vkey: string;
  /** Rows of it that are in the ledger. */
  readonly size: number;
  /** Rows that it had signed, as far as the restore knew. */
  readonly lostTo: number;
  /** The checkpoint that proves it. */
  readonly note: string;
  /** When it ended, in milliseconds since 1970 UTC. */
  readonly endedAt: number;
  readonly successor: string;
}

/** successorOf names the log that goes on where one has ended; the name holds that of the ended one. */
export function successorOf(origin: string, epoch: string): string {
  return `${origin}/restored-${epoch}`;
}

/** endedKey gives the key of an ended log; null for one that cannot be read. */
function endedKey({ vkey }: Pick<EndedLog, 'vkey'>): NoteKey | null {
  try {
    return parseVkey(vkey);
  } catch (error) {
    if (error instanceof TreeError) return null;
    throw error;
  }
}

/** openOfEnded gives the ended log that a note is of, and its checkpoint once its signature was checked; null where it is of none of them. */
export function openOfEnded(
  note: string,
  origin: string,
  ended: readonly EndedLog[],
): { readonly log: EndedLog; readonly checkpoint: Checkpoint } | null {
  const log = ended.find((one) => one.origin === origin);
  const key = log === undefined ? null : endedKey(log);
  if (log === undefined || key === null) return null;
  try {
    return { log, checkpoint: openCheckpoint(note, [key]) };
  } catch (error) {
    if (error instanceof TreeError) return null;
    throw error;
  }
}
