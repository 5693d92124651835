import { runBackupWorker } from '../src/app/index.ts';

void runBackupWorker(process);
