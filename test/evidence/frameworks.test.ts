import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ATTESTATION_IDS, FRAMEWORK_IDS, FRAMEWORKS } from '../../src/evidence/index.ts';

/** Control lists that are not part of the project. */
const LISTS = new URL('../../../shared/data/compliance/frameworks.json', import.meta.url);

/** Which list stands for which framework. */
const KEYS: Readonly<Record<string, string>> = {
  'nist-800-53': 'nist-800-53-r5',
  'nist-800-190': 'nist-800-190',
  'nist-ssdf': 'nist-ssdf-1.1',
  'nist-csf': 'nist-csf-2.0',
  'cis-kubernetes': 'cis-kubernetes-1.8',
  'pci-dss': 'pci-dss-4.0.1',
  'iso-27001': 'iso27001-2022',
  soc2: 'soc2',
  hipaa: 'hipaa-security-rule',
  fedramp: 'fedramp-rev5',
  nis2: 'nis2',
  dora: 'dora',
  'essential-eight': 'essential-eight',
};

test('there are thirteen frameworks, each requirement once, with a reason and known attestations', () => {
  assert.deepEqual(
    FRAMEWORKS.map(({ id }) => id),
    [...FRAMEWORK_IDS],
  );
  assert.equal(FRAMEWORKS.length, 13);
  for (const { id, source, requirements } of FRAMEWORKS) {
    assert.match(source.date, /^\d{4}-\d{2}-\d{2}$/, id);
    assert.equal(new Set(requirements.map((one) => one.id)).size, requirements.length, id);
    for (const { why, attestations, title } of requirements) {
      assert.match(why, /^[A-Z].*\.$/, `${id}: ${title}`);
      for (const name of attestations) assert.ok(ATTESTATION_IDS.includes(name), name);
    }
  }
  for (const { id, requirements } of FRAMEWORKS) {
    const sentences = requirements.filter((one) => one.attestations.length > 0).map(({ why }) => why);
    const again = sentences.filter((why, i) => sentences.indexOf(why) !== i);
    assert.deepEqual(again, [], `${id} says of two requirements the same`);
  }
  const used = new Set(
    FRAMEWORKS.flatMap(({ requirements }) => requirements.flatMap((one) => one.attestations)),
  );
  assert.deepEqual([...used].toSorted(), ATTESTATION_IDS.toSorted());
});

test('ids and topics are those of the published control lists', (t) => {
  if (!existsSync(LISTS)) return t.skip('the control lists are not at hand');
  const lists = JSON.parse(readFileSync(LISTS, 'utf8')) as {
    frameworks: { key: string; controls: { id: string; evidence: string[] }[] }[];
  };
  for (const { id, requirements } of FRAMEWORKS) {
    const list = lists.frameworks.find(({ key }) => key === KEYS[id]);
    assert.deepEqual(
      requirements.map((one) => [one.id, one.topics]),
      list?.controls.map((one) => [one.id, one.evidence]),
      id,
    );
  }
});
