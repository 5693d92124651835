import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { toHash, type Hash } from '../../src/ledger/merkle.ts';
import {
  verifyConsistency,
  verifyInclusion,
  verifySubtreeConsistency,
  verifySubtreeInclusion,
} from '../../src/ledger/proof.ts';

interface Vector {
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly size1: number;
  readonly size2: number;
  readonly root: string | null;
  readonly root1: string | null;
  readonly root2: string | null;
  readonly leafHash: string | null;
  readonly proof: readonly string[] | null;
  readonly desc: string;
  readonly wantErr: boolean;
}

const DATA = new URL('../../../shared/data/merkle/', import.meta.url);
const skip = existsSync(DATA) ? false : 'the proof vectors of transparency-dev/merkle are not at hand';
const bytes = (text: string | null): Hash => toHash(Buffer.from(text ?? '', 'base64'));

const CHECKS: Readonly<Record<string, (vector: Vector, proof: readonly Hash[]) => string | null>> = {
  inclusion: (v, proof) => verifyInclusion(v.leafIdx, v.treeSize, bytes(v.leafHash), proof, bytes(v.root)),
  consistency: (v, proof) => verifyConsistency(v.size1, v.size2, proof, bytes(v.root1), bytes(v.root2)),
  subtreeinclusion: (v, proof) =>
    verifySubtreeInclusion(v.leafIdx, v, bytes(v.leafHash), proof, bytes(v.root)),
  subtreeconsistency: (v, proof) =>
    verifySubtreeConsistency(v, v.size, proof, bytes(v.root1), bytes(v.root2)),
};

suite('vectors of transparency-dev/merkle', { skip }, () => {
  if (skip !== false) return;
  let count = 0;
  for (const [kind, check] of Object.entries(CHECKS)) {
    const folder = new URL(`${kind}/`, DATA);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );
    count += files.length;
    test(`${kind}: each of ${files.length} is held or refused as it says`, () => {
      for (const name of files) {
        const vector = JSON.parse(
          readFileSync(new URL(encodeURIComponent(name).replaceAll('%2F', '/'), folder), 'utf8'),
        ) as Vector;
        const fault = check(vector, (vector.proof ?? []).map(bytes));
        assert.equal(fault !== null, vector.wantErr, `${name}: ${vector.desc}: ${fault}`);
      }
    });
  }
  test('there are as many as there were', () => assert.equal(count, 518));
});
