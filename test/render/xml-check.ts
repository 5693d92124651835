import assert from 'node:assert/strict';

/** elementsOf reads XML strictly enough to find what a parser would refuse, and gives its elements in order. */
export function elementsOf(
  xml: string,
): { readonly name: string; readonly attributes: Readonly<Record<string, string>>; readonly text: string }[] {
  assert.doesNotMatch(
    xml,
    // oxlint-disable-next-line no-control-regex -- what XML 1.0 cannot hold
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/,
    'a character that XML cannot hold',
  );
  assert.ok(xml.isWellFormed(), 'a lone surrogate');
  const found: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const open: (typeof found)[number][] = [];
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  const token = /<(\/?)([A-Za-z-]+)((?:\s+[A-Za-z-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  let end = 0;
  for (const [whole, close, name = '', attributes = '', alone, text] of body.matchAll(token)) {
    end += whole.length;
    if (text !== undefined) {
      assert.doesNotMatch(text, /&(?!#\d+;)|]]>/, `a bare & in ${text}`);
      const top = open.at(-1);
      if (top === undefined) assert.equal(text.trim(), '', 'text outside of the root');
      else top.text += decode(text);
      continue;
    }
    if (close === '/') {
      assert.equal(open.pop()?.name, name, `</${name}> closes another element`);
      continue;
    }
    const pairs = [...attributes.matchAll(/([A-Za-z-]+)="([^"]*)"/g)].map(
      ([, key = '', value = '']) => [key, decode(value)] as const,
    );
    assert.equal(new Set(pairs.map(([key]) => key)).size, pairs.length, 'an attribute twice');
    const element = { name, attributes: Object.fromEntries(pairs), text: '' };
    found.push(element);
    if (alone !== '/') open.push(element);
  }
  assert.equal(end, body.length, `no XML from ${JSON.stringify(body.slice(end, end + 60))}`);
  assert.equal(open.length, 0, 'an element is not closed');
  return found;
}

function decode(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
