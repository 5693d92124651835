import { Schema, type ScalarTag } from 'yaml';

/** Words is a text without quotes that means one thing in YAML 1.2, as policies are read here, and another in YAML 1.1. */
export interface Words {
  /** What it is in YAML 1.1: `the boolean false`. */
  readonly other: string;
  /** Whether the library of kubectl and Helm reads it so; times and numbers to the base 60 stay texts there. */
  readonly inKubernetes: boolean;
}

const KINDS: Readonly<Record<string, string>> = {
  'tag:yaml.org,2002:null': 'null',
  'tag:yaml.org,2002:bool': 'the boolean',
  'tag:yaml.org,2002:int': 'the number',
  'tag:yaml.org,2002:float': 'the number',
  'tag:yaml.org,2002:timestamp': 'a time',
};

/** What YAML 1.1 resolves a text to that has neither quotes nor a tag, in the order in which it is tried. */
let tags: readonly ScalarTag[] | null = null;

function tagsOf11(): readonly ScalarTag[] {
  return (tags ??= new Schema({ schema: 'yaml-1.1' }).tags.filter(
    (tag): tag is ScalarTag =>
      tag.default === true && 'test' in tag && tag.test !== undefined && tag.tag in KINDS,
  ));
}

/** No word, number or time of YAML 1.1 is longer. */
const MAX_LENGTH = 100;

/**
 * wordsOf tells what a text without quotes is to readers of YAML 1.1, such as kubectl and Helm, where that is not `value`, which it is in
 * YAML 1.2; null where both agree.
 */
export function wordsOf(source: string, value: unknown): Words | null {
  if (source.length > MAX_LENGTH) return null;
  const tag = tagsOf11().find(({ test }) => test?.test(source) === true);
  if (tag === undefined) return typeof value === 'number' ? { other: 'a text', inKubernetes: false } : null;
  const kind = KINDS[tag.tag] ?? '';
  const read = resolve(tag, source);
  if (read === value || (typeof read === 'number' && Object.is(read, value))) return null;
  const isShown = typeof read === 'boolean' || typeof read === 'number';
  const inKubernetes = tag.tag !== 'tag:yaml.org,2002:timestamp' && !source.includes(':');
  return { other: isShown ? `${kind} ${String(read)}` : kind, inKubernetes };
}

function resolve(tag: ScalarTag, source: string): unknown {
  const read = tag.resolve?.(source, () => {}, {});
  const value: unknown =
    read !== null && typeof read === 'object' && 'value' in read ? (read as { value: unknown }).value : read;
  return typeof value === 'bigint' ? Number(value) : value;
}
