import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { COMMANDS } from '../bin/commands.ts';
import { rootProgram } from '../bin/program.ts';
import { answersTable, commandTables } from './man/tables.ts';
import { parseSections, type Section } from './man/markdown.ts';
import { handWritten, manualPage, programPage } from './man/page.ts';

const ROOT = new URL('../', import.meta.url);
const ALL = await Promise.all(COMMANDS.map(({ load }) => load()));

/** defined gives every command of `ipo` with its listing, in the order of the help. */
export function defined() {
  return ALL.map((listed) => ({
    listed,
    command: listed.define(() => async () => {}).summary(listed.summary),
  }));
}

/** manualPages writes every page of man/ from the definitions of the commands and the prose beside them: name to text. */
export function manualPages(): ReadonlyMap<string, string> {
  const all = defined();
  const pages = new Map<string, string>([
    ['ipo.1', programPage(rootProgram(), all, prose('bin/man.md'))],
    ['ipod.8', handWritten('ipod', 8, 'System Administration', prose('daemon/man.md'))],
  ]);
  for (const { listed, command } of all)
    pages.set(
      `ipo-${listed.name}.1`,
      manualPage({ command, listed, prose: prose(`bin/${listed.name}/man.md`) }),
    );
  return pages;
}

/** Prose is optional: a command whose help says everything has none. */
function prose(path: string): Section {
  const url = new URL(path, ROOT);
  try {
    return parseSections(existsSync(url) ? readFileSync(url, 'utf8') : '');
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** documents gives the files that carry a table of commands or the list of pages, as they should be. */
export function documents(): ReadonlyMap<string, string> {
  const all: { listed: (typeof ALL)[number]; command: Command }[] = defined();
  const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
  const pages = [...manualPages().keys()].toSorted().map((name) => `    "man/${name}"`);
  return new Map([
    ['README.md', between(read('README.md'), 'answers', answersTable(all))],
    ['docs/commands.md', between(read('docs/commands.md'), 'commands', commandTables(all))],
    [
      'package.json',
      read('package.json').replace(/"man": \[[^\]]*\]/, `"man": [\n${pages.join(',\n')}\n  ]`),
    ],
  ]);
}

/** The text between two comments of Markdown is written here; the rest of the page is not. */
function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run man -->`, `<!-- ${name}: end -->`];
  if (!page.includes(begin) || !page.includes(end)) throw new Error(`${begin} and ${end} are missing`);
  const [before = ''] = page.split(begin);
  const after = page.split(end)[1] ?? '';
  return `${before}${begin}\n${text}\n${end}${after}`;
}

// Run by itself it writes them all: npm run man
if (import.meta.main) {
  const pages = manualPages();
  const folder = new URL('man/', ROOT);
  for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(new URL(name, folder));
  for (const [name, text] of pages) writeFileSync(new URL(name, folder), text);
  for (const [path, text] of documents()) writeFileSync(new URL(path, ROOT), text);
}
