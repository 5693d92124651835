import type { Channel } from './worker.ts';

/** runReplayWorker makes this process the one that replays run in, for the caller that started it. */
export async function runReplayWorker(channel: Channel): Promise<void> {
  (await import('./worker.ts')).runReplayWorker(channel);
}
