import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dashboardJson } from './dashboard.ts';
import { defaultsYaml, valuesSchema, valuesTable, valuesYaml } from './pages.ts';

/** chartReadme is the README of the chart: what is written by hand in readme.md, and every value. */
export function chartReadme(): string {
  const start = readFileSync(new URL('readme.md', import.meta.url), 'utf8');
  return `<!-- Made by scripts/chart/write.ts from scripts/chart/readme.md and the values; a test holds them equal. -->\n${start}${valuesTable()}`;
}

// Run by itself it writes what is made from the values: node scripts/chart/write.ts
if (import.meta.main) {
  const chart = new URL('../../charts/image-policy-operator/', import.meta.url);
  mkdirSync(new URL('files/', chart), { recursive: true });
  writeFileSync(new URL('values.yaml', chart), valuesYaml());
  writeFileSync(new URL('values.schema.json', chart), valuesSchema());
  writeFileSync(new URL('files/defaults.yaml', chart), defaultsYaml());
  writeFileSync(new URL('files/dashboard.json', chart), dashboardJson());
  writeFileSync(new URL('README.md', chart), chartReadme());
}
