import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReviewEvent } from '../../src/admission/index.ts';
import { toLedgerEvents, toReviewEvents } from '../../src/app/cluster/events.ts';
import type { ClusterEvent } from '../../src/cluster/index.ts';

const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5bdf656f58', uid: 'u-1' };

function told(event: Partial<ReviewEvent>): ClusterEvent | undefined {
  const events: ClusterEvent[] = [];
  toReviewEvents({ emit: (one) => void events.push(one) }).happened({
    ...{ kind: 'denied', allowed: false, namespace: 'shop', pod: 'web-5bdf656f58-x2x4q', podUid: 'u-2' },
    ...{ owner: null, message: 'registry not allowed: docker.io/evil' },
    ...event,
  });
  return events[0];
}

test('a refusal is told on what makes the pod again and again, in words that stay the same', () => {
  const event = told({ owner: OWNER });
  assert.deepEqual(event?.regarding, { ...OWNER, namespace: 'shop' });
  assert.equal(event?.note, 'registry not allowed: docker.io/evil');
  assert.deepEqual(told({ owner: OWNER, pod: 'web-5bdf656f58-k9k9k', podUid: 'u-3' }), event);
});

test('a refused pod that nothing makes is told on its namespace, with its name', () => {
  const event = told({ pod: 'hotfix' });
  assert.deepEqual(event?.regarding, {
    apiVersion: 'v1',
    kind: 'Namespace',
    name: 'shop',
    namespace: 'shop',
  });
  assert.equal(event?.note, 'pod hotfix: registry not allowed: docker.io/evil');
});

test('what happened to a pod that comes to be is told on the pod', () => {
  const { regarding } = told({ kind: 'bypassed', allowed: true, owner: OWNER }) ?? {};
  assert.deepEqual(
    [regarding?.kind, regarding?.name, regarding?.uid],
    ['Pod', 'web-5bdf656f58-x2x4q', 'u-2'],
  );
});

test('an anchor that holds another ledger is told on its ConfigMap, any other on the namespace of the operator', () => {
  const regarding = (anchor: string): unknown => {
    const events: ClusterEvent[] = [];
    toLedgerEvents(
      { emit: (one) => void events.push(one) },
      'ipo-system',
    )({ anchor, reason: 'forked', message: 'it holds a checkpoint of 673 rows' });
    const [event] = events;
    assert.deepEqual(
      [event?.type, event?.reason, event?.note],
      ['Warning', 'CheckpointRefused', `${anchor}: it holds a checkpoint of 673 rows`],
    );
    return [event?.regarding.kind, event?.regarding.name, event?.regarding.namespace];
  };
  assert.deepEqual(regarding('configmap:/ipo-checkpoint'), ['ConfigMap', 'ipo-checkpoint', 'ipo-system']);
  assert.deepEqual(regarding('configmap:audit/kept'), ['ConfigMap', 'kept', 'audit']);
  assert.deepEqual(regarding('http:https://sink.example/x'), ['Namespace', 'ipo-system', 'ipo-system']);
});
