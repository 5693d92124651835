import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LICENCE_FAULTS, refusalsOf, type Certificate } from '../../src/licence/index.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8').replaceAll(/\s+/g, ' ');

test('docs/licence.md names every sentence by which a certificate is denied', () => {
  const certificate: Certificate = {
    ...{ text: '', signedBy: 'a', notAfter: 0 },
    body: {
      ...{ id: 'c', customer: 'Acme', key_id: 'k', cluster_id: 'X', issued_at: '', not_after: null },
      ...{ request_id: 'aaaaaaaa', ceiling: { image_names: null, clusters: null } },
    },
  };
  const expected = { clusterId: 'Y', keyId: 'other', requestId: null, at: 1 };
  const sentences = refusalsOf(certificate, expected).map(({ message }) => message);
  assert.equal(sentences.length, LICENCE_FAULTS.length - 2, 'all but malformed and not_signed');
  const guide = textOf('docs/licence.md');
  for (const sentence of [...sentences, 'certificate is not signed by a key of licence.publicKeys'])
    assert.ok(guide.includes(sentence.replace(/1970\S+/, 'T')), sentence);
});
