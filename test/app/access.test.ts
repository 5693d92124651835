import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCESS, ROLES, type Access, type RouteKey } from '../../src/accounts/index.ts';
import { openApiDocument } from '../../src/api/index.ts';
import { serviceRoutes } from '../../src/app/service/routes.ts';
import { startRunning, type Somebody } from './running.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-role': Access;
  readonly security: readonly unknown[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Routes are made without being called, so nothing of a service is needed for their description. */
const nothing = new Proxy({}, { get: () => nothing }) as never;

const EVERYBODY: readonly Somebody[] = ['anonymous', 'viewer', 'deployer', 'administrator', 'disabled'];

/** What the table says of a call: refused with 401 or 403, or let through to its own checks. */
function expected(access: Access, somebody: Somebody): 401 | 403 | 'through' {
  if (access === 'anonymous') return 'through';
  if (somebody === 'anonymous' || somebody === 'disabled') return 401;
  return ROLES.indexOf(somebody) >= ROLES.indexOf(access) ? 'through' : 403;
}

test('the service has a route for every entry of the table of access, and no other', () => {
  const { paths } = openApiDocument(serviceRoutes(nothing, '0'), '0') as unknown as Document;
  const keys = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(keys.toSorted(), Object.keys(ACCESS).toSorted());
});

test('every route × everybody is answered as the table says', async (t) => {
  const { url, secretOf, signIn } = await startRunning(t);
  const { paths } = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as Document;
  let cells = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const key = `${method.toUpperCase()} ${path}` as RouteKey;
      assert.equal(operation['x-role'], ACCESS[key], key);
      assert.equal(operation.security.length === 0, ACCESS[key] === 'anonymous', key);
      for (const somebody of EVERYBODY) {
        const secret = secretOf(somebody);
        const answer = await fetch(`${url}/api/v1${path.replaceAll(/\{[a-z_]+\}/g, 'nothing')}`, {
          method: method.toUpperCase(),
          redirect: 'manual',
          headers: {
            ...(secret !== null && { authorization: `Bearer ${secret}` }),
            ...(method !== 'get' && { 'content-type': 'application/json' }),
          },
          ...(method !== 'get' && { body: '{"wrong":true}' }),
        });
        const text = await answer.text();
        const what = `${somebody}: ${key} was answered with ${answer.status} ${text}`;
        const wanted = expected(ACCESS[key], somebody);
        if (wanted === 'through') {
          assert.ok(![401, 403, 500].includes(answer.status), what);
          assert.doesNotMatch(text, /there is nothing at/, what);
        } else assert.equal(answer.status, wanted, what);
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', what);
        assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/, what);
        // Whoever may sign out has done so now.
        if (key === 'DELETE /session' && wanted === 'through') await signIn(somebody as 'viewer');
        cells += 1;
      }
    }
  }
  assert.ok(cells >= EVERYBODY.length * 10);
});
