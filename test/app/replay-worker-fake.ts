import type { FromWorker, ToWorker } from '../../src/app/replay/protocol.ts';

/**
 * A process that speaks the protocol of the replay's and does what the name of the draft says: answers, hangs, ends when it is
 * told to, crashes, eats memory, or fails. The address of its ledger can keep it from starting.
 */
const tell = (message: FromWorker): void => void process.send?.(message);
const waiting = new Set<number>();

process.on('message', (message: ToWorker) => {
  if (message.kind === 'setup') {
    if (message.setup.url === 'crash') process.exit(9);
    if (message.setup.url !== 'never') tell({ kind: 'ready' });
    return;
  }
  const { id } = message;
  if (message.kind === 'cancel') {
    if (waiting.delete(id))
      tell({ kind: 'failed', id, fault: { code: null, message: 'cancelled', hint: undefined } });
    return;
  }
  const { task } = message;
  if (task.task === 'print') return tell({ kind: 'done', id, value: Buffer.from(`pdf by ${process.pid}`) });
  switch (task.job.draft.name) {
    case 'wait':
      waiting.add(id);
      return;
    case 'hang':
      return;
    case 'crash':
      process.stderr.write('last words\n');
      return process.exit(7);
    case 'memory': {
      const held: unknown[] = [];
      for (;;) held.push(Array.from({ length: 100_000 }, (_, i) => ({ i, id })));
    }
    case 'defect':
      return tell({
        kind: 'failed',
        id,
        fault: { code: null, message: 'TypeError: at the secret place', hint: undefined },
      });
    case 'unknown':
      return tell({
        kind: 'failed',
        id,
        fault: { code: 'unknown_source', message: 'no such source', hint: 'Look' },
      });
    case 'gone':
      return tell({
        kind: 'failed',
        id,
        fault: { code: 'unavailable', message: 'the database is gone', hint: undefined },
      });
    default:
      tell({
        kind: 'done',
        id,
        value: { json: String(process.pid), evaluated: 0, wouldDeny: 0, wouldAllow: 0, inputsDigest: '' },
      });
  }
});
process.on('disconnect', () => process.exit(0));
