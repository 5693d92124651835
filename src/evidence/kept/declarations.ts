import { formatTime, IpoError, randomLetters, type Clock } from '../../base/index.ts';
import type { Declaration } from '../ports.ts';

/** MAX_STATEMENT is how many characters a declaration may have. */
export const MAX_STATEMENT = 2000;
/** MAX_DECLARATIONS is how many are kept. */
const MAX_DECLARATIONS = 1000;

/** DeclarationStore keeps what the organisation says of itself. */
export interface DeclarationStore {
  /** In the order in which they were made. */
  list(): Promise<readonly Declaration[]>;
  /** Adds one, unless so many are there; tells whether it did. */
  add(declaration: Declaration, most: number): Promise<boolean>;
  /** Ends one; false where none of this id was valid at that time. */
  end(id: string, at: number): Promise<boolean>;
}

/** Declarations are what the organisation says of itself. */
export interface Declarations {
  list(): Promise<readonly Declaration[]>;
  /** Throws `invalid_request` for an end that is not in the future, `conflict` where too many are kept. */
  declare(statement: string, validUntil: number | null, by: string): Promise<Declaration>;
  /** Ends one now; it stays in packages of the time before. Throws `not_found`, `conflict`. */
  withdraw(id: string): Promise<Declaration>;
}

/** openDeclarations joins them to where they are kept. */
export function openDeclarations(store: DeclarationStore, clock: Clock): Declarations {
  const find = async (id: string): Promise<Declaration> => {
    const found = (await store.list()).find((one) => one.id === id);
    if (found !== undefined) return found;
    throw new IpoError('not_found', `no declaration has the ID ${id}`, {
      hint: 'GET /api/v1/declarations lists them',
    });
  };
  return {
    list: () => store.list(),
    async declare(statement, validUntil, declaredBy) {
      const declaredAt = clock.now();
      if (validUntil !== null && validUntil <= declaredAt)
        throw new IpoError(
          'invalid_request',
          `the declaration would end at ${formatTime(validUntil)}, and it is ${formatTime(declaredAt)}`,
          { hint: 'Give an end that is in the future, or none' },
        );
      const declaration = { id: randomLetters(16), statement, declaredBy, declaredAt, validUntil };
      if (await store.add(declaration, MAX_DECLARATIONS)) return declaration;
      throw new IpoError('conflict', `${MAX_DECLARATIONS} declarations are kept already`, {
        hint: 'Say several things in one declaration',
      });
    },
    async withdraw(id) {
      const now = clock.now();
      const found = await find(id);
      if (await store.end(id, now)) return { ...found, validUntil: now };
      throw new IpoError('conflict', `the declaration ${id} ended at ${formatTime(found.validUntil ?? now)}`);
    },
  };
}

/** validIn gives the declarations that were valid at some time of a period. */
export function validIn(
  declarations: readonly Declaration[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly Declaration[] {
  return declarations.filter(
    ({ declaredAt, validUntil }) => declaredAt <= to && (validUntil === null || validUntil >= from),
  );
}
