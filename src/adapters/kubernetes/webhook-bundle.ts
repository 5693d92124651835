import { isFault } from '../../cluster/index.ts';
import type { KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject } from './resources.ts';

interface Configuration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name?: string;
    readonly clientConfig?: { readonly caBundle?: string };
  }[];
}

/** Attempts against writers that were first. */
const ATTEMPTS = 5;

/**
 * writeCaBundle sets the authorities (PEM) that the API server trusts when it calls the webhooks of a configuration. Gives whether
 * they stand there: false where there is no such configuration. Nothing else of it is touched, and nothing is written that stands so
 * already.
 */
export async function writeCaBundle(api: KubernetesApi, name: string, pem: string): Promise<boolean> {
  const path = pathOf(RESOURCES.webhooks, { name });
  const what = `the ValidatingWebhookConfiguration ${name}`;
  const caBundle = Buffer.from(pem).toString('base64');
  for (let attempt = 1; ; attempt += 1) {
    const found = await api.find<Configuration>({ method: 'GET', path, what });
    if (found === null) return false;
    const changes = (found.webhooks ?? []).flatMap(({ clientConfig }, index) =>
      clientConfig?.caBundle === caBundle
        ? []
        : [{ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle }],
    );
    if (changes.length === 0) return true;
    // The places are those of this version: a webhook that was put before them meanwhile must not get the change of another.
    const test = {
      op: 'test',
      path: '/metadata/resourceVersion',
      value: found.metadata?.resourceVersion ?? '',
    };
    try {
      await api.call({ method: 'PATCH', patch: 'json', path, body: [test, ...changes], what });
      return true;
    } catch (error) {
      if (attempt >= ATTEMPTS || !(isFault(error, 'conflict') || isFault(error, 'invalid'))) throw error;
    }
  }
}
