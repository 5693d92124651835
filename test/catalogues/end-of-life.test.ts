import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { readReleaseData } from '../../src/adapters/feeds/index.ts';
import { FeedError } from '../../src/adapters/feeds/index.ts';
import {
  checkReleaseData,
  EndOfLife,
  hasEnded,
  releaseNames,
  type Fetched,
  type ReleaseData,
  type OsRelease,
  type CatalogueState,
} from '../../src/catalogues/index.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');
const AT = Date.UTC(2026, 10, 22);
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

function release(
  product: string,
  number: string,
  ends: string | null,
  extended: string | null = null,
): OsRelease {
  const after = (text: string | null): number | null => (text === null ? null : day(text) + 86_400_000);
  return { product, release: number, endsAt: after(ends), extendedEndsAt: after(extended) };
}

suite('hasEnded', () => {
  const releases = [
    release('debian', '10', '2022-09-10', '2024-06-30'),
    release('debian', '12', '2026-07-11', '2028-06-30'),
    release('ubuntu', '18.04', '2023-05-31', '2028-04-30'),
    release('rhel', '7', '2024-06-30', '2029-05-31'),
    release('amazon-linux', '2', '2026-06-30'),
    release('centos', '7', '2024-06-30'),
    release('centos-stream', '9', '2027-05-31'),
    release('vmware-photon', '5.0', null),
    release('alpine-linux', '3.9', '2020-11-01'),
    release('alpine-linux', '3.10', '2021-05-01'),
  ];
  const cases: readonly [family: string, name: string, ended: boolean | null][] = [
    ['debian', '10.13', true],
    ['debian', '12.5', false],
    ['debian', 'bookworm/sid', null],
    ['debian', '99', null],
    ['ubuntu', '18.04', true],
    ['ubuntu', '18.04-ESM', false],
    ['redhat', '7.7', true],
    ['amazon', '2 (Karoo)', true],
    ['amazonlinux', '2', true],
    ['amazon', 'AMI release 2018.03', null],
    ['centos', '7.6.1810', true],
    ['centos', '9', false],
    ['photon', '5.0', false],
    ['alpine', '3.9.4', true],
    ['alpine', '3.10.2', true],
    ['Alpine', '3.1', null],
    ['opensuse-tumbleweed', '20240607', null],
    ['wolfi', '20230201', null],
    ['toString', '1', null],
    ['', '', null],
  ];
  for (const [family, name, ended] of cases)
    test(`${family || 'no family'} ${name}: ${ended === null ? 'not known' : ended ? 'ended' : 'supported'}`, () => {
      assert.equal(hasEnded({ family, name }, releases, AT), ended);
    });

  test('the last day is still supported, and the next one is not', () => {
    const os = { family: 'centos', name: '7' };
    assert.equal(hasEnded(os, releases, day('2024-07-01') - 1), false);
    assert.equal(hasEnded(os, releases, day('2024-07-01')), true);
  });

  test('a long name costs little', () => {
    assert.ok(releaseNames({ family: 'debian', name: '1.'.repeat(1_000_000) }).length <= 42);
  });
});

