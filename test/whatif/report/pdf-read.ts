import { inflateSync } from 'node:zlib';

/** Line is one text of a page with the place where it begins, in points from the lower left corner. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** What a font of the file shows for each code. */
type Codes = ReadonlyMap<string, string>;

/** readPdf gives the pages of a PDF of ours as lines of text, in the order in which they were written. */
export function readPdf(bytes: Uint8Array): readonly (readonly Line[])[] {
  const objects = objectsOf(Buffer.from(bytes));
  const fonts = new Map<string, Codes>();
  for (const { head } of objects.values())
    for (const [, name = '', font = ''] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, map = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(font)?.head ?? '') ?? [];
      fonts.set(name, codesOf(contentOf(objects.get(map)) ?? ''));
    }
  return [...objects.values()].flatMap((object) => {
    const text = contentOf(object);
    return text?.includes('BT\n') === true ? [linesOf(text, fonts)] : [];
  });
}

/** unmarked gives what is drawn or written outside of marked content. */
export function unmarked(bytes: Uint8Array): readonly string[] {
  return [...objectsOf(Buffer.from(bytes)).values()].flatMap((object) => {
    const text = contentOf(object);
    if (text?.includes('BT\n') !== true) return [];
    let depth = 0;
    return text.split('\n').filter((line) => {
      if (/ (?:BDC|BMC)$/.test(line)) depth += 1;
      else if (line === 'EMC') depth -= 1;
      return depth === 0 && /(?:^| )(?:TJ|Tj|re|f|S|B|l|c)$/.test(line);
    });
  });
}

/** What stands before a stream, and the stream. */
interface PdfObject {
  readonly head: string;
  readonly stream: Buffer | null;
}

/** The objects by number. */
function objectsOf(file: Buffer): ReadonlyMap<string, PdfObject> {
  const objects = new Map<string, PdfObject>();
  let at = 0;
  for (;;) {
    const begin = file.indexOf(' 0 obj\n', at);
    if (begin === -1) return objects;
    const number = file.toString('latin1', file.lastIndexOf('\n', begin) + 1, begin);
    const [end, stream] = [file.indexOf('endobj', begin), file.indexOf('stream\n', begin)];
    if (stream === -1 || stream > end) {
      objects.set(number, { head: file.toString('latin1', begin, end), stream: null });
      at = end;
    } else {
      const last = file.indexOf('\nendstream', stream);
      const head = file.toString('latin1', begin, stream);
      objects.set(number, { head, stream: file.subarray(stream + 7, last) });
      at = last;
    }
  }
}

/** What a stream holds, compressed or not; null for what is not a stream, and for fonts. */
function contentOf(object: PdfObject | undefined): string | null {
  if (object?.stream === undefined || object.stream === null || /\/Length1 /.test(object.head)) return null;
  const isCompressed = object.head.includes('/FlateDecode');
  try {
    return (isCompressed ? inflateSync(object.stream) : object.stream).toString('latin1');
  } catch {
    return null;
  }
}

function codesOf(map: string): Codes {
  const codes = new Map<string, string>();
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/g))
    [...list.matchAll(/<([0-9a-f ]+)>/g)].forEach(([, units = ''], i) => {
      const code = (Number.parseInt(from, 16) + i).toString(16).padStart(4, '0');
      codes.set(code, String.fromCharCode(...units.split(' ').map((unit) => Number.parseInt(unit, 16))));
    });
  return codes;
}

function linesOf(content: string, fonts: ReadonlyMap<string, Codes>): Line[] {
  return [...content.matchAll(/BT\n1 0 0 1 ([\d.-]+) ([\d.-]+) Tm\n\/(F\d+) ([\d.]+) Tf\n\[(.*?)\] TJ/g)].map(
    ([, x, y, font = '', size, pieces = '']) => ({
      x: Number(x),
      y: Number(y),
      size: Number(size),
      text: (pieces.replaceAll(/>[^<]*</g, '').match(/[0-9a-f]{4}/g) ?? [])
        .map((code) => fonts.get(font)?.get(code) ?? '\u{fffd}')
        .join(''),
    }),
  );
}
