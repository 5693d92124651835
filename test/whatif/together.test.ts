import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runWhatIfs, sourceOf } from '../../src/whatif/index.ts';
import { ask, DIGEST_A, DIGEST_B, finding, image, open, policy, row, toText } from './ledger-text.ts';

const CRITICAL = image(DIGEST_A, [finding('CVE-2026-1', 'CRITICAL')]);
const ASKING = {
  signature: {
    required: true,
    identities: [{ identity: 'https://ci.example.com/web', issuer: 'https://issuer.example.com' }],
  },
};
const LEDGER = {
  images: [CRITICAL, image(DIGEST_B, [])],
  rows: [
    row(4, { namespace: 'cart', digest: DIGEST_B }),
    row(3, { namespace: 'shop' }),
    row(2, { namespace: 'shop', allowed: false, review_allowed: false, label: 'tag', reason: 'tag latest' }),
    row(1, { namespace: 'cart', digest: DIGEST_B, break_glass: true }),
  ],
};

async function several(drafts: Parameters<typeof runWhatIfs>[0], limit = 0) {
  const ledger = await open(toText(LEDGER));
  const options = { asOf: ledger.header.exportedAt, days: 30, limit };
  return runWhatIfs(drafts, options, sourceOf(ledger));
}

describe('several drafts over one reading', () => {
  const strict = policy({ severityThreshold: 'HIGH', targetNamespaces: ['shop'] }, 'strict');
  const open_ = policy({ severityThreshold: 'NONE' }, 'open');
  const other = policy(
    { severityThreshold: 'NONE', denyLatestTag: true, targetNamespaces: ['cart'] },
    'cart',
  );

  test('each answer is the one of a what-if by itself', async () => {
    const { items } = await several([strict, open_, other]);
    for (const [i, draft] of [strict, open_, other].entries())
      assert.deepEqual(items[i], await ask(draft, LEDGER, { limit: 0 }));
  });

  test('one draft together with none is that draft', async () => {
    const { items, together } = await several([strict]);
    const [alone] = items;
    for (const key of ['as_of', 'evaluated', 'unchanged', 'would_deny', 'would_allow', 'truncated'] as const)
      assert.deepEqual(together[key], alone?.[key], key);
    assert.deepEqual(together.policies, ['strict']);
  });

  test('a row is denied when one draft denies it, allowed when each allows it, and counted once', async () => {
    const { together } = await several([strict, open_]);
    const { evaluated, unchanged, would_deny, would_allow, break_glass_skipped } = together;
    assert.deepEqual(
      { evaluated, unchanged, would_deny, would_allow, break_glass_skipped },
      // Row 3 is denied by the one; row 2 stays denied, since the one denies it; row 4 stays allowed.
      { evaluated: 3, unchanged: 2, would_deny: 1, would_allow: 0, break_glass_skipped: 1 },
    );
    assert.equal((await several([open_, other])).together.would_allow, 1);
  });

  test('what one cannot decide is decided by a denial of another, and by nothing else', async () => {
    const asking = policy({ ...ASKING, severityThreshold: 'NONE' }, 'asking');
    const alone = (await several([asking])).items[0];
    const { together } = await several([asking, strict]);
    assert.ok(together.not_evaluated <= (alone?.not_evaluated.count ?? 0));
    assert.equal(together.evaluated + together.not_evaluated, 3);
  });

  test('rows beyond the limit of one are counted for none of them together', async () => {
    const { together, items } = await several([strict, other], 1);
    assert.equal(together.truncated, true);
    assert.equal(together.evaluated, 2);
    assert.deepEqual(
      items.map(({ evaluated }) => evaluated),
      [1, 1],
    );
  });
});
