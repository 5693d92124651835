import { z } from 'zod';

type Json = Record<string, unknown>;

/** Field is one parameter of a request. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: unknown;
  readonly description?: string;
}

/**
 * Schemas turns zod schemas into those of JSON, and collects what they share under `components`. A schema that is named
 * (`.meta({ id })`) stands there once; where asking and answering differ, the asking form is called `<Name>Input`.
 */
export class Schemas {
  readonly #named = new Map<string, Json>();

  /** The JSON schema of a body; `owner` names what cannot name itself. */
  of(schema: z.ZodType, io: 'input' | 'output', owner: string): Json {
    const {
      $schema: _dialect,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      reused: 'inline',
      cycles: 'ref',
    }) as Json;
    const names = new Map<string, string>();
    const definitions = ($defs ?? {}) as Record<string, Json>;
    for (const name of Object.keys(definitions)) {
      names.set(name, name.startsWith('__') ? `${capital(owner)}${name.replace(/^_+/, capital)}` : name);
    }
    if (typeof rest['id'] === 'string' && rest['$ref'] === undefined) {
      const { id, ...named } = rest;
      return this.#share(id as string, rewritten(named, names), io);
    }
    for (const [name, { id: _id, ...definition }] of Object.entries(definitions)) {
      const shared = this.#share(names.get(name) ?? name, rewritten(definition, names), io);
      names.set(name, String(shared['$ref']).slice('#/components/schemas/'.length));
    }
    return rewritten(rest, names) as Json;
  }

  /** The fields of an object's schema, as parameters of a request. */
  fieldsOf(schema: z.ZodType | undefined, owner: string): readonly Field[] {
    if (schema === undefined) return [];
    // What comes out is of the type that is meant; as parameters come in, each is a text.
    const { properties, required } = this.of(schema, 'output', owner);
    const { required: needed } = this.of(schema, 'input', owner);
    const must = new Set([(needed ?? required ?? []) as string[]].flat());
    return Object.entries((properties ?? {}) as Record<string, Json>).map(
      ([name, { description, ...rest }]) => ({
        name,
        required: must.has(name),
        ...(typeof description === 'string' && { description }),
        schema: rest,
      }),
    );
  }

  /** Every shared schema, by name. */
  all(): Json {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #share(name: string, schema: unknown, io: 'input' | 'output'): Json {
    const there = this.#named.get(name);
    const same = there === undefined || JSON.stringify(there) === JSON.stringify(schema);
    const taken = same ? name : `${name}${io === 'input' ? 'Input' : 'Output'}`;
    this.#named.set(taken, schema as Json);
    return { $ref: `#/components/schemas/${taken}` };
  }
}

function rewritten(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== '$ref' || typeof inner !== 'string') return [key, rewritten(inner, names)];
      const name = inner.replace(/^#\/\$defs\//, '');
      return [key, `#/components/schemas/${names.get(name) ?? name}`];
    }),
  );
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
