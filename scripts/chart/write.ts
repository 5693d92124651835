import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dashboardJson } from './dashboard.ts';
import { defaultsYaml, valuesSchema, valuesTable, valuesYaml } from './pages.ts';

/** BEGIN and END stand around the table of values in docs/kubernetes.md. */
export const BEGIN = '<!-- values: made by scripts/chart/write.ts; a test holds them equal -->\n';
export const END = '<!-- end of values -->';

/** withTable puts the table of values into the page. */
export function withTable(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error('docs/kubernetes.md has no place for the table of values');
  return `${page.slice(0, from + BEGIN.length)}\n${valuesTable()}\n${page.slice(to)}`;
}

// Run by itself it writes what is made from the values: node scripts/chart/write.ts
if (import.meta.main) {
  const chart = new URL('../../charts/image-policy-operator/', import.meta.url);
  mkdirSync(new URL('files/', chart), { recursive: true });
  writeFileSync(new URL('values.yaml', chart), valuesYaml());
  writeFileSync(new URL('values.schema.json', chart), valuesSchema());
  writeFileSync(new URL('files/defaults.yaml', chart), defaultsYaml());
  writeFileSync(new URL('files/dashboard.json', chart), dashboardJson());
  const page = new URL('../../docs/kubernetes.md', import.meta.url);
  writeFileSync(page, withTable(readFileSync(page, 'utf8')));
}