suite('release data', () => {
  const ends = (text: string): readonly OsRelease[] => readReleaseData(text, 'f').releases;

  test('is read as the API and the files of endoflife.date have it, to the same', () => {
    const expected = [release('debian', '12', '2026-07-11', '2028-06-30')];
    const one = { name: '12', isEol: true, eolFrom: '2026-07-11', isEoes: false, eoesFrom: '2028-06-30' };
    const other = { name: 'nginx', releases: 'of no matter' };
    assert.deepEqual(ends(JSON.stringify({ result: { name: 'debian', releases: [one] } })), expected);
    assert.deepEqual(
      ends(JSON.stringify({ result: [other, { name: 'debian', releases: [one] }] })),
      expected,
    );
    const file = { debian: [{ releaseCycle: '12', eol: '2026-07-11', eoes: '2028-06-30' }], nginx: 5 };
    assert.deepEqual(ends(JSON.stringify(file)), expected);
    const old = { debian: [{ cycle: '12', eol: '2026-07-11', extendedSupport: '2028-06-30' }] };
    assert.deepEqual(ends(JSON.stringify(old)), expected);
  });

  test('an end may be a day, past without a day, or not announced', () => {
    const of = (eol: unknown, eoes?: unknown): OsRelease | undefined =>
      ends(JSON.stringify({ debian: [{ releaseCycle: '1', eol, eoes }] }))[0];
    const ended = (eol: unknown, eoes?: unknown): boolean | null =>
      hasEnded({ family: 'debian', name: '1' }, [of(eol, eoes) as OsRelease], AT);
    assert.equal(ended(true), true);
    assert.equal(ended(false), false);
    assert.equal(ended('2020-01-01', false), false);
    assert.equal(ended('2020-01-01', true), true);
    assert.equal(ended('2020-01-01', '2021-01-01'), true);
  });

  for (const [what, text] of [
    ['nothing', ''],
    ['what is cut off', '{"debian":['],
    ['a list without the name of its product', '[{"cycle":"12","eol":true}]'],
    ['null', 'null'],
    ['a text', '"debian"'],
    ['an object without an operating system', '{"nginx":[]}'],
    ['releases that are no list', '{"debian":{}}'],
    ['a release without a number', '{"debian":[{"eol":true}]}'],
    ['a release without a word of its end', '{"debian":[{"releaseCycle":"1"}]}'],
    ['an end that is no day', '{"debian":[{"releaseCycle":"1","eol":"2024-02-31"}]}'],
    ['a number as an end', '{"debian":[{"releaseCycle":"1","eol":1}]}'],
    ['a product that is damaged', '{"result":[{"name":"debian"}]}'],
    ['a product without a name', '{"result":[{"releases":[]}]}'],
  ] as const)
    test(`${what} is refused`, () => {
      assert.throws(
        () => ends(text),
        (error) => error instanceof FeedError && error.code === 'invalid_report',
      );
    });

  test('what has lost many releases is not believed, unless a person accepts it', () => {
    const data = { releases: [release('debian', '12', null)], releasedAt: null };
    checkReleaseData(data, 0);
    checkReleaseData(data, 1);
    assert.throws(() => checkReleaseData(data, 10), { code: 'invalid_report' });
    checkReleaseData(data, 10, true);
    assert.throws(() => checkReleaseData({ releases: [] }, 0, true), { code: 'invalid_report' });
  });
});

const RELEASES = join(DATA, 'endoflife/os-releases.json');

test(
  'every operating system of real reports is judged as Trivy judged it, or better',
  { skip: existsSync(RELEASES) ? false : 'no ../shared/data' },
  () => {
    const { releases } = readReleaseData(readFileSync(RELEASES, 'utf8'), RELEASES);
    assert.ok(releases.length > 200);
    const index = JSON.parse(readFileSync(join(DATA, 'trivy/INDEX.json'), 'utf8')) as Record<
      string,
      { os: { Family: string; Name: string; EOSL?: boolean } | null }
    >;
    const judged = new Map<string, boolean | null>();
    for (const { os } of Object.values(index)) {
      if (os === null) continue;
      const ended = hasEnded({ family: os.Family, name: os.Name }, releases, AT);
      judged.set(`${os.Family} ${os.Name}`, ended);
      if (os.EOSL === true) assert.equal(ended, true, os.Name);
    }
    assert.deepEqual(Object.fromEntries(judged), {
      'alma 8.5': false,
      'alpine 3.10.2': true,
      'alpine 3.10.9': true,
      'alpine 3.16': true,
      'alpine 3.19.1': true,
      'alpine 3.21.6': true,
      'alpine 3.22.3': false,
      'alpine 3.9.4': true,
      'amazon 2 (Karoo)': true,
      'cbl-mariner 1.0': null,
      'centos 7.6.1810': true,
      'debian 10.1': true,
      'debian 10.13': true,
      'debian 10.2': true,
      'debian 11.3': true,
      'debian 13.1': false,
      'debian 13.3': false,
      'debian 13.4': false,
      'debian 9.9': true,
      'opensuse-tumbleweed 20240607': null,
      'oracle 8.0': false,
      'photon 3.0': true,
      'redhat 7.7': true,
      'rocky 8.5': false,
      'ubuntu 18.04': true,
    });
  },
);

