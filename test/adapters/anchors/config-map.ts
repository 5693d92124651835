import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Agent, request } from 'undici';
import { kubernetesAnchor } from '../../../src/adapters/anchors/index.ts';
import type { Anchor } from '../../../src/ledger/index.ts';
import { makeCertificate } from '../../app/certificate.ts';
import { FakeApiServer } from '../../kubernetes/fake/api-server.ts';

const NAMESPACE = 'ipo-system';
const NAME = 'ipo-checkpoint';

/** ConfigMapPlace is a fake API server with the ConfigMap of an anchor. */
export interface ConfigMapPlace {
  readonly fake: FakeApiServer;
  readonly anchor: Anchor;
  /** What the ConfigMap holds. */
  data(): Readonly<Record<string, string>>;
  /** Another program edits it; null removes. */
  edit(data: Readonly<Record<string, string | null>> | null): Promise<void>;
  /** Somebody deletes it. */
  remove(): Promise<void>;
  /** The API server is away, or back. */
  away(isAway: boolean): void;
}

/** openMap opens a fake API server over TLS; the ConfigMap is there and empty, as the chart makes it, unless said. */
export async function openMap(
  t: TestContext,
  folder: string,
  { empty = true } = {},
): Promise<ConfigMapPlace> {
  const { cert, key } = makeCertificate(folder, 'config-map-api');
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const fake = new FakeApiServer({ tls });
  const server = await fake.listen();
  t.after(() => fake.close());
  if (empty)
    fake.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: NAME, namespace: NAMESPACE } });
  const account = mkdtempSync(join(folder, 'account-'));
  writeFileSync(join(account, 'token'), 'account-token\n');
  writeFileSync(join(account, 'ca.crt'), tls.cert);
  writeFileSync(join(account, 'namespace'), NAMESPACE);
  const kind = fake.kindOf('v1', 'ConfigMap');
  const call = async (method: 'PATCH' | 'DELETE', body: object | null): Promise<void> => {
    const agent = new Agent({ connect: { ca: tls.cert } });
    const answer = await request(
      `${server}/api/v1/namespaces/${NAMESPACE}/configmaps/${NAME}?fieldManager=kubectl-edit`,
      {
        method,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: body === null ? null : JSON.stringify(body),
        dispatcher: agent,
      },
    );
    assert.equal(answer.statusCode, 200, await answer.body.text());
    await agent.destroy();
  };
  return {
    fake,
    anchor: kubernetesAnchor({ name: NAME, apiServer: server, account }),
    data: () => (fake.objects.find(kind, NAMESPACE, NAME)?.['data'] ?? {}) as Record<string, string>,
    edit: (data) => call('PATCH', { data }),
    remove: () => call('DELETE', null),
    away: (isAway) => (isAway ? fake.faults.cut('ipo') : fake.faults.mend('ipo')),
  };
}
