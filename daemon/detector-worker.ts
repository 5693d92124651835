import { runDetectorWorker } from '../src/app/detector/worker.ts';

runDetectorWorker(process);
