import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCESS, type RouteKey } from '../../src/accounts/index.ts';
import { COST_CASES } from './route-cost-cases.ts';
import { SIZES } from './route-cost-data.ts';
import type { CostCall, CostStage } from './route-cost-made.ts';
import type { Ready } from './route-cost-service.ts';
import type { TurnCost } from './turn-costs.ts';

/** RouteCost is what calls of a route cost the event loop that answered them: of the dearest turn, in the round with the least. */
export interface RouteCost extends TurnCost {
  readonly key: RouteKey;
  readonly what: string;
}

/** MeasuredRoutes are the costs, and the database that they arose on. */
export interface MeasuredRoutes {
  readonly costs: readonly RouteCost[];
  readonly database: string;
}

/** How often each case is measured: what else the loop does meanwhile is not in every round. Counts are the same in each. */
const ROUNDS = { full: 3, small: 1 } as const;
/** Milliseconds that the loop is left alone before and after a call whose time is measured. */
const PAUSE = { full: 10, small: 0 } as const;
/** A list of images may wait until 10,000 of them were judged again. */
const PATIENCE = 900_000;

/** measureRoutes calls every route of a service with a database of a size. Throws where a call is not answered as its case says. */
export async function measureRoutes(folder: string, size: 'small' | 'full'): Promise<MeasuredRoutes> {
  const kev = join(folder, 'kev.json');
  writeKev(kev, 0);
  const service = join(folder, 'service');
  const child = fork(join(import.meta.dirname, 'route-cost-service.ts'), [service, size, `file://${kev}`], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--max-semi-space-size=16', '--heap-growing-percent=40'], // as the image starts the daemon
  });
  const dead = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`the service ended with ${code}`)),
  );
  dead.catch(() => {}); // told to whoever waits for an answer
  const told = async <T>(): Promise<T> => ((await Promise.race([once(child, 'message'), dead])) as [T])[0];
  const ready = await told<Ready>();
  const stage: CostStage = { ...ready, sizes: SIZES[size], kev: (round) => writeKev(kev, round) };
  const costs: RouteCost[] = [];
  try {
    for (const key of Object.keys(ACCESS) as RouteKey[])
      for (const [what, make] of Object.entries(COST_CASES[key])) {
        const rounds: TurnCost[] = [];
        for (let round = 0; round < ROUNDS[size] + 1; round += 1) {
          const call = await make(stage, round);
          await sleep(PAUSE[size]);
          child.send('begin');
          await answer(ready, key, call);
          await sleep(PAUSE[size]);
          child.send('end');
          const cost = await told<TurnCost>();
          if (round > 0) rounds.push(cost); // the first is not compiled yet
        }
        const least = (of: 'busy' | 'rows' | 'json'): number => Math.min(...rounds.map((cost) => cost[of]));
        const statements = [...new Set(rounds.flatMap((cost) => cost.statements))];
        costs.push({ key, what, busy: least('busy'), rows: least('rows'), json: least('json'), statements });
      }
    const end = once(child, 'exit');
    child.send('close');
    await end;
  } finally {
    child.kill();
  }
  return { costs, database: join(service, 'costs.db') };
}

async function answer({ url, administrator }: Ready, key: RouteKey, call: CostCall): Promise<void> {
  const [method = '', path = ''] = key.split(' ');
  const { body, status = 200 } = call;
  const answered = await fetch(`${url}/api/v1${call.path ?? path}`, {
    ...{ method, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) },
    headers: {
      authorization: `Bearer ${call.secret ?? administrator}`,
      ...(call.match !== undefined && { 'if-match': call.match }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  let told = '';
  // An export is longer than a text may be.
  for await (const piece of answered.body ?? [])
    if (told.length < 500) told += Buffer.from(piece).toString('utf8', 0, 500);
  if (answered.status !== status) throw new Error(`${key} was answered with ${answered.status}: ${told}`);
}

/** A catalogue whose entries change from one round to the next. */
function writeKev(path: string, round: number): void {
  const vulnerabilities = Array.from({ length: 1_600 }, (_, n) => ({
    cveID: n < 800 ? `CVE-2024-${10_000 + ((n + (round % 2) * 100) % 1_000)}` : `CVE-2019-${10_000 + n}`,
    dateAdded: '2026-01-01',
    dueDate: '2026-02-01',
  }));
  writeFileSync(path, JSON.stringify({ catalogVersion: `2026.01.${round}`, count: 1_600, vulnerabilities }));
}
