import type { Accounts, CookieRule } from '../../accounts/index.ts';
import type { Clock } from '../../base/index.ts';
import { problemSchema } from '../contract/problem.ts';
import { setupBody, setupCheckBody, signedInSchema } from '../contract/session.ts';
import { MAX_SIGN_IN_BODY } from '../limits.ts';
import { route, type Route } from '../route.ts';
import { signedInAnswer } from './session.ts';

/** SetupParts are what setting up acts through. */
export interface SetupParts {
  readonly accounts: Pick<Accounts, 'setup'>;
  readonly cookie: CookieRule;
  readonly clock: Clock;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const REFUSED = { ...PROBLEM, description: 'The code is wrong, was used or has ended' };
const LOCKED = { ...PROBLEM, description: 'Too many wrong codes from this address' };

/** setupRoutes make the first administrator. */
export function setupRoutes({ accounts: { setup }, cookie, clock }: SetupParts): Route[] {
  return [
    route({
      key: 'POST /setup',
      id: 'setUp',
      tag: 'session',
      summary: 'Make the first administrator, with the code from the log of the service',
      description: 'The answer is a session of the new administrator.',
      body: setupBody,
      maxBody: MAX_SIGN_IN_BODY,
      answers: {
        201: { description: 'The first administrator, signed in', schema: signedInSchema },
        401: REFUSED,
        409: { ...PROBLEM, description: 'There is an administrator already, or the address has an account' },
        429: LOCKED,
      },
      handle: async ({ body, address, path }) => {
        const signedIn = await setup.complete({ ...body, name: body.name ?? null, address, path });
        return signedInAnswer(signedIn, cookie, clock.now(), 201);
      },
    }),
    route({
      key: 'POST /setup/check',
      id: 'checkSetupCode',
      tag: 'session',
      summary: 'Check a setup code without using it up',
      description:
        'For programs that ask for more than the code. Wrong codes count as those of `POST /setup` do.',
      body: setupCheckBody,
      maxBody: MAX_SIGN_IN_BODY,
      answers: {
        204: { description: 'The code sets up the service' },
        401: REFUSED,
        409: { ...PROBLEM, description: 'There is an administrator already' },
        429: LOCKED,
      },
      handle: async ({ body, address }) => {
        await setup.check({ ...body, address });
        return { status: 204 };
      },
    }),
  ];
}
