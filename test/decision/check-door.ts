import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../bin/main.ts';
import type { CheckDocument } from '../../src/checks/index.ts';
import type { Terminal } from '../../bin/terminal/terminal.ts';
import { formatTime } from '../../src/base/index.ts';
import { SIGNALS } from '../../src/policy/index.ts';
import type { DecisionCase } from './cases.ts';

/**
 * checked runs a case through `ipo check` in this process, over a ledger export with its facts, and gives the answer
 * in the words of `case.json`. A request to bypass comes as the annotation of a pod, where the pod has no context
 * that only flags can tell. Audit policies are judged as if they enforced, so that a refusal shows in the exit code.
 */
export async function checked(c: DecisionCase, ledger: string, folder: string): Promise<object> {
  const { break_glass: bypass, exposed_by: exposedBy, quota } = c;
  // Ledgers can hold signals of another release; the flag takes those of this one.
  const signals = (c.signals ?? []).filter((signal) => (SIGNALS as readonly string[]).includes(signal));
  const flags = [
    ...(signals.length === 0 ? [] : ['--signals', signals.join(',')]),
    ...(exposedBy === null ? [] : ['--exposed-by', exposedBy]),
    ...(quota === null ? [] : ['--quota', quota]),
  ];
  const asPod = bypass !== null && flags.length === 0;
  const argv = [
    'check',
    ...(asPod ? ['-f', writePod(c, folder)] : [c.image, ...flags]),
    ...(bypass === null ? [] : ['--groups', bypass.groups.join(',')]),
    ...(bypass === null || asPod ? [] : ['--break-glass', bypass.reason]),
    ...['--policy', c.policyPath, '--ledger', ledger, '--namespace', c.namespace],
    ...['--as-of', formatTime(c.atMs), '--enforce', '-o', 'json'],
  ];
  let out = '';
  let err = '';
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: {},
    tty: { in: false, out: false, err: false },
    columns: 100,
    stdin: nothing(),
  };
  const code = await run(argv, terminal);
  const document = tryJson(out);
  const result = document?.results[0];
  const decision = result?.decisions[0];
  if (document === null || result === undefined || decision === undefined) {
    throw new Error(`ipo ${argv.join(' ')} exited with ${code}: ${err}${out}`);
  }
  assert.equal(code, document.refused + document.open > 0 ? 1 : 0, err);
  assert.equal(result.allowed, { admit: true, refuse: false, unknown: null }[decision.verdict]);
  switch (decision.verdict) {
    case 'refuse':
      return { verdict: 'refuse', label: decision.label, sentence: decision.sentence };
    case 'unknown':
      return { verdict: 'unknown', fact: decision.fact };
    case 'admit':
      return { verdict: 'admit', ...(decision.break_glass && { break_glass: true }) };
  }
}

function writePod(c: DecisionCase, folder: string): string {
  const path = join(folder, `${c.name}.json`);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: c.namespace,
      annotations: { 'ipo.dev/break-glass': c.break_glass?.reason },
    },
    spec: { containers: [{ name: 'web', image: c.image }] },
  };
  writeFileSync(path, JSON.stringify(pod));
  return path;
}

function tryJson(text: string): CheckDocument | null {
  try {
    return JSON.parse(text) as CheckDocument;
  } catch {
    return null;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  yield* [];
}