suite('EndOfLife', () => {
  const state: CatalogueState = {
    ...{
      entries: 0,
      version: null,
      releasedAt: null,
      fetchedAt: null,
      checkedAt: null,
      lastError: null,
      source: null,
    },
    validators: { etag: null, lastModified: null },
  };
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

  /** What an answer of the source makes the store do. */
  async function run(
    answer: Fetched<ReleaseData> | Error | null,
    kept: Partial<CatalogueState> = {},
  ): Promise<{ readonly outcome: string; readonly acts: readonly string[] }> {
    const acts: string[] = [];
    const endOfLife = new EndOfLife({
      source:
        answer === null
          ? null
          : {
              name: 'https://a.example/x',
              ask: async (known) => {
                acts.push(`ask ${known?.etag ?? 'all'}`);
                if (answer instanceof Error) throw answer;
                return answer;
              },
            },
      store: {
        state: async () => ({ ...state, ...kept }),
        replace: async () => acts.push('replace'),
        checked: async () => void acts.push('checked'),
        failed: async () => void acts.push('failed'),
        mark: async () => (acts.push('mark'), 0),
      },
      clock: { now: () => AT },
      log: quiet,
    });
    const { outcome } = await endOfLife.refresh();
    endOfLife.stop();
    assert.equal((await endOfLife.refresh()).outcome, 'stopped');
    return { outcome, acts };
  }

  const data = { releases: [release('debian', '12', null)] };
  const validators = { etag: 'e', lastModified: null };

  test('keeps what is new, and marks scans by it', async () => {
    assert.deepEqual(await run({ kind: 'new', value: data, validators }), {
      outcome: 'updated',
      acts: ['ask all', 'replace', 'mark'],
    });
  });

  test('marks scans with the days also where nothing is new, nothing can be had, or nobody is asked', async () => {
    const kept = { entries: 1, source: 'https://a.example/x', validators };
    assert.deepEqual(await run({ kind: 'same' }, kept), {
      outcome: 'unchanged',
      acts: ['ask e', 'checked', 'mark'],
    });
    const fault = new FeedError('network', 'f', 'gone');
    assert.deepEqual(await run(fault, kept), { outcome: 'failed', acts: ['ask e', 'failed', 'mark'] });
    assert.deepEqual(await run(null, kept), { outcome: 'off', acts: ['mark'] });
  });

  test('what is older than what is kept is not kept', async () => {
    const kept = { entries: 1, source: 'https://a.example/x', releasedAt: AT - 1, fetchedAt: AT };
    const answer = (releasedAt: number | null) =>
      run({ kind: 'new', value: { ...data, releasedAt }, validators }, kept);
    const refused = { outcome: 'failed', acts: ['ask null', 'failed', 'mark'] };
    const at = (acts: readonly string[]) => acts.slice(1);
    assert.deepEqual(at((await answer(AT - 2)).acts), at(refused.acts));
    assert.deepEqual(at((await answer(null)).acts), at(refused.acts));
    for (const releasedAt of [AT - 1, AT]) assert.equal((await answer(releasedAt)).outcome, 'updated');
  });

  test('what shrank is not kept, and validators of another source are not sent', async () => {
    const kept = { entries: 100, source: 'file:///other', validators };
    assert.deepEqual(await run({ kind: 'new', value: data, validators }, kept), {
      outcome: 'failed',
      acts: ['ask all', 'failed', 'mark'],
    });
  });
});
