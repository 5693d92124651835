import { toAllowList } from './allow-list.ts';
import { left, type Converted, type Part } from './imported.ts';

const ALL = /^object\.spec\.(containers|initContainers|ephemeralContainers)\.all\((\w+),(.*)\)$/s;

/** celRule reads expressions of the known forms: each asks one thing of the image of every container. */
export function celRule(
  expressions: readonly string[],
  name: string,
  path: readonly PropertyKey[],
): Converted {
  const parts: Part[] = [];
  const narrower = ['containers of all kinds are judged'];
  const wider: string[] = [];
  for (const expression of expressions) {
    const [, , variable = '', inner = ''] = ALL.exec(expression.trim()) ?? [];
    const asked = variable === '' ? null : inner.trim().replaceAll(`${variable}.image`, 'image');
    if (asked === "image.contains(':')") {
      parts.push({ denyLatestTag: true });
      narrower.push('the tag latest is denied too');
    } else if (asked === "!image.endsWith(':latest')") {
      parts.push({ denyLatestTag: true });
      narrower.push('a reference without a tag is denied too');
    } else if (asked === "image.contains('@')" || asked === "image.contains('@sha256:')") {
      parts.push({ digestEnforcement: 'require' });
    } else {
      const prefixes = (asked ?? '')
        .split('||')
        .map((one) => /^image\.startsWith\('([^']+)'\)$/.exec(one.trim())?.[1]);
      if (prefixes.includes(undefined)) return left(name, path, 'its expression is none of the known forms');
      const list = toAllowList((prefixes as string[]).map((prefix) => `${prefix}*`));
      if (list.entries.length === 0) return left(name, path, list.narrower.join('; '));
      parts.push({ allowedRegistries: [...list.entries] });
      narrower.push(...list.narrower);
      wider.push(...list.wider);
    }
  }
  if (parts.length === 0) return left(name, path, 'it has no expression');
  const merged = new Map(parts.map((part) => [JSON.stringify(part), part]));
  return { rule: name, path, parts: [...merged.values()], narrower, wider, notCovered: null };
}
