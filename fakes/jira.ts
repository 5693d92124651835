import { JiraAccess, type JiraForm } from './jira-access.ts';
import type { JiraAddresses } from './jira-bodies.ts';
import { JiraPlace } from './jira-place.ts';
import { JiraProjects } from './jira-projects.ts';
import { JiraReads } from './jira-reads.ts';
import { JiraWrites } from './jira-writes.ts';
import type { Spent } from './limits.ts';
import type { Provider } from './provider.ts';
import type { FakeToken } from './tokens.ts';
import type { Route, WireReply, WireRequest } from './wire.ts';
import type { World } from './world.ts';

/** JiraOptions are what a fake Jira is made from. */
export interface JiraOptions {
  readonly world: World;
  readonly tokens: readonly FakeToken[];
  readonly addresses: JiraAddresses;
  readonly form: JiraForm;
  /** base is the path before `/rest`: that of the gateway, or a context path. */
  readonly base: string;
  readonly cloudId: string;
}

/** JiraProvider plays Jira in one of its three forms. */
export class JiraProvider implements Provider {
  readonly base: string;
  readonly routes: readonly Route[];
  readonly #access: JiraAccess;

  constructor({ world, tokens, addresses, form, base, cloudId }: JiraOptions) {
    const place = new JiraPlace(world, addresses);
    this.base = base;
    this.#access = new JiraAccess(place, tokens, form);
    const tenant: Route = {
      act: 'tenant',
      method: 'GET',
      path: /^\/_edge\/tenant_info$/,
      open: true,
      answer: () => ({ status: 200, body: { cloudId } }),
    };
    this.routes = [
      ...(form === 'site' ? [tenant] : []),
      ...new JiraProjects(place).routes(),
      ...new JiraReads(place).routes(),
      ...new JiraWrites(place).routes(),
    ];
  }

  enter(request: WireRequest, violation: (text: string) => void): WireReply | null {
    return this.#access.enter(request, violation);
  }

  who(request: WireRequest): FakeToken | WireReply {
    return this.#access.who(request);
  }

  headers(token: FakeToken | null, spent: Spent | null): Readonly<Record<string, string>> {
    return this.#access.headers(token, spent);
  }

  fail(status: 400 | 404 | 415 | 500, text?: string): WireReply {
    return this.#access.fail(status, text);
  }

  limited(over: 'primary' | 'secondary', retryAfter: string | null): WireReply {
    return this.#access.limited(over, retryAfter);
  }
}
