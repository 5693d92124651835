import type { Access, FakeProject, FakeUser, FakeKind } from './state.ts';

/** TokenForm is what kind of credential it is; Jira's two cloud tokens look alike and work on different addresses. */
export type TokenForm = 'fine_grained' | 'project' | 'classic' | 'scoped' | 'pat';

/** FakeToken is a credential of the fake. `email` goes with it where the tracker has Basic authentication. */
export interface FakeToken {
  readonly name: TokenName;
  readonly secret: string;
  readonly user: FakeUser;
  readonly form: TokenForm;
  /** access by path of the project, `*` for all others; a test may change it, as people do. */
  readonly access: Record<string, Access>;
  readonly scopes: readonly string[];
  state: 'active' | 'expired' | 'revoked';
}

/** TokenName is what a token of a fake is good for. */
export type TokenName = (typeof TOKEN_NAMES)[number];

/**
 * TOKEN_NAMES: `good` may all; `reporter` may open and comment, but its labels are dropped and it closes nothing of
 * others; `reader` may only read; `stranger` sees no project; `other_form` is good, but for the other address of Jira
 * (elsewhere it is as good as `good`); `expired` is refused; `human` belongs to a person.
 */
const TOKEN_NAMES = ['good', 'reporter', 'reader', 'stranger', 'other_form', 'expired', 'human'] as const;

const FORMS: Readonly<Record<FakeKind, readonly [TokenForm, TokenForm]>> = {
  github: ['fine_grained', 'classic'],
  'github-enterprise': ['fine_grained', 'classic'],
  gitlab: ['project', 'project'],
  'jira-cloud': ['classic', 'scoped'],
  'jira-gateway': ['scoped', 'classic'],
  'jira-datacenter': ['pat', 'pat'],
};

const PREFIX: Readonly<Record<TokenForm, string>> = {
  fine_grained: 'github_pat_fake',
  project: 'glpat-fake',
  classic: 'ATATTfake',
  scoped: 'ATATTfake',
  pat: 'NDfake',
};

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  gitlab: ['api'],
  gitlabReader: ['read_api'],
  jira: ['read:jira-work', 'write:jira-work', 'read:jira-user'],
  jiraReader: ['read:jira-work', 'read:jira-user'],
};

/** makeTokens makes the credentials of a fake, by what each is good for. */
export function makeTokens(
  kind: FakeKind,
  bot: FakeUser,
  human: FakeUser,
): Readonly<Record<TokenName, FakeToken>> {
  const [own, other] = FORMS[kind];
  const make = (name: TokenName, access: Access): FakeToken => {
    const form = name === 'other_form' ? other : own;
    const family = (['gitlab', 'jira'] as const).find((one) => kind.startsWith(one)) ?? 'github';
    const prefix = form === 'classic' && family === 'github' ? 'ghp_fake' : PREFIX[form];
    const scopes = SCOPES[access === 'read' ? `${family}Reader` : family] ?? [];
    const secret = `${prefix}-${kind}-${name}-0123456789`;
    const state = name === 'expired' ? 'expired' : 'active';
    return {
      name,
      secret,
      user: name === 'human' ? human : bot,
      form,
      access: { '*': access },
      scopes,
      state,
    };
  };
  return {
    good: make('good', 'write'),
    reporter: make('reporter', 'report'),
    reader: make('reader', 'read'),
    stranger: make('stranger', 'none'),
    other_form: make('other_form', 'write'),
    expired: make('expired', 'write'),
    human: make('human', 'write'),
  };
}

/** accessTo is what a token may do in a project. A public project can be read, and reported to, by anybody. */
export function accessTo(token: FakeToken, project: FakeProject): Access {
  const given = token.access[project.path] ?? token.access['*'] ?? 'none';
  return given === 'none' && !project.private ? 'read' : given;
}

/** findToken finds an active or expired token by its secret, or by `email:secret` where Basic is used. */
export function findToken(
  tokens: readonly FakeToken[],
  secret: string,
  email?: string,
): FakeToken | undefined {
  return tokens.find(
    (token) => token.secret === secret && (email === undefined || token.user.email === email),
  );
}
