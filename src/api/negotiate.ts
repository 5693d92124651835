import { IpoError } from '../base/index.ts';
import type { Route } from './route.ts';

/** producedBy lists the media types that a route's successful answers may have. */
export function producedBy({ answers }: Pick<Route, 'answers'>): readonly string[] {
  const types = Object.entries(answers)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, { type, otherTypes = [] }]) => [type ?? 'application/json', ...otherTypes]);
  return [...new Set(types.map((type) => type.split(';')[0] ?? type))];
}

/**
 * holdAccept holds that a client takes what a route produces. Throws an error with status 406; an Accept that cannot be
 * read takes everything, as its absence does.
 */
export function holdAccept(accept: string | undefined, produced: readonly string[]): void {
  // A route that only sends elsewhere produces nothing that could be refused.
  if (accept === undefined || accept.length > 4096 || produced.length === 0) return;
  const wanted = accept
    .split(',')
    .map((range) => range.trim().toLowerCase().split(/ *; */))
    .filter(
      ([range, ...parameters]) => range !== '' && !parameters.some((one) => /^q=0(\.0{1,3})?$/.test(one)),
    )
    .map(([range = '']) => range);
  if (wanted.length === 0 || wanted.some((range) => !/^[^/ ]+\/[^/ ]+$/.test(range))) return;
  const taken = produced.some((type) =>
    wanted.some(
      (range) => range === '*/*' || range === type || range === `${type.slice(0, type.indexOf('/'))}/*`,
    ),
  );
  if (!taken) throw new NotAcceptable(produced);
}

/** NotAcceptable says that a client takes no type that the route produces. */
export class NotAcceptable extends IpoError {
  override readonly name = 'NotAcceptable';
  constructor(produced: readonly string[]) {
    super('invalid_request', `this call answers with ${produced.join(' or ')}, which Accept leaves out`, {
      hint: `Send \`Accept: ${produced[0] ?? '*/*'}\``,
    });
  }
}
