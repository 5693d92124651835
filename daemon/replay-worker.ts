import { runReplayWorker } from '../src/app/replay/door.ts';

void runReplayWorker(process);
