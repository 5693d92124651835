import { runBackupWorker } from '../src/app/index.ts';

runBackupWorker(process);
