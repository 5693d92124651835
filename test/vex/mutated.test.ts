import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  claimsAbout,
  DigestIndex,
  coverOf,
  coversPackage,
  isSuppressing,
  parsePurl,
  readVex,
} from '../../src/vex/index.ts';
import { runs } from '../runs.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/vex');
const skip = existsSync(DATA) ? false : 'shared/data/vex is not here';

const WEB = `sha256:${'a'.repeat(64)}`;
const HEX = WEB.slice(7);
/** Longest that one document may take, from its bytes to what it takes out; the documents have at most 22 KB. */
const MOST_CPU = 100_000; // microseconds

/** Pieces that a document is changed by: what readers look for, at the wrong place, and what breaks texts. */
const PIECES = [
  '[]',
  '{}',
  'null',
  '1e400',
  '"',
  '\\ud800',
  '__proto__',
  'constructor',
  'not_affected',
  '"fixed"',
  '"statements":',
  '"products":null,',
  '"subcomponents":[],',
  '"bomFormat":"CycloneDX",',
  '"document":{"csaf_version":"2.0"},',
  `pkg:oci/web@${encodeURIComponent(WEB)}`,
  '%',
  '@',
  '?repository_url=',
  '['.repeat(3000),
  '\u0000',
  '9'.repeat(400),
];

interface Change {
  readonly at: number;
  readonly cut: number;
  readonly put: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.oneof(fc.constant(0), fc.nat(12), fc.nat(400)),
  put: fc.oneof(fc.constant(''), fc.constantFrom(...PIECES), fc.string({ maxLength: 6 })),
});

function changed(bytes: Buffer, changes: readonly Change[]): Buffer {
  let result = bytes;
  for (const { at, cut, put } of changes) {
    const from = Math.floor(at * result.length);
    result = Buffer.concat([result.subarray(0, from), Buffer.from(put), result.subarray(from + cut)]);
  }
  return result;
}

/** Whether the text names the image at all, in any spelling of its digest. */
function namesImage(bytes: Buffer): boolean {
  return bytes
    .toString('utf8')
    .toLowerCase()
    .replaceAll(/\\u00|%/g, '')
    .includes(HEX.slice(0, 8));
}

suite('mutated documents', { skip }, () => {
  const files = (skip === false ? ['csaf', 'cyclonedx', 'openvex'] : []).flatMap((folder) =>
    readdirSync(join(DATA, folder)).map((file) => readFileSync(join(DATA, folder, file))),
  );

  test('none crashes or hangs a reader, and none takes anything out of an image that it does not name', () => {
    let longest = 0;
    fc.assert(
      fc.property(
        fc.nat(files.length - 1),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (file, changes) => {
          const bytes = changed(files[file] ?? Buffer.alloc(0), changes);
          const began = process.cpuUsage();
          const read = readVex(bytes);
          if ('statements' in read) {
            const target = { digest: WEB, names: ['docker.io/library/nginx'], attached: false };
            const alone = coverOf(claimsAbout(read, target).claims);
            const narrowed = new DigestIndex(read).narrow(WEB, target.names);
            assert.deepEqual(coverOf(claimsAbout(narrowed, target).claims), alone);
            if (!namesImage(bytes)) assert.deepEqual(alone, []);
            const { claims } = claimsAbout(read, { digest: WEB, names: [], attached: true });
            const found = coverOf(claims);
            // What is taken out was stated so of this vulnerability, and nothing newer of the same part says otherwise.
            for (const { id, status, parts } of found) {
              for (const part of parts ?? [null]) {
                const about = claims.filter((claim) => claim.id === id && claim.part === part);
                const said = about.find((claim) => claim.status === status);
                assert.ok(said !== undefined);
                for (const other of about)
                  if (!isSuppressing(other.status))
                    assert.ok(
                      other.at !== null &&
                        said.at !== null &&
                        about.some(
                          ({ at, status: stated }) => isSuppressing(stated) && (at ?? -1) > (other.at ?? 0),
                        ),
                    );
              }
              coversPackage(parts, { package: 'bash', installed: '5' });
            }
          }
          const { user, system } = process.cpuUsage(began);
          longest = Math.max(longest, user + system);
        },
      ),
      { numRuns: runs(30_000) },
    );
    assert.ok(longest < MOST_CPU * 5, `one took ${longest} µs of the processor`);
  });

  test('package URLs of any text are read or are none', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.constantFrom('pkg:', 'oci', '/', '@', '?', '#', '%', '&', '=', HEX), fc.string()),
          { maxLength: 12 },
        ),
        (pieces) => {
          const purl = parsePurl(pieces.join(''));
          assert.ok(purl === null || purl.name !== '');
        },
      ),
      { numRuns: runs(5_000) },
    );
  });
});
