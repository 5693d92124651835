import { stringify } from 'yaml';
import { z } from 'zod';
import { chartValues } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

/** chartDefaults are the values of the chart as they are when nobody gives any. */
export function chartDefaults(): Json {
  return chartValues.parse({});
}

/** valuesSchema is values.schema.json: strict at every level, with nothing required. */
export function valuesSchema(): string {
  const { $schema: _, ...schema } = z.toJSONSchema(chartValues, {
    io: 'input',
    target: 'draft-07',
  }) as Json;
  const whole = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of image-policy-operator',
    ...schema,
    // Helm gives a chart this value when another chart depends on it.
    properties: { ...(schema['properties'] as Json), global: { type: 'object' } },
  };
  return `${JSON.stringify(orNull(whole), null, 2)}\n`;
}

/** A value of `null` is Helm's way to take a default away; the templates then fall back to the default as well. */
function orNull(schema: Json): Json {
  const properties = schema['properties'] as Readonly<Record<string, Json>> | undefined;
  if (properties === undefined) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, nullable(orNull(inner))]),
    ),
  };
}

function nullable(schema: Json): Json {
  if (Array.isArray(schema['enum']))
    return { ...schema, type: ['string', 'null'], enum: [...schema['enum'], null] };
  return typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], 'null'] } : schema;
}

const NOTE = '# Made by scripts/chart/write.ts from scripts/chart/values.ts; a test holds them equal.\n';

/** valuesYaml is values.yaml: every value with what it means and its default. */
export function valuesYaml(): string {
  return `${NOTE}${print(inputSchema(), chartDefaults(), 0)}`;
}

/** defaultsYaml is what the templates fall back to, where `--reuse-values` brings values that an earlier chart had. */
export function defaultsYaml(): string {
  return `${NOTE}${stringify(chartDefaults(), { lineWidth: 0, version: '1.1' })}`;
}

function inputSchema(): Json {
  return z.toJSONSchema(chartValues, { io: 'input' }) as Json;
}

function print(schema: Json, values: Json, depth: number): string {
  const pad = '  '.repeat(depth);
  return Object.entries(propertiesOf(schema))
    .map(([name, inner]) => {
      const said = wrap(String(inner['description']), 110 - pad.length).map((line) => `${pad}# ${line}\n`);
      const value = values[name];
      const body = isGroup(inner)
        ? `${pad}${name}:\n${print(inner, value as Json, depth + 1)}`
        : stringify({ [name]: value }, { lineWidth: 0, version: '1.1' })
            .replaceAll(/^/gm, pad)
            .trimEnd();
      return `${depth === 0 ? '\n' : ''}${said.join('')}${body.trimEnd()}\n`;
    })
    .join('');
}

/** valuesTable is the table of the documentation: path, default, meaning. */
export function valuesTable(): string {
  const rows = listValues(inputSchema(), chartDefaults(), '').map(
    ({ path, standard, description }) =>
      `| \`${path}\` | \`${JSON.stringify(standard).replaceAll('|', '\\|')}\` | ${description.replaceAll('|', '\\|')} |`,
  );
  return `| Value | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** ChartValue is one value, by its path from the top. */
export interface ChartValue {
  readonly path: string;
  readonly standard: unknown;
  readonly description: string;
}

/** chartPaths lists every value of the chart. */
export function chartPaths(): readonly ChartValue[] {
  return listValues(inputSchema(), chartDefaults(), '');
}

function listValues(schema: Json, values: Json, before: string): ChartValue[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => {
    const path = `${before}${name}`;
    if (isGroup(inner)) return listValues(inner, values[name] as Json, `${path}.`);
    return [{ path, standard: values[name], description: String(inner['description']) }];
  });
}

function propertiesOf(schema: Json): Readonly<Record<string, Json>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
}

/** An object whose keys the chart knows; `resources` is one value, as people write it. */
function isGroup(schema: Json): boolean {
  return (
    'properties' in schema && !('default' in schema && Object.keys(schema['default'] as Json).length > 0)
  );
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
