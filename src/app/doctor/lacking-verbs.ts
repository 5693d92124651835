import type { KubernetesApi } from '../../adapters/kubernetes/index.ts';
import { isFault } from '../../cluster/index.ts';
import { ENFORCE_VERBS, REQUIRED_VERBS } from '../../doctor/index.ts';

/** Asked says whose rights are asked for, and the names of the objects that the role names. */
export interface Asked {
  readonly namespace: string;
  /** ServiceAccount of the service. */
  readonly account: string;
  readonly lease: string;
  readonly secret: string;
  readonly webhook: string;
  /** Whether the service may be told to delete pods (`rbac.allowEnforce`). */
  readonly enforces: boolean;
}

/** lackingVerbs asks the API server for every verb of the chart's role; null where this account may not ask. */
export async function lackingVerbs(api: KubernetesApi, asked: Asked): Promise<readonly string[] | null> {
  const { namespace, account } = asked;
  const user = `system:serviceaccount:${namespace}:${account}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const verbs = asked.enforces ? [...REQUIRED_VERBS, ...ENFORCE_VERBS] : REQUIRED_VERBS;
  const questions = verbs.flatMap(({ group, resource: whole, verbs: all, own, named }) => {
    const [resource, subresource] = whole.split('/');
    const attributes = {
      group,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(own === true && { namespace }),
      ...(named !== undefined && { name: asked[named] }),
    };
    return all.map((verb) => ({
      what: `${verb} ${whole}`,
      spec: { user, groups, resourceAttributes: { ...attributes, verb } },
    }));
  });
  try {
    const answers = await Promise.all(
      questions.map(async ({ what, spec }) => {
        const { status } = await api.call<{ readonly status?: { readonly allowed?: boolean } }>({
          method: 'POST',
          path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
          what: 'a SubjectAccessReview',
          body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
        });
        return status?.allowed === true ? [] : [what];
      }),
    );
    return answers.flat();
  } catch (error) {
    if (isFault(error, 'forbidden') || isFault(error, 'not_found')) return null;
    throw error;
  }
}
