import { toAllowList } from './allow-list.ts';
import { at, left, listAt, textAt, textsIn, type Converted, type Json } from './imported.ts';

/** GATEKEEPER are the kinds of constraints of the library that are about images. */
export const GATEKEEPER: ReadonlySet<string> = new Set([
  ...['K8sAllowedRepos', 'K8sAllowedReposv2', 'K8sDisallowedRepos', 'K8sDisallowedTags', 'K8sImageDigests'],
]);

/** gatekeeperRule reads a constraint. */
export function gatekeeperRule(kind: string, spec: Json): Converted {
  const path = ['kind'];
  const parameters = at(spec, 'parameters');
  const exempt = textsIn(listAt(parameters, 'exemptImages'));
  const narrower = exempt.length === 0 ? [] : ['exempt images are judged'];
  const base = { rule: kind, path, wider: [] as string[], notCovered: null };
  const made = ((): Converted => {
    switch (kind) {
      case 'K8sImageDigests':
        return { ...base, parts: [{ digestEnforcement: 'require' }], narrower };
      case 'K8sDisallowedTags': {
        // Its template denies a reference without a tag whatever the list is, as ours does.
        const tags = textsIn(listAt(parameters, 'tags'));
        const wider = tags.filter((tag) => tag !== 'latest').map((tag) => `the tag ${tag} is not denied`);
        return {
          ...base,
          parts: [{ denyLatestTag: true }],
          narrower: tags.includes('latest') ? narrower : [...narrower, 'the tag latest is denied too'],
          wider,
        };
      }
      case 'K8sAllowedRepos':
      case 'K8sAllowedReposv2': {
        const v1 = kind === 'K8sAllowedRepos';
        const patterns = textsIn(listAt(parameters, v1 ? 'repos' : 'allowedImages')).map((one) =>
          v1 ? `${one}*` : one,
        );
        const list = toAllowList(patterns);
        if (list.entries.length === 0)
          return left(kind, path, list.narrower.join('; ') || 'it lists no repository');
        return {
          ...base,
          parts: [{ allowedRegistries: [...list.entries] }],
          narrower: [...narrower, ...list.narrower],
          wider: list.wider,
        };
      }
      default:
        return left(kind, path, 'ours lists what is allowed, not what is denied');
    }
  })();
  return limited(made, spec);
}

function limited(made: Converted, spec: Json): Converted {
  const match = at(spec, 'match');
  const names = textsIn(listAt(match, 'namespaces'));
  const exact = names.length > 0 && names.every((name) => /^[a-z0-9-]+$/.test(name));
  const others = ['excludedNamespaces', 'labelSelector', 'namespaceSelector', 'name', 'scope'].filter((key) =>
    Object.hasOwn(match, key),
  );
  const narrower = [
    ...made.narrower,
    ...(others.length > 0 || (names.length > 0 && !exact)
      ? ['what limits it to some pods or namespaces is not carried over']
      : []),
  ];
  return {
    ...made,
    narrower,
    parts: made.parts.map((part) => ({ ...part, ...(exact && { targetNamespaces: [...new Set(names)] }) })),
  };
}

/** gatekeeperEnforces tells whether a constraint denies. */
export function gatekeeperEnforces(spec: Json): boolean {
  return ['', 'deny'].includes(textAt(spec, 'enforcementAction'));
}
