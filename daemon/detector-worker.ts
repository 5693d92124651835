import { runDetectorWorker } from '../src/app/index.ts';

runDetectorWorker(process);
