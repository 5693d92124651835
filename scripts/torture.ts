import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { countsOf, failuresPage, listPage, resultPage, type Row } from './torture/page.ts';
import { chunksOf, PARTS, type Part } from './torture/parts.ts';
import { lengthOf, runChunk } from './torture/run-chunk.ts';
import { codeOf, keyOf, standingOf, State, type Kept } from './torture/state.ts';

/**
 * `npm run torture`: runs the long forms of the tests, part by part. Each part is made of chunks; a chunk that passed is not run again, so
 * that after a stop (Ctrl-C) the same command resumes from there.
 */
const ROOT = resolve(import.meta.dirname, '..');
const USAGE = `Usage: npm run torture -- [PART…] [--list] [--again] [--sample N]

Runs the parts that are named, or all that have not passed. A part that was stopped goes on after its last finished chunk.

  --list      list the parts and how they stand, and run nothing
  --again     run parts from their start that have passed, on this code or on other code
  --sample N  do one in N of what each part does, for a first look; kept apart from the whole
`;

const { values, positionals } = parse();
const sample = Number(values.sample ?? 1);
const unknown = positionals.filter((name) => !PARTS.some((part) => part.name === name));
if (values.help === true) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (unknown.length > 0) fail(`there is no part ${unknown.join(', ')}; --list lists them`);
if (!Number.isInteger(sample) || sample < 1 || sample > 100)
  fail(`--sample ${values.sample} is not a whole number from 1 to 100`);

const chosen = PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const state = new State(join(ROOT, '.torture', ...(sample === 1 ? [] : [`sample-${sample}`])));
const code = codeOf(ROOT);
const rowsOf = (parts: readonly Part[]): Row[] => parts.map((part) => ({ part, kept: read(part.name) }));

if (values.list === true) {
  process.stdout.write(listPage(rowsOf(chosen), sample, code));
  process.exit(0);
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
let failed = 0;
for (const part of chosen) {
  if (stopping.signal.aborted) break;
  const standing = standingOf(part, sample, read(part.name), code);
  if (values.again !== true && (standing === 'passed' || standing === 'passed on other code')) continue;
  const row = await runPart(part, values.again === true);
  process.stdout.write(failuresPage(row, sample));
  if (standingOf(part, sample, row.kept, code) === 'failed') failed += 1;
}
process.stdout.write(`\n${resultPage(rowsOf(chosen), sample, code)}`);
if (stopping.signal.aborted) {
  process.stdout.write('\nStopped. The same command goes on after the last finished chunk.\n');
  process.exit(130);
}
process.exit(failed > 0 ? 1 : 0);

/** Runs the chunks of a part that have not passed, and keeps the outcome of each as soon as it is there. */
async function runPart(part: Part, again: boolean): Promise<Row> {
  const before = read(part.name);
  const goesOn = !again && before !== null && before.code === code.hash;
  let kept: Kept = goesOn
    ? before
    : { code: code.hash, commit: code.commit, seed: randomInt(2 ** 31), chunks: {} };
  const chunks = chunksOf(part, sample);
  for (const [i, chunk] of chunks.entries()) {
    if (stopping.signal.aborted) break;
    if (kept.chunks[keyOf(chunk)]?.passed === true) continue;
    const what = `${part.name} ${i + 1}/${chunks.length}`;
    say(`${what}: ${chunk.file}, share ${chunk.part} of ${chunk.of}, seed ${kept.seed}`);
    const began = Date.now();
    const timer = setInterval(() => say(`${what}: running for ${lengthOf(Date.now() - began)}`), 60_000);
    const outcome = await runChunk(chunk, kept.seed, {
      root: ROOT,
      signal: stopping.signal,
      heard: (line) => process.stdout.write(`    ${line}\n`),
    }).finally(() => clearInterval(timer));
    if (outcome === null) break;
    // Nobody could say which code it was that passed.
    if (codeOf(ROOT).hash !== code.hash)
      stop(`the code was changed while ${what} ran; its outcome is not kept, and it is to be run again`);
    kept = { ...kept, chunks: { ...kept.chunks, [keyOf(chunk)]: outcome } };
    try {
      state.write(part.name, kept);
    } catch (error) {
      stop(`the outcome of ${what} cannot be kept: ${(error as Error).message}`);
    }
    const time = lengthOf(Date.now() - began);
    say(`${what}: ${outcome.passed ? 'passed' : 'FAILED'} in ${time}: ${countsOf([outcome])}`);
  }
  return { part, kept };
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        list: { type: 'boolean' },
        again: { type: 'boolean' },
        sample: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

function read(part: string): Kept | null {
  try {
    return state.read(part);
  } catch (error) {
    return stop((error as Error).message);
  }
}

/** Ends where something outside failed. */
function stop(message: string): never {
  process.stderr.write(`torture: ${message}\n`);
  process.exit(3);
}

function fail(message: string): never {
  process.stderr.write(`torture: ${message}\n\n${USAGE}`);
  process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`[${new Date().toISOString().slice(11, 19)}] ${line}\n`);
}
