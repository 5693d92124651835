import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadPdf, type Pdf } from '../../src/render/index.ts';
import { shownCharacters } from '../../src/render/pdf-text.ts';
import { readPdf } from '../whatif/report/pdf-read.ts';

type Sheet = InstanceType<Pdf['Sheet']>;

const pdf = await loadPdf();
const { drawBars, drawFigures, drawTable } = pdf;
/** Where on a page a part may come to begin. */
const PLACES = Array.from({ length: 43 }, (_, i) => 60 + i * 16);

const bars = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    label: `gate-${i}`,
    note: '',
    count: i,
    tone: 'accent' as const,
  }));
const columns = [
  { heading: 'Column', share: 1 },
  { heading: 'Other', share: 1 },
];
const cells = (count: number) =>
  Array.from({ length: count }, (_, i) => [{ text: `row-${i}` }, { text: 'x' }]);

/** Writes a part at each place of a page, all into one document, and checks on which of its own pages each text of it is. */
async function eachPlace(
  act: (sheet: Sheet) => void,
  check: (pageOf: (text: string) => number, where: string, pages: readonly (readonly string[])[]) => void,
): Promise<void> {
  const sheet = new pdf.Sheet({ title: 'T', createdAt: 0, foot: 'foot' });
  for (const place of PLACES) {
    if (place !== PLACES[0]) sheet.doc.addPage();
    sheet.line(`from ${place}`, sheet.left, 48, { width: 100 });
    sheet.y = place;
    act(sheet);
    sheet.room(0);
  }
  const all = readPdf(await sheet.finish()).map((page) => page.map(({ text }) => text.trim()));
  const begins = PLACES.map((place) => all.findIndex((page) => page.includes(`from ${place}`)));
  PLACES.forEach((place, i) => {
    const pages = all.slice(begins[i], begins[i + 1]);
    const pageOf = (text: string): number => {
      const found = pages.findIndex((page) => page.includes(text));
      assert.notEqual(found, -1, `"${text}" from ${place}`);
      return found;
    };
    check(pageOf, `from ${place}`, pages);
  });
}

test('a heading stands on the page of what follows it, whatever that is', async () => {
  const parts: readonly (readonly [string, (sheet: Sheet) => void])[] = [
    ['row-1', (sheet) => drawTable(sheet, columns, cells(60))],
    ['gate-7', (sheet) => drawBars(sheet, bars(8), 8, 8)],
    ['below', (sheet) => sheet.paragraph([{ text: 'below' }])],
    ['line-3', (sheet) => sheet.code([0, 1, 2, 3].map((i) => ({ text: `line-${i}` })))],
    ['Figure', (sheet) => drawFigures(sheet, [{ title: 'Figure', count: 1, note: '', tone: 'same' }])],
    [
      'row-0',
      (sheet) => {
        sheet.y += 4;
        sheet.lead([{ text: 'a lead' }]);
        drawTable(sheet, columns, cells(1));
      },
    ],
  ];
  for (const [text, act] of parts)
    await eachPlace(
      (sheet) => {
        sheet.section('Heading', 'and what it is about');
        act(sheet);
      },
      (pageOf, where, pages) => {
        // What moves the place itself asks for no more room.
        if (text === 'row-0') return assert.equal(pageOf('a lead'), pageOf('row-0'), where);
        assert.equal(pageOf('Heading'), pageOf(text), `${text} ${where}`);
        assert.ok(pages.length <= 3, `${text} ${where}`);
      },
    );
});

test('headings without a text wait together for the first one, and are written at the end without it', async () => {
  await eachPlace(
    (sheet) => {
      sheet.section('First');
      sheet.lead([{ text: 'its words' }]);
      sheet.section('Second');
      sheet.code([{ text: 'code' }]);
      sheet.section('Last');
    },
    (pageOf, where) => {
      assert.equal(pageOf('First'), pageOf('code'), where);
      assert.equal(pageOf('its words'), pageOf('code'), where);
      pageOf('Last');
    },
  );
});

test('a chart is whole on one page, and one of more bars than a page holds goes over it', async () => {
  await eachPlace(
    (sheet) => {
      sheet.lead([{ text: 'Denials by gate', bold: true }], 9);
      drawBars(sheet, bars(20), 20, 20);
    },
    (pageOf, where) => {
      for (let i = 0; i < 20; i += 1) assert.equal(pageOf(`gate-${i}`), pageOf('Denials by gate'), where);
    },
  );
  await eachPlace(
    (sheet) => drawBars(sheet, bars(90), 90, 90),
    (pageOf, where, pages) => {
      assert.ok(pageOf('gate-89') >= 2 && pages.length <= 5, where);
    },
  );
});

test('at least two rows of a table stand on each of its pages, and a short table is whole', async () => {
  for (const count of [1, 2, 8, 9, 30, 75])
    await eachPlace(
      (sheet) => drawTable(sheet, columns, cells(count)),
      (_, where, pages) => {
        const rows = pages.map((page) => page.filter((text) => text.startsWith('row-')).length);
        const used = rows.filter((n) => n > 0);
        assert.equal(
          rows.reduce((sum, n) => sum + n, 0),
          count,
        );
        if (count <= 9) assert.equal(used.length, 1, `${count} ${where}`);
        else assert.ok(Math.min(...used) >= 2, `${count} ${where}: ${used.join(', ')}`);
        // Its heading stands above its rows on each of their pages.
        for (const [i, page] of pages.entries())
          assert.equal(page.includes('Column'), (rows[i] ?? 0) > 0, `${count} ${where}`);
      },
    );
});

test('a document has the same bytes whatever others were written before it, and names each of its characters', async () => {
  const characters = shownCharacters().map((one) => String.fromCodePoint(one));
  const write = (texts: readonly string[]) => {
    const sheet = new pdf.Sheet({ title: 'T', createdAt: 0, foot: 'foot', compress: false });
    for (const text of texts) {
      sheet.paragraph([{ text }, { text, bold: true }]);
      sheet.code([{ text }]);
    }
    return sheet.finish();
  };
  const composed = ['Ä Đ Å office flow', 'čž'];
  const first = Buffer.from(await write(composed));
  const lines = Array.from({ length: Math.ceil(characters.length / 40) }, (_, i) =>
    characters.slice(i * 40, i * 40 + 40).join(''),
  );
  const all = await write(lines);
  assert.ok(first.equals(await write(composed)));
  const [page = []] = readPdf(all);
  const code = page.map(({ text }) => text).filter((text) => lines.includes(text));
  assert.ok(
    lines.every((line) => code.includes(line)),
    'each character can be copied',
  );
  assert.deepEqual(
    characters.filter((one) => pdf.pdfText(one) !== one),
    [],
  );
});
