import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LedgerError } from '../../src/ledger/index.ts';
import { DIGEST_A, finding, image, open, row, toText } from '../whatif/ledger-text.ts';

async function fault(text: string | Uint8Array): Promise<LedgerError> {
  try {
    const ledger = await open(text);
    for await (const batch of ledger.rows()) void batch;
  } catch (error) {
    assert.ok(error instanceof LedgerError, String(error));
    return error;
  }
  return assert.fail('the export was accepted');
}

const GOOD = toText({ rows: [row(2), row(1)] });
const [HEADER = '', NEWER = '', OLDER = ''] = GOOD.split('\n');

const CASES: readonly (readonly [
  name: string,
  text: string | Uint8Array,
  code: string,
  line: number,
  message: RegExp,
])[] = [
  ['an empty file', '', 'empty', 1, /the file is empty/],
  [
    'another format',
    `{"type":"header","format":"ipo.ledger/2","exported_at":"2026-11-20T06:00:00Z"}\n`,
    'format',
    1,
    /"ipo.ledger\/2"; this release reads "ipo.ledger\/1"/,
  ],
  ['no header', `${NEWER}\n`, 'format', 1, /first line is not the header/],
  ['a header without a time', '{"type":"header","format":"ipo.ledger/1"}\n', 'format', 1, /exported_at/],
  [
    'a strange cold image policy',
    HEADER.replace('"AllowAndScan"', '"Maybe"'),
    'format',
    1,
    /cold_image_policy/,
  ],
  ['no JSON', `${HEADER}\n${NEWER}\nnonsense\n`, 'damaged', 3, /not JSON; lines 1 to 2 are valid/],
  [
    'a line cut off at the end',
    `${HEADER}\n${NEWER}\n${OLDER.slice(0, 100)}`,
    'truncated',
    3,
    /ends in the middle/,
  ],
  [
    'fewer rows than announced',
    `${HEADER}\n${NEWER}\n`,
    'truncated',
    3,
    /announces 2 rows, but the file contains 1/,
  ],
  [
    'more rows than announced',
    `${GOOD}${toText({ rows: [row(0)] }).split('\n')[1]}\n`,
    'damaged',
    5,
    /announces 2 rows, but the file contains 3/,
  ],
  [
    'fewer images than announced',
    toText({ header: { images: 1 }, rows: [row(1)] }),
    'truncated',
    3,
    /announces 1 images/,
  ],
  ['an empty line', `${HEADER}\n\n${NEWER}\n`, 'damaged', 2, /the line is empty; line 1 is valid/],
  ['a list', `${HEADER}\n[]\n`, 'damaged', 2, /no type that this release knows/],
  ['a number', `${HEADER}\n7\n`, 'damaged', 2, /not a JSON object/],
  ['an unknown type', `${HEADER}\n{"type":"podium"}\n`, 'damaged', 2, /no type/],
  ['rows that ascend', toText({ rows: [row(1), row(2)] }), 'damaged', 3, /row 2 stands after row 1/],
  ['a row twice', toText({ rows: [row(1), row(1)] }), 'damaged', 3, /each once/],
  [
    'a policy after the rows',
    `${HEADER}\n${NEWER}\n{"type":"policy","name":"p","revision":"r","document":{}}\n`,
    'damaged',
    3,
    /after the first row/,
  ],
  [
    'a line after the checkpoint',
    `${HEADER}\n{"type":"checkpoint","note":""}\n${NEWER}\n`,
    'damaged',
    3,
    /follows the checkpoint/,
  ],
  ['a second header', `${HEADER}\n${HEADER}\n`, 'damaged', 2, /second header/],
  [
    'a policy without a document',
    `${HEADER}\n{"type":"policy","name":"p","revision":"r"}\n`,
    'damaged',
    2,
    /no document/,
  ],
  [
    'the facts of a digest twice',
    toText({ images: [image(DIGEST_A, []), image(DIGEST_A, [])], rows: [] }),
    'damaged',
    3,
    /written twice/,
  ],
  [
    'a bad digest of an image',
    toText({ images: [image('sha256:xyz', [])], rows: [] }),
    'damaged',
    2,
    /digest is not sha256/,
  ],
  [
    'a strange severity',
    toText({ images: [image(DIGEST_A, [finding('CVE-1', 'SEVERE')])], rows: [] }),
    'damaged',
    2,
    /scan.findings\[0\].severity is not one of/,
  ],
  [
    'a signature of nobody',
    toText({ images: [image(DIGEST_A, [], { signatures: [{}] })], rows: [] }),
    'damaged',
    2,
    /signatures\[0\] has neither/,
  ],
  [
    'a bad triage time',
    toText({ images: [image(DIGEST_A, [finding('C', 'LOW', { triaged_until: 'soon' })])], rows: [] }),
    'damaged',
    2,
    /triaged_until is not/,
  ],
  [
    'a bad time',
    toText({ rows: [row(1, { time: '2026-13-01T00:00:00Z' })] }),
    'damaged',
    2,
    /time is not an RFC 3339 time/,
  ],
  [
    'a missing verdict',
    toText({ rows: [row(1, { allowed: null })] }),
    'damaged',
    2,
    /allowed is not true or false/,
  ],
  ['an id that is a text', toText({ rows: [row(1, { id: '1' })] }), 'damaged', 2, /id is not a whole number/],
  [
    'signals that are a text',
    toText({ rows: [row(1, { signals: 'root' })] }),
    'damaged',
    2,
    /signals is not a list/,
  ],
  [
    'a namespace that is a number',
    toText({ rows: [row(1, { namespace: 5 })] }),
    'damaged',
    2,
    /namespace is not a text/,
  ],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(`${HEADER}\n`), Buffer.from([0xff, 0xfe, 10])]),
    'damaged',
    2,
    /not UTF-8/,
  ],
  [
    'a policy document 100,000 deep',
    `${HEADER}\n{"type":"policy","name":"p","revision":"r","document":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}\n`,
    'damaged',
    2,
    /nested deeper than 64 levels/,
  ],
  [
    'a row of more than 256 KiB',
    toText({ rows: [row(1, { requester: 'x'.repeat(300_000) })] }),
    'damaged',
    2,
    /the row is longer than 256 KiB/,
  ],
  ['nesting 100,000 deep', `${HEADER}\n${'['.repeat(100_000)}\n`, 'damaged', 2, /not JSON/],
];

describe('a damaged export is refused with the line, the reason and how many lines were good', () => {
  for (const [name, text, code, line, message] of CASES) {
    test(name, async () => {
      const error = await fault(text);
      assert.match(error.message, message);
      assert.deepEqual([error.code, error.place?.line, error.place?.file], [code, line, 'ledger.ndjson']);
      assert.equal(error.goodLines, line - 1);
      assert.ok(error.hint);
    });
  }

  test('a line longer than 16 MiB ends the reading before it is held', async () => {
    const error = await fault(
      Buffer.concat([Buffer.from(`${HEADER}\n`), Buffer.alloc(17 * 1024 * 1024, 120)]),
    );
    assert.match(error.message, /longer than 16 MiB/);
  });

  test('a last line without a newline is a line', async () => {
    const ledger = await open(GOOD.trimEnd());
    let count = 0;
    for await (const batch of ledger.rows()) count += batch.ids.length;
    assert.equal(count, 2);
  });
});
