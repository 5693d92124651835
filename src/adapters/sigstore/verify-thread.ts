import type { MessagePort } from 'node:worker_threads';
import { isIpoError } from '../../base/index.ts';
import { verifyDetached, verifyEvidence, type Rules } from './evidence.ts';
import { parseTrustRoot } from './trust-root.ts';
import type { FromThread, Outcome, RootDocument, Task, ToThread } from './verify-protocol.ts';

/** serveVerification makes this thread the one that verifies, for the caller that started it. It holds no state but the trust root. */
export function serveVerification(port: MessagePort): void {
  let rules: Rules = { trust: null, keyedLog: 'optional' };
  const answer = (message: FromThread): void => port.postMessage(message);
  port.on('message', (message: ToThread) => {
    if (message.kind === 'rules') {
      const opened = openRules(message.root, message.keyedLog);
      rules = opened.rules;
      answer({ kind: 'root', fault: opened.fault });
    } else
      answer({
        kind: 'done',
        id: message.id,
        outcome: perform(message.unasked ? unasked(rules) : rules, message.task),
      });
  });
}

/** unasked gives the rules for a first look, without any trust root. */
export function unasked(rules: Rules): Rules {
  return { ...rules, trust: null, unasked: true };
}

/** perform does a task where it is called. Never throws. */
export function perform(rules: Rules, task: Task): Outcome {
  if (task.kind === 'artifact') return verifyDetached(rules, task.artifact, task.bundle);
  const outcome = verifyEvidence(rules, task.digest, task.evidence);
  // A slice of a larger buffer would be sent with all of it.
  return outcome.kind === 'accepted' ? { ...outcome, payload: new Uint8Array(outcome.payload) } : outcome;
}

/** openRules reads a trust root; one that cannot be used is as none, with the reason. */
export function openRules(
  root: RootDocument | null,
  keyedLog: Rules['keyedLog'],
): { readonly rules: Rules; readonly fault: string | null } {
  if (root === null) return { rules: { trust: null, keyedLog }, fault: null };
  try {
    return { rules: { trust: parseTrustRoot(root.bytes, root.file), keyedLog }, fault: null };
  } catch (error) {
    if (!isIpoError(error)) throw error;
    return { rules: { trust: null, keyedLog }, fault: error.message };
  }
}
