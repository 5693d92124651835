import { parentPort } from 'node:worker_threads';

/** A thread that never answers: `hang` turns in a loop, `exit` ends. Which of the two stands in the digest. */
parentPort?.on('message', (message: { kind: string; task?: { digest?: string } }) => {
  if (message.kind !== 'task') return;
  if (message.task?.digest === 'exit') process.exit(7);
  for (;;);
});
