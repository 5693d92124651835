import { z } from 'zod';
import { settingsSchema } from './settings.ts';

/** Setting is one setting as a file and the environment name it. */
export interface Setting {
  /** `ledger.spool.maxRows` */
  readonly path: string;
  /** `IPO_LEDGER_SPOOL_MAX_ROWS` */
  readonly env: string;
  /** What a value of it is: how a text of the environment is read, and what the reference says. */
  readonly kind: 'text' | 'number' | 'boolean' | 'texts' | 'json';
  readonly form: string;
  readonly standard: unknown;
  readonly isSecret: boolean;
  readonly description: string;
}

type Json = Readonly<Record<string, unknown>>;

/** listSettings gives every setting in the order of the schema; lists and records are one setting each. */
export function listSettings(): readonly Setting[] {
  return walk(z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' }) as Json, []);
}

function walk(schema: Json, steps: readonly string[]): Setting[] {
  const properties = schema['properties'] as Readonly<Record<string, Json>> | undefined;
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([name, inner]) => walk(inner, [...steps, name]));
  }
  const kind = kindOf(schema);
  return [
    {
      path: steps.join('.'),
      env: typeof schema['env'] === 'string' ? schema['env'] : `IPO_${steps.map(upper).join('_')}`,
      kind,
      form: formOf(schema, kind),
      standard: schema['default'],
      isSecret: schema['secret'] === true,
      description: typeof schema['description'] === 'string' ? schema['description'] : '',
    },
  ];
}

/** `coldImagePolicy` → `COLD_IMAGE_POLICY` */
function upper(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function kindOf(schema: Json): Setting['kind'] {
  const { type, items } = schema;
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return (items as Json | undefined)?.['type'] === 'string' ? 'texts' : 'json';
  return type === 'object' ? 'json' : 'text';
}

function formOf(schema: Json, kind: Setting['kind']): string {
  const { minimum, maximum, format } = schema;
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${String(value)}\``).join(', ');
  if (typeof format === 'string') return format;
  if (kind === 'number') return `${String(minimum)} to ${String(maximum)}`;
  if (kind === 'boolean') return '`true`, `false`';
  if (kind === 'texts') return 'list';
  if (kind === 'json') return schema['type'] === 'array' ? 'list of objects' : 'object';
  return 'text';
}
