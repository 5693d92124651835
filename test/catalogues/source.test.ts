import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { checkCatalogue, CISA_KEV, readKevSource, type KevEntry } from '../../src/catalogues/index.ts';

suite('kev.source', () => {
  const right: readonly (readonly [text: string, kind: string])[] = [
    [CISA_KEV, 'http'],
    ['https://mirror.example.com/kev.json.gz?version=2', 'http'],
    ['http://127.0.0.1:8000/kev.json', 'http'],
    ['http://localhost/kev.json', 'http'],
    ['http://[::1]:8000/kev.json', 'http'],
    ['file:///etc/kev/known_exploited_vulnerabilities.json', 'file'],
    ['file:///etc/kev/a%20b.gz', 'file'],
    ['off', 'off'],
  ];
  for (const [text, kind] of right)
    test(`${text} is ${kind}`, () => {
      const place = readKevSource(text);
      assert.equal('kind' in place && place.kind, kind);
    });
  const wrong: readonly (readonly [text: string, fault: RegExp])[] = [
    ['', /must be https/],
    ['OFF', /must be https/],
    ['/etc/kev/kev.json', /must be https/],
    ['kev.json', /must be https/],
    ['ftp://example.com/kev.json', /must be https/],
    ['http://mirror.example.com/kev.json', /plain HTTP is allowed only for this machine/],
    ['http://127.0.0.1.example.com/', /plain HTTP/],
    ['https://me:secret@mirror.example.com/', /no password/],
    ['https://mirror.example.com/#part', /no #/],
    ['file://host/etc/kev.json', /file:\/\/\/etc/],
    ['file:etc/kev.json', /file:\/\/\/etc/],
    ['file:///', /file:\/\/\/etc/],
    ['file:///etc%2fkev.json', /file:\/\/\/etc/],
    ['file:///etc/kev.json?x', /file:\/\/\/etc/],
  ];
  for (const [text, fault] of wrong)
    test(`${JSON.stringify(text)} is refused`, () => {
      const place = readKevSource(text);
      assert.match('fault' in place ? place.fault : '', fault);
    });
});

suite('a catalogue in the place of another', () => {
  const of = (count: number): { entries: readonly KevEntry[] } => ({
    entries: Array.from({ length: count }, (_, i) => ({
      cve: `CVE-2026-${1000 + i}`,
      dateAdded: null,
      dueDate: null,
    })),
  });
  for (const [kept, given, refused] of [
    [0, 1, false],
    [1662, 1663, false],
    [1000, 800, false],
    [1000, 799, true],
    [1, 1, false],
    [0, 0, true],
  ] as const)
    test(`${given} for ${kept} is ${refused ? 'refused' : 'taken'}`, () => {
      const check = (): void => checkCatalogue(of(given), kept);
      if (refused) assert.throws(check, { code: 'invalid_report' });
      else check();
    });
  test('who looks into it may take one that has shrunk, and nobody an empty one', () => {
    checkCatalogue(of(10), 1000, true);
    assert.throws(() => checkCatalogue(of(0), 1000, true), /is empty/);
    assert.throws(() => checkCatalogue(of(10), 1000), /has shrunk from 1000 to 10 entries/);
  });
});
