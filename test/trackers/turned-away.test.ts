import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../store/engines.ts';
import { desksOf, plain, type Desk } from './tables-world.ts';
import { MINUTE } from './virtual-clock.ts';

forEachEngine('a repository that a label names and that is not there', (engine) => {
  const open = desksOf(engine);

  /** Files while the minutes pass at which a refused create is tried again. */
  async function pass(desk: Desk, minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await desk.file();
      desk.world.clock.advance(MINUTE);
    }
  }

  const kinds = engine.name === 'sqlite' ? (['github', 'gitlab'] as const) : (['gitlab'] as const);
  for (const kind of kinds) {
    test(`${kind}: after the third 404 the issue goes to the default target, and says why`, async (t) => {
      const desk = await open(t);
      const { fake } = await desk.channel(kind);
      await desk.world.scan(1, ['CVE-1'], { source: `${fake.webUrl}/acme/gone` });
      await pass(desk, 3);
      assert.equal(fake.state.issues.length, 0);
      assert.equal(fake.requests.filter(({ act }) => act === 'create').length, 2);
      // What was answered is kept over a restart.
      await desk.start();
      await pass(desk, 20);
      const [issue, ...more] = fake.state.issues;
      assert.deepEqual([issue?.project.path, more.length], [fake.state.projects[0]?.path, 0]);
      assert.match(
        plain(issue?.body),
        /The image names acme\/gone as its source\. That answered 404 to the last of 3 attempts, so this issue is here\./,
      );
      const { issue: filed, lastError } = await desk.world.row();
      assert.deepEqual([filed?.id, lastError], [String(issue?.id), null]);
      assert.deepEqual(fake.violations, []);
    });

    test(`${kind}: a summary that all images route there goes to the default target too`, async (t) => {
      const desk = await open(t);
      const { fake } = await desk.channel(kind);
      const cves = ['A', 'B', 'C', 'D', 'E', 'F'];
      await desk.world.scan(1, cves, { source: `${fake.webUrl}/acme/gone` });
      await pass(desk, 20);
      assert.equal(fake.state.issues.length, 1);
      assert.match(plain(fake.state.issues[0]?.body), /The image names acme\/gone as its source/);
      assert.ok((await desk.world.rows()).every(({ issue }) => issue !== null));
    });

    test(`${kind}: a repository that is there again in time gets its issue, without such a line`, async (t) => {
      const desk = await open(t);
      const { fake } = await desk.channel(kind);
      await desk.world.scan(1, ['CVE-1'], { source: `${fake.webUrl}/acme/late` });
      await pass(desk, 3);
      const web = fake.state.projects[1];
      if (web === undefined) throw new Error('one project');
      web.path = 'acme/late';
      await pass(desk, 20);
      assert.deepEqual([fake.state.issues[0]?.project.path, fake.state.issues.length], ['acme/late', 1]);
      assert.doesNotMatch(plain(fake.state.issues[0]?.body), /That answered/);
    });

    test(`${kind}: where the default target is not there either, the row keeps its error and is tried again`, async (t) => {
      const desk = await open(t);
      const { fake, id } = await desk.channel(kind);
      await desk.change(
        id,
        kind === 'github' ? { defaultRepo: 'acme/none' } : { defaultProject: 'acme/none' },
      );
      await desk.world.scan(1, ['CVE-1'], { source: `${fake.webUrl}/acme/gone` });
      await pass(desk, 40);
      const asked = fake.requests.filter(({ act }) => act === 'create').map(({ path }) => path);
      assert.equal(asked.filter((path) => path.includes('gone')).length, 3);
      assert.ok(asked.length > 3 && asked.length < 8, `${asked.length} creates`);
      assert.match((await desk.world.row()).lastError ?? '', /answers 404/);
    });

    test(`${kind}: one that cannot be read while a create is looked for there counts as a look-up`, async (t) => {
      const desk = await open(t);
      const { fake } = await desk.channel(kind);
      await desk.world.scan(1, ['CVE-1'], { source: `${fake.webUrl}/acme/gone` });
      fake.faults.inject({ act: 'create' }, '502 after effect');
      await pass(desk, 90);
      assert.deepEqual(
        fake.state.issues.map(({ project }) => project.path),
        [fake.state.projects[0]?.path],
      );
    });
  }

  test('issues that are switched off (410) count as a repository that is not there', async (t) => {
    const desk = await open(t);
    const { fake } = await desk.channel('github');
    const web = fake.state.projects[1];
    if (web === undefined) throw new Error('one project');
    web.issuesEnabled = false;
    await desk.world.scan(1, ['CVE-1'], { source: `${fake.webUrl}/${web.path}` });
    await pass(desk, 20);
    assert.equal(fake.state.issues[0]?.project.path, fake.state.projects[0]?.path);
    assert.match(plain(fake.state.issues[0]?.body), /That answered 410 to the last of 3 attempts/);
  });

  test('an archived (403) or renamed (301) repository keeps its error on the row', async (t) => {
    for (const change of ['archived', 'renamed'] as const) {
      const desk = await open(t);
      const { fake } = await desk.channel('github');
      const web = fake.state.projects[1];
      if (web === undefined) throw new Error('one project');
      await desk.world.scan(1, ['CVE-1'], { source: `${fake.webUrl}/${web.path}` });
      if (change === 'archived') web.archived = true;
      else fake.state.rename(web.path, 'acme/renamed');
      await pass(desk, 20);
      assert.equal(fake.state.issues.length, 0);
      assert.match(
        (await desk.world.row()).lastError ?? '',
        change === 'archived' ? /403/ : /channel moved to/,
      );
    }
  });
});
