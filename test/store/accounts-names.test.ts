import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountNames } from '../../src/store/accounts/names.ts';
import { openFresh } from '../accounts/open.ts';
import { forEachEngine } from './engines.ts';

forEachEngine('names of accounts', (engine) => {
  test('an account is shown by its name, else by its address, and an id that nothing has by nothing', async (t) => {
    const { add, store } = await openFresh(t, engine);
    const named = await add('ada@example.com', 'viewer', 'Ada');
    const plain = await add('bob@example.com', 'viewer', null);
    const names = accountNames(store);
    const shown = Object.fromEntries(await names([named, plain, 'none', named]));
    assert.deepEqual(shown, { [named]: 'Ada', [plain]: 'bob@example.com' });
    assert.deepEqual([...(await names([]))], []);
  });
});
