import { isMap, isScalar, isSeq, Scalar, type Node, type Pair } from 'yaml';
import type { PolicyRule, Remark } from '../rule.ts';
import { wordsOf } from '../yaml-words.ts';

/**
 * yamlWordRules find texts and numbers without quotes that YAML 1.1 reads otherwise: kubectl, Helm and the API server's own library read
 * `off` as false, so that the object is refused there, or says something else than what was checked here.
 */
export const yamlWordRules: PolicyRule = ({ places }) => {
  const remarks: Remark[] = [];
  // The common form has no such words.
  if (places.document === null) return remarks;
  const look = (node: unknown, path: readonly PropertyKey[], isKey: boolean): void => {
    if (!isScalar(node) || node.type !== Scalar.PLAIN) return;
    const source = node.source ?? '';
    const words = wordsOf(source, node.value);
    if (words === null) return;
    const fix =
      typeof node.value === 'number'
        ? `Write ${String(node.value)}`
        : `Put it in quotes ("${source}"), as \`ipo policy fmt\` does`;
    remarks.push({
      rule: 'yaml-words',
      level: 'warning',
      path,
      message: `${isKey ? 'the name ' : ''}${source} is ${words.other} in YAML 1.1, ${words.inKubernetes ? 'which kubectl and Helm read' : 'which other tools may read'}`,
      hint: fix,
    });
  };
  const open: { readonly node: unknown; readonly path: readonly PropertyKey[] }[] = [
    { node: places.document.contents, path: [] },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    if (isMap(node))
      for (const { key, value } of node.items as readonly Pair<Node, Node | null>[]) {
        const inner = [...path, isScalar(key) ? String(key.value) : ''];
        look(key, inner, true);
        open.push({ node: value, path: inner });
      }
    else if (isSeq(node))
      for (const [i, item] of node.items.entries()) open.push({ node: item, path: [...path, i] });
    else look(node, path, false);
  }
  return remarks;
};
