import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { adfProblem } from '../../fakes/index.ts';
import { runs } from '../runs.ts';
import { problemsOf, type Schema } from './json-schema.ts';
import { noVendorData, vendorData } from './vendor.ts';

const text = fc.string({ minLength: 1, maxLength: 12 });
const mark = fc.oneof(
  fc.constant({ type: 'strong' }),
  fc.constant({ type: 'em' }),
  text.map((href) => ({ type: 'link', attrs: { href } })),
);
const inline = fc.oneof(
  text.map((value) => ({ type: 'text', text: value })),
  fc.tuple(text, mark).map(([value, one]) => ({ type: 'text', text: value, marks: [one] })),
  text.map((value) => ({ type: 'text', text: value, marks: [{ type: 'code' }] })),
  fc.constant({ type: 'hardBreak' }),
);
const paragraph = fc.array(inline, { maxLength: 3 }).map((content) => ({ type: 'paragraph', content }));
const heading = fc
  .integer({ min: 1, max: 6 })
  .map((level) => ({ type: 'heading', attrs: { level }, content: [] }));
const code = text.map((value) => ({
  type: 'codeBlock',
  attrs: { language: 'text' },
  content: [{ type: 'text', text: value }],
}));
const list = fc.array(paragraph, { minLength: 1, maxLength: 3 }).map((items) => ({
  type: 'bulletList',
  content: items.map((item) => ({ type: 'listItem', content: [item] })),
}));
const table = fc.array(paragraph, { minLength: 1, maxLength: 3 }).map((cells) => ({
  type: 'table',
  content: [
    { type: 'tableRow', content: cells.map((cell) => ({ type: 'tableHeader', attrs: {}, content: [cell] })) },
    { type: 'tableRow', content: cells.map((cell) => ({ type: 'tableCell', attrs: {}, content: [cell] })) },
  ],
}));
const panel = paragraph.map((one) => ({ type: 'panel', attrs: { panelType: 'info' }, content: [one] }));
const block = fc.oneof(paragraph, heading, code, list, table, panel, fc.constant({ type: 'rule' }));
const doc = fc.array(block, { maxLength: 4 }).map((content) => ({ version: 1, type: 'doc', content }));

/** Changes one place of a document into something that may no longer be one. */
function spoil(value: unknown, seed: number): unknown {
  const places: { holder: Record<string, unknown> | unknown[]; key: string | number }[] = [];
  const copy = structuredClone(value);
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push({ holder: node as Record<string, unknown>, key });
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(copy);
  const place = places[seed % places.length];
  const odd = [
    null,
    '',
    7,
    [],
    {},
    'nothing',
    undefined,
    { type: 'mention', attrs: {} },
    [{ type: 'script' }],
  ];
  if (place !== undefined) (place.holder as Record<string, unknown>)[place.key] = odd[seed % odd.length];
  return JSON.parse(JSON.stringify(copy));
}

test('a document of the nodes that a service writes is taken', () => {
  fc.assert(
    fc.property(doc, (value) => {
      assert.equal(adfProblem(value), null);
    }),
    { numRuns: runs(300) },
  );
});

test(
  'what the fakes take, the vendor takes by its own schema, however a document was spoiled',
  { skip: noVendorData },
  () => {
    const schema = JSON.parse(vendorData('adf-full.schema.json') ?? '{}') as Schema;
    let refused = 0;
    fc.assert(
      fc.property(doc, fc.nat(), (value, seed) => {
        for (const one of [value, spoil(value, seed)]) {
          if (adfProblem(one) !== null) refused += 1;
          else
            assert.deepEqual(
              problemsOf(schema, one, { root: schema, nulls: false }),
              [],
              JSON.stringify(one),
            );
        }
      }),
      { numRuns: runs(100) },
    );
    assert.ok(refused > 50, `only ${refused} documents were refused`);
  },
);

for (const [name, value] of [
  ['a plain text', 'hello'],
  [
    'an empty text node',
    { version: 1, type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: '' }] }] },
  ],
  ['another version', { version: 2, type: 'doc', content: [] }],
  ['an inline node among blocks', { version: 1, type: 'doc', content: [{ type: 'text', text: 'x' }] }],
  [
    'marks inside a code block',
    {
      version: 1,
      type: 'doc',
      content: [{ type: 'codeBlock', content: [{ type: 'text', text: 'x', marks: [{ type: 'em' }] }] }],
    },
  ],
  [
    'code together with bold',
    {
      version: 1,
      type: 'doc',
      content: [
        {
          type: 'paragraph',
          content: [{ type: 'text', text: 'x', marks: [{ type: 'code' }, { type: 'strong' }] }],
        },
      ],
    },
  ],
  ['a heading without a level', { version: 1, type: 'doc', content: [{ type: 'heading', content: [] }] }],
  ['an empty list', { version: 1, type: 'doc', content: [{ type: 'bulletList', content: [] }] }],
] as const) {
  test(`a document with ${name} is refused`, () => {
    assert.notEqual(adfProblem(value), null);
  });
}
