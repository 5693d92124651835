import { parentPort } from 'node:worker_threads';
import type { FromCallThread, ToCallThread } from '../../src/app/calls/protocol.ts';

/** A thread that does what the query of a call says: `wait` (until it is cancelled), `die`, `fail`, `stream`, `ask`, or the answer itself. */
const port = parentPort;
const tell = (message: FromCallThread): void => port?.postMessage(message);
const waiting = new Map<number, () => void>();
const streams = new Map<number, number>();
const head = { status: 200, type: 'text/plain', headers: {} };

port?.on('message', (message: ToCallThread) => {
  if (message.kind === 'cancel') {
    waiting.get(message.id)?.();
    if (streams.delete(message.id)) tell({ kind: 'end', id: message.id });
  }
  if (message.kind === 'told')
    tell({ kind: 'answer', id: 1, head, bytes: Buffer.from(JSON.stringify(message.value)) });
  if (message.kind === 'refused')
    tell({ kind: 'answer', id: 1, head, bytes: Buffer.from(String(message.fault.code)) });
  if (message.kind === 'more') {
    const sent = (streams.get(message.id) ?? 0) + 1;
    if (!streams.has(message.id)) return;
    streams.set(message.id, sent);
    tell({ kind: 'piece', id: message.id, bytes: Buffer.alloc(65_536, sent) });
  }
  if (message.kind !== 'call') return;
  const { id, call } = message;
  const answer = (text: string): void => tell({ kind: 'answer', id, head, bytes: Buffer.from(text) });
  switch (call.query) {
    case 'wait':
      return void waiting.set(id, () => answer('cancelled'));
    case 'die':
      return process.exit(7);
    case 'fail':
      return tell({
        kind: 'failed',
        id,
        fault: {
          code: 'not_found',
          message: 'no such thing',
          hint: 'look elsewhere',
          fields: [{ path: 'a', message: 'b' }],
        },
      });
    case 'defect':
      return tell({ kind: 'failed', id, fault: { code: null, message: 'a stack' } });
    case 'stream':
      streams.set(id, 0);
      return tell({ kind: 'answer', id, head, bytes: null });
    case 'ask':
      return tell({ kind: 'ask', id: 1, act: 'collected', value: 'sha256:0' });
    default:
      return answer(String(call.query));
  }
});
