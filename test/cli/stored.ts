import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Role } from '../../src/accounts/index.ts';
import { configurationRoutes } from '../../src/api/routes/configuration.ts';
import { policyRoutes } from '../../src/api/routes/policies.ts';
import { whatIfRoutes } from '../../src/api/routes/whatif.ts';
import { openConfiguration, policyKind } from '../../src/configuration/index.ts';
import { IMAGE } from '../configuration/world.ts';
import { openPolicies, parsePolicyValue, type Policies, type StoredPolicy } from '../../src/policy/index.ts';
import { policyStore } from '../../src/store/policies/policies.ts';
import { openStore } from '../../src/store/index.ts';
import { openKeptRuns, openLiveWhatIf, type WhatIfResult } from '../../src/whatif/index.ts';
import { startApi } from '../api/service.ts';
import { makeWorld, type World } from '../whatif/live-parts.ts';
import { ipo, type Ran } from './fake-terminal.ts';

/** Served is a service with policies and the what-if, for commands that call one. */
export interface Served {
  readonly url: string;
  readonly world: World;
  readonly policies: Policies;
  /** Names of policies that were made invalid beside the service: with what, and what is wrong with it. */
  readonly spoilt: Map<string, { document: Record<string, unknown>; fault: string }>;
  /** What the replays answer. */
  result: WhatIfResult;
  /** Runs `ipo` as somebody. */
  ipo(args: readonly string[], options?: Parameters<typeof ipo>[1] & { readonly role?: Role }): Promise<Ran>;
  /** A directory that goes with the test. */
  readonly directory: string;
}

/** serve starts a service on an empty database whose replays all give one answer. */
export async function serve(t: TestContext, answer: WhatIfResult): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), 'ipo-cli-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = await openStore({ url: `sqlite:${join(directory, 'ipo.db')}` });
  t.after(() => store.close());
  const world = makeWorld();
  const deps = {
    ...world.deps,
    replayer: {
      replay: async (...call: Parameters<typeof world.deps.replayer.replay>) => {
        const { name, revision } = call[0].draft;
        const json = JSON.stringify({ ...served.result, policy: { name, revision }, source: call[0].source });
        return { ...(await world.deps.replayer.replay(...call)), json };
      },
    },
  };
  const spoilt: Served['spoilt'] = new Map();
  const kept = policyStore(store);
  const asItStands = (policy: StoredPolicy): StoredPolicy => {
    const { document, fault } = spoilt.get(policy.name) ?? {};
    if (document === undefined || fault === undefined) return policy;
    return { ...policy, document, invalid: { fault, inEffect: parsePolicyValue(policy.document).policy } };
  };
  const policies = openPolicies({
    store: {
      ...kept,
      get: async (name) => {
        const policy = await kept.get(name);
        return policy === null ? null : asItStands(policy);
      },
      list: async (page) => {
        const { items, total } = await kept.list(page);
        return { items: items.map(asItStands), total };
      },
      replace: async (write, expected) => {
        spoilt.delete(write.name);
        return kept.replace(write, expected);
      },
    },
    clock: world.deps.clock,
  });
  const names = async (ids: readonly string[]) => new Map(ids.map((id) => [id, `Name of ${id}`]));
  const printer = { print: async () => Buffer.from('%PDF-1.7 \u00ff', 'latin1') };
  const { url } = await startApi(t, [
    ...policyRoutes({ policies, names, audit: world.deps.audit, together: (act) => store.write(act) }),
    ...configurationRoutes({
      configuration: openConfiguration({
        kinds: [policyKind({ ...IMAGE, policies })],
        audit: world.deps.audit,
        together: (act) => store.write(act),
      }),
    }),
    ...whatIfRoutes({
      names,
      whatif: openLiveWhatIf(deps),
      runs: openKeptRuns({
        runs: world.runs,
        printer,
        names,
        audit: world.deps.audit,
        clock: world.deps.clock,
      }),
    }),
  ]);
  const served: Served = {
    url,
    world,
    policies,
    spoilt,
    result: answer,
    directory,
    ipo: (args, { role = 'administrator', env = {}, ...options } = {}) =>
      ipo(args, {
        ...options,
        env: { IPO_SERVER: url, IPO_TOKEN: `${role}-token`, XDG_CONFIG_HOME: directory, ...env },
      }),
  };
  return served;
}
