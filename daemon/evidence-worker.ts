import { runEvidenceWorker } from '../src/app/evidence/worker.ts';

runEvidenceWorker(process);
