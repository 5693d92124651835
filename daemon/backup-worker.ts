import { runBackupWorker } from '../src/app/backup/worker.ts';

runBackupWorker(process);
