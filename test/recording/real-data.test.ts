import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Exposure } from '../../src/pods/index.ts';
import { AuditRecorder, emptyObjects, podRows, readObjects } from '../../src/recording/index.ts';
import { workloadOf } from '../../src/whatif/index.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/audit');
const skip = existsSync(DATA) ? false : `${DATA} is not there`;
const text = (name: string): string => gunzipSync(readFileSync(join(DATA, name))).toString('utf8');

test('the audit log of an API server and the list of its pods tell the same of each pod', { skip }, () => {
  const objects = emptyObjects();
  for (const name of ['pods.json.gz', 'services-ingresses.json.gz'])
    readObjects(JSON.parse(text(name)), name, objects);
  assert.deepEqual([objects.pods.length, objects.unreadable, objects.cut], [64, [], false]);
  const exposure = new Exposure(objects.services, objects.ingresses);
  const listed = podRows(objects.pods, null, exposure);
  const recorder = new AuditRecorder(exposure);
  for (const line of text('kube-apiserver-1.36-audit.log.gz').split('\n'))
    if (line.includes('"pods"')) assert.ok(recorder.take(line));
  const recorded = recorder.finish(null);
  const key = (row: (typeof listed)[number]) =>
    JSON.stringify([
      row.pod_uid,
      row.container,
      row.image,
      row.signals,
      row.exposed_by,
      row.namespace,
      row.pod,
    ]);
  const known = new Set(recorded.map(key));
  // The list shows what runs in the end: images that an update replaced are only in the log.
  const lost = listed.filter((row) => !known.has(key(row))).map(key);
  assert.deepEqual(lost, []);
  assert.ok(recorded.every(({ allowed, requester }) => allowed && requester));
  assert.deepEqual(recorder.counts().metadata_level, 0);
});

test('the workload of a pod that a controller made is named by its owner', { skip }, () => {
  const { items } = JSON.parse(text('pods.json.gz')) as {
    items: {
      metadata: {
        name: string;
        labels?: Record<string, string>;
        ownerReferences?: { kind: string; name: string }[];
      };
    }[];
  };
  for (const { metadata } of items) {
    const [owner] = metadata.ownerReferences ?? [];
    if (owner === undefined) continue;
    const hash = metadata.labels?.['pod-template-hash'];
    const name = hash === undefined ? owner.name : owner.name.replace(`-${hash}`, '');
    assert.equal(workloadOf(metadata.name), name);
  }
});
