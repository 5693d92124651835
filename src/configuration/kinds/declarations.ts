import { formatTime, parseTime, sha256Hex, type Clock } from '../../base/index.ts';
import { MAX_STATEMENT, type Declaration, type Declarations } from '../../evidence/index.ts';
import { API_VERSION, sorted, specOf } from '../bundle.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { planEach } from '../each.ts';
import type { Json, Kind, Planned } from '../kind.ts';

const KIND = 'Declaration';

/** Declared is what a document declares. */
interface Declared {
  readonly statement: string;
  /** UTC milliseconds. */
  readonly until: number | null;
}

/**
 * declarationKind brings declarations into a configuration: those that are valid now. A declaration has no name of its own and never
 * changes; what it says and until when is what it is known by.
 */
export function declarationKind(declarations: Declarations, clock: Clock): Kind {
  const valid = async (): Promise<readonly Declaration[]> => {
    const now = clock.now();
    return (await declarations.list()).filter(({ validUntil }) => validUntil === null || validUntil > now);
  };
  return {
    kind: KIND,
    place: 'database',
    async list() {
      const documents = (await valid()).map(({ statement, validUntil: until }) =>
        toBundled({ statement, until }),
      );
      const texts = new Map(documents.map((document) => [JSON.stringify(document), document]));
      return {
        documents: [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, document]) => document),
        left: [],
      };
    },
    async plan(bundled, prune) {
      const standing = await valid();
      const wanted: Declared[] = [];
      const planned = await planEach(
        bundled,
        ({ name, document }): Planned => {
          const declared = readDeclared(document);
          wanted.push(declared);
          const known = standing.some((one) => isSame(one, declared));
          const after = toBundled(declared);
          if (declared.until !== null && declared.until <= clock.now())
            return {
              name,
              change: 'unchanged',
              before: after,
              after,
              notes: ['it has ended, and is left out'],
            };
          if (known) return { name, change: 'unchanged', before: after, after, notes: [] };
          return {
            name,
            change: 'create',
            before: null,
            after,
            notes: [],
            apply: creating(declarations, declared),
          };
        },
        () => null,
      );
      if ('faults' in planned || !prune) return planned;
      const gone = standing.filter((one) => !wanted.some((declared) => isSame(one, declared)));
      return [...planned, ...gone.map((one) => planEnd(one, declarations))];
    },
  };
}

function creating(declarations: Declarations, { statement, until }: Declared): NonNullable<Planned['apply']> {
  return async (by) => {
    const { id } = await declarations.declare(statement, until, by);
    const detail = { statement, valid_until: until === null ? null : formatTime(until) };
    return { action: 'declaration_create', target: id, detail };
  };
}

function planEnd({ id, statement, validUntil: until }: Declaration, declarations: Declarations): Planned {
  return {
    name: nameOf(statement),
    change: 'delete',
    before: toBundled({ statement, until }),
    after: null,
    notes: ['it ends now; packages of earlier periods still contain it'],
    async apply() {
      await declarations.withdraw(id);
      return { action: 'declaration_withdraw', target: id, detail: {} };
    },
  };
}

function readDeclared(document: Json): Declared {
  const { statement, validUntil = null, ...more } = specOf(document);
  const [unknown] = Object.keys(more);
  const read = typeof validUntil === 'string' ? parseTime(validUntil) : Number.NaN;
  const until = validUntil === null ? null : read;
  const fault = (path: string, message: string) =>
    new ConfigurationError('invalid_request', message, { fields: [{ path, message }] });
  if (unknown !== undefined) throw fault(`spec.${unknown.slice(0, 80)}`, 'is an unknown field');
  if (typeof statement !== 'string' || statement.trim() === '' || statement.length > MAX_STATEMENT)
    throw fault('spec.statement', `must be a text of at most ${MAX_STATEMENT} characters`);
  if (until !== null && Number.isNaN(until)) throw fault('spec.validUntil', 'must be a time in RFC 3339');
  return { statement: statement.trim(), until: until === null ? null : Math.floor(until) };
}

function isSame({ statement, validUntil }: Declaration, declared: Declared): boolean {
  return statement === declared.statement && validUntil === declared.until;
}

function nameOf(statement: string): string {
  return sha256Hex(statement).slice(0, 16);
}

function toBundled({ statement, until }: Declared): Json {
  const spec = { statement, ...(until !== null && { validUntil: formatTime(until) }) };
  return sorted({ apiVersion: API_VERSION, kind: KIND, metadata: { name: nameOf(statement) }, spec });
}
