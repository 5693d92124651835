import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readCommonForm } from '../../src/policy/common-form.ts';
import { readDocuments } from '../../src/policy/document.ts';
import { placesBelow, type Part } from '../../src/policy/places.ts';
import { yamlWordRules } from '../../src/policy/rules/yaml-words.ts';
import { runs } from '../runs.ts';
import { arbitrarySpec } from './arbitrary.ts';

/** Fails unless the text is in another form, or is read as the YAML parser reads it: values, their order, and all places. */
function holds(text: string): boolean {
  const common = readCommonForm(text);
  if (common === null) return false;
  const { documents, problems } = readDocuments(text, 'x');
  assert.deepEqual(problems, [], text);
  assert.equal(common.length, documents.length, text);
  for (const [i, { value, root }] of common.entries()) {
    const other = documents[i];
    assert.equal(JSON.stringify(value), JSON.stringify(other?.value), text);
    const places = placesBelow('x', root);
    for (const path of pathsOf(value))
      assert.deepEqual(places.of(path), other?.places.of(path), `${text}${path.map(String).join('.')}`);
    assert.deepEqual(yamlWordRules({ places: other?.places } as never), [], text);
    assert.ok(isWhole(root));
  }
  return true;
}

/** Every path of a value, and paths that lead out of it. */
function pathsOf(value: unknown): (readonly PropertyKey[])[] {
  const below =
    value !== null && typeof value === 'object'
      ? Object.entries(value).flatMap(([key, inner]) =>
          pathsOf(inner).map((path) => [Array.isArray(value) ? Number(key) : key, ...path]),
        )
      : [];
  return [[], ['absent'], [7, 'absent'], ...below];
}

function isWhole({ line, column, items = [] }: Part): boolean {
  return line >= 1 && column >= 1 && items.every(isWhole);
}

const word = fc.constantFrom(
  ...[
    'shop',
    'a.b/c',
    'true',
    'false',
    'on',
    'No',
    'null',
    'y',
    '0',
    '12',
    '007',
    '1e3',
    '24h',
    '1.5h',
    '0x1f',
  ],
  ...[
    '1_000',
    '12:30',
    'a: b',
    'a:b',
    'a:',
    'a #b',
    'a#b',
    '# c',
    "'it'",
    "'it''s'",
    '"a\\n"',
    '"a # b"',
    '""',
  ],
  ...[
    '[]',
    '[a, b]',
    '[a,b ]',
    '[a, ]',
    '[a, no]',
    '[\'x, y\', "z"]',
    '[[a]]',
    '{}',
    '{a: b}',
    '|',
    '|-',
    '|+',
    '>',
  ],
  ...[
    '&a b',
    '*a',
    '!t a',
    '@a',
    '%a',
    '`a',
    '~',
    '-',
    '- a',
    '-a',
    '.5',
    '.inf',
    'a  b',
    'é',
    '\t',
    '=',
    'a]',
    'a, b',
  ],
);
const name = fc.constantFrom(
  'a',
  'b',
  'spec',
  'key',
  'app.kubernetes.io/name',
  'on',
  'null',
  "'q'",
  '<<',
  '1',
  '?',
);
const ending = fc.constantFrom('', '', '', ' ', ' # why', '#no', ' #', '  # a: b]');
const line = fc.oneof(
  fc.tuple(name, word, ending).map(([key, value, end]) => `${key}: ${value}${end}`),
  fc.tuple(name, ending).map(([key, end]) => `${key}:${end}`),
  fc.tuple(word, ending).map(([value, end]) => `- ${value}${end}`),
  fc.tuple(name, word).map(([key, value]) => `- ${key}: ${value}`),
  fc.tuple(name).map(([key]) => `- ${key}:`),
  fc.constantFrom('', '# note', '---', '...', '- |', 'text', '- e1', 'e1: a', '-----BEGIN', '--- # x', '  '),
);
const indented = fc
  .tuple(fc.constantFrom(0, 0, 2, 2, 4, 4, 6, 1, 3), line)
  .map(([by, text]) => ' '.repeat(by) + text);

/** A text whose lines were damaged: left out, doubled, moved in or out, or with another ending. */
const damage = fc.array(
  fc.tuple(fc.nat(60), fc.constantFrom('drop', 'twice', 'in', 'out', 'end', 'note', 'blank'), ending),
  {
    maxLength: 3,
  },
);
function damaged(text: string, by: readonly (readonly [number, string, string])[]): string {
  const lines = text.split('\n');
  for (const [at, how, end] of by) {
    const i = at % lines.length;
    const line = lines[i] ?? '';
    const [blank = ''] = /^ */.exec(line) ?? [];
    const instead: Readonly<Record<string, readonly string[]>> = {
      ...{ drop: [], twice: [line, line], in: [` ${line}`], out: [line.slice(1)], end: [line + end] },
      ...{ note: [`${blank.slice(at % 3)}# note`, line], blank: ['', line] },
    };
    lines.splice(i, 1, ...(instead[how] ?? []));
  }
  return lines.join('\n');
}

const files = ['fixtures/policies', 'test/cli', 'docs'].flatMap((folder) => {
  const root = new URL(`../../${folder}/`, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => readFileSync(new URL(file, root), 'utf8'));
});

describe('the common form of policies', () => {
  it('is that of the policies of this repository', () => {
    const taken = files.filter(holds);
    assert.ok(taken.length > 0);
  });

  it('is read as the YAML parser reads it: lines of all sorts', () => {
    const drawn = (): number => {
      let taken = 0;
      fc.assert(
        fc.property(fc.array(indented, { minLength: 1, maxLength: 9 }), fc.boolean(), (lines, ends) => {
          if (holds(lines.join('\n') + (ends ? '\n' : ''))) taken += 1;
        }),
        { numRuns: runs(6000) },
      );
      return taken;
    };
    // Some 55 of 6,000 drawn texts are in the common form, in a bad draw fewer than 50: then more are drawn.
    let taken = drawn();
    for (let more = 0; more < 4; more += 1) if (taken <= 50) taken += drawn();
    assert.ok(taken > 50, `only ${taken}`);
  });

  it('is read as the YAML parser reads it: policies, whole and damaged', () => {
    let taken = 0;
    fc.assert(
      fc.property(arbitrarySpec, fc.constantFrom(0, 2, 4), damage, (spec, indent, by) => {
        const value = { apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'a' }, spec };
        const text = stringify(value, { indent: indent || 2, indentSeq: indent !== 0, lineWidth: 0 });
        if (holds(damaged(text, by))) taken += 1;
      }),
      { numRuns: runs(1500) },
    );
    assert.ok(taken > 100, `only ${taken}`);
  });

  it('is read as the YAML parser reads it: files of this repository, damaged', () => {
    fc.assert(
      fc.property(fc.constantFrom(...files), damage, (text, by) => {
        holds(damaged(text, by));
      }),
      { numRuns: runs(1000) },
    );
  });
});
