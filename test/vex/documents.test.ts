import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { readVex } from '../../src/vex/index.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/vex');
const skip = existsSync(DATA) ? false : 'shared/data/vex is not here';

/** What each document of the data says: how many statements, and of how many each status. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, number>> | 'none'>> = {
  'csaf/2022-evd-uc-01-a-001.json': { affected: 1 },
  'csaf/2022-evd-uc-01-f-001.json': { fixed: 1 },
  'csaf/2022-evd-uc-01-na-001.json': { not_affected: 1 },
  'csaf/2022-evd-uc-01-ui-001.json': { under_investigation: 1 },
  'csaf/2022-evd-uc-02-na-001.json': { not_affected: 19 },
  'csaf/rhsa-2022_0011.json': { fixed: 1 },
  'csaf/trivy-csaf.json': { not_affected: 1 },
  'cyclonedx/cisa1-affected.json': { affected: 1 },
  'cyclonedx/cisa1-fixed.json': { fixed: 1 },
  'cyclonedx/cisa1-not_affected.json': { not_affected: 1 },
  'cyclonedx/cisa1-under_investigation.json': { under_investigation: 1 },
  'cyclonedx/trivy-cyclonedx-vex.json': { not_affected: 1, affected: 1 },
  'cyclonedx/uc1.json': { not_affected: 1 },
  'openvex/go-vex-v0.0.1.json': { fixed: 1 },
  'openvex/go-vex-v0.2.0.json': { fixed: 3, not_affected: 2 },
  'openvex/go-vex-v020-1.json': { under_investigation: 1 },
  'openvex/go-vex-v020-2.json': { under_investigation: 1 },
  'openvex/openvex-schema-v0.2.0.json': 'none',
  'openvex/trivy-openvex-multiple.json': { affected: 1, not_affected: 1 },
  'openvex/trivy-openvex-oci.json': { not_affected: 1 },
  'openvex/trivy-openvex.json': { not_affected: 1 },
  'openvex/vexctl-2vulns.json': { not_affected: 1, fixed: 1 },
  'openvex/vexctl-document1.json': { under_investigation: 1 },
  'openvex/vexctl-document2.json': { fixed: 1 },
  'openvex/vexctl-images.json': { under_investigation: 4 },
  'openvex/vexhub-golang-trivy.json': {},
  'openvex/vexhub-index.json': 'none',
  'openvex/vexhub-inspektor-gadget-v0.42.0.json': { not_affected: 1 },
  'openvex/vexhub-k3s-kine.json': {},
  'openvex/vexhub-oci-trivy.json': {},
  'openvex/vexhub-rancher-wharfie.json': {},
};

suite('real VEX documents', { skip }, () => {
  for (const folder of skip === false ? ['csaf', 'cyclonedx', 'openvex'] : []) {
    for (const file of readdirSync(join(DATA, folder))) {
      const name = `${folder}/${file}`;
      test(`${name} says what it says`, () => {
        const expected = EXPECTED[name];
        assert.ok(expected !== undefined, `${name} has no expectation`);
        const bytes = readFileSync(join(DATA, name));
        const read = readVex(bytes);
        if (expected === 'none') {
          assert.ok('fault' in read);
          return;
        }
        assert.ok('statements' in read, 'fault' in read ? read.fault : '');
        assert.equal(read.format, folder);
        const statuses = Object.fromEntries(
          [...Map.groupBy(read.statements, ({ status }) => status)].map(([status, all]) => [
            status,
            all.length,
          ]),
        );
        // What is written in the text itself, for the long ones.
        if (Object.keys(expected).length === 0)
          assert.equal(read.statements.length, bytes.toString('utf8').match(/"status":/g)?.length);
        else assert.deepEqual(statuses, expected);
        for (const { ids, products } of read.statements) {
          assert.ok(ids.length > 0);
          assert.ok(products === null || products.length > 0);
        }
      });
    }
  }
});
