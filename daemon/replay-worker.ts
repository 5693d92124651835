import { runReplayWorker } from '../src/app/index.ts';

void runReplayWorker(process);
