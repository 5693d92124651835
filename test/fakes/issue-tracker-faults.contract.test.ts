import { suite, test } from 'node:test';
import { FAKE_KINDS, FAULTS, type FaultName } from '../../fakes/index.ts';
import { strikeReads, strikeWrites } from './faulty-calls.ts';

const NAMES = (Object.keys(FAULTS) as FaultName[]).filter((name) => FAULTS[name].fault.kind !== 'hang');

for (const kind of FAKE_KINDS) {
  suite(`the tracker of ${kind} among faults`, () => {
    for (const name of NAMES) {
      test(`${name}: create, comment and close each send one request, say what is known, and leave no double`, async (t) => {
        await strikeWrites(t, kind, name);
      });
      test(`${name}: a read that meets it fails, and is answered the next time`, async (t) => {
        await strikeReads(t, kind, name);
      });
    }
  });
}
