import { runEvidenceWorker } from '../src/app/index.ts';

runEvidenceWorker(process);
