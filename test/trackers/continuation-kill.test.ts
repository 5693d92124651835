import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { runText } from '../../src/store/sql/dialect.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { counted, turns } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import type { Flavour } from './fake-tracker.ts';
import { scanMany, type ManyFinding } from './many-scans.ts';
import { makeProgram } from './real-process-child.ts';
import { Lane, openScene, run, toAct } from './real-process-lane.ts';
import { MINUTE } from './virtual-clock.ts';

before(makeProgram);

const IMAGES = 40;
const ORDER = ['jira-cloud', 'github', 'gitlab', 'jira-datacenter'] as const satisfies readonly Flavour[];

/** So many critical findings over all images, in packages with long names. */
function findingsOf(count: number): ManyFinding[] {
  return Array.from({ length: count / IMAGES }, (_, n) => ({
    cve: `CVE-2026-${10_000 + n}`,
    package: `org.example.library:part-${n}`,
  }));
}

/** Texts as people read them: without the escapes of a document's JSON. */
function textOf(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text.replaceAll('\\n', '\n');
}

/** Each finding of a text as image and id: an image's lines stand below its name, which ends in its digest. */
function pairsOf(text: string): string[] {
  const pairs: string[] = [];
  let image = '';
  for (const line of text.split('\n')) {
    const digest = /^.*(sha256:[0-9a-f]{64})/.exec(line);
    if (digest !== null) image = digest[1] ?? '';
    for (const [cve] of line.matchAll(/CVE-2026-\d+/g)) pairs.push(`${image} ${cve}`);
  }
  return pairs;
}

forEachEngine('a summary that comments continue, by processes that are killed', (engine) => {
  // Jira takes the shortest texts, so that few findings make many comments.
  const { from, until } = turns(1, 8 * ORDER.length);
  test('is whole: killed behind the issue, in its third comment and behind the fifth, others go on', async (t) => {
    const url = await engine.migrated();
    const lane = new Lane(url, await openStore({ url, poolSize: 4 }));
    const worker = { now: await lane.take(0) };
    t.after(async () => {
      await worker.now.kill();
      await lane.close();
    });
    for (let turn = from; turn < until; turn += 1) {
      const flavour = ORDER[turn % ORDER.length] ?? 'jira-cloud';
      const scene = await openScene(lane, flavour);
      const { world, fake } = scene;
      t.after(() => fake.close());
      const count = { 'jira-cloud': 2800, 'jira-datacenter': 2800, github: 6000, gitlab: 12_000 }[flavour];
      await lane.lead(worker.now, world.clock.now());
      await scanMany(scene.world.store, IMAGES, findingsOf(count));
      let kills = 0;
      const next = async (): Promise<void> => {
        kills += 1;
        worker.now = await lane.take(world.clock.now());
      };
      const dies = async (): Promise<null> => {
        await worker.now.kill();
        return null;
      };
      const left = async (): Promise<number> =>
        (await runText(world.store.read, 'select id from tracking_continuations', [])).length;
      // Behind the create, before any comment; in the third comment, which is written; behind the fifth, before that is noted.
      if (
        (await run(
          scene,
          worker.now,
          toAct(scene, 'file', [{ call: 'recordIssue', when: 'after' }]),
          dies,
        )) === null
      )
        await next();
      const comments = await left();
      assert.ok(comments >= 5, `${flavour}: ${comments} comments`);
      fake.faults.at({ act: 'comment', nth: 3 }, 'after', () => worker.now.kill());
      if ((await run(scene, worker.now, toAct(scene, 'file'), dies)) === null) await next();
      assert.equal(await left(), comments - 2, 'the third is not known to be there');
      let posted = 0;
      const fifth = async (): Promise<object | null> => {
        posted += 1;
        return posted === 3 ? dies() : {};
      };
      // Another process counts its waiting anew, up to five minutes longer.
      for (let runs = 0, isKilled = false; !isKilled; runs += 1) {
        assert.ok(runs < 10, 'not killed');
        world.clock.advance(2 * MINUTE);
        const command = toAct(scene, 'file', [{ call: 'posted', when: 'before' }]);
        isKilled = (await run(scene, worker.now, command, fifth)) === null;
      }
      await next();
      assert.equal(kills, 3);
      for (let runs = 0; (await left()) > 0; runs += 1) {
        assert.ok(runs < 10, 'not continued');
        world.clock.advance(2 * MINUTE);
        await run(scene, worker.now, toAct(scene, 'file'), async () => ({}));
      }
      const [issue, ...more] = fake.state.issues;
      assert.equal(more.length, 0);
      const bodies = (issue?.comments ?? []).filter(({ system }) => !system).map(({ body }) => textOf(body));
      assert.equal(bodies.length, comments, flavour);
      bodies.forEach((body, at) => assert.match(body, new RegExp(`Comment ${at + 1} of ${comments} with`)));
      const first = textOf(issue?.body);
      // What the issue lists by ids alone is in the comments with everything.
      const isWhole = pairsOf(bodies.join('\n')).length === count;
      const pairs = [...(isWhole ? [] : pairsOf(first)), ...bodies.flatMap(pairsOf)];
      assert.deepEqual([pairs.length, new Set(pairs).size], [count, count], flavour);
      assert.deepEqual(fake.violations, []);
    }
    counted(t, { [`summaries whose process was killed on ${engine.name}`]: until - from });
  });
});
