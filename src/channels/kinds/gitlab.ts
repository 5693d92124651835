import { FILED } from '../events.ts';
import {
  allowedTargets,
  apiAddress,
  credential,
  labels,
  number,
  plainLabel,
  STEP,
  trackerFields,
} from '../fields.ts';
import type { Routed, Tracker, TrackerSettings } from '../kind.ts';
import { isName, withoutPage } from '../steps.ts';

/** GitlabSettings are those of GitLab. */
export interface GitlabSettings extends TrackerSettings, Routed {
  /** Whole path with its groups, or the number of the project as text. */
  readonly defaultProject: string;
}

const PROJECT = new RegExp(`^(?:[1-9]\\d{0,17}|${STEP}(?:/${STEP})+)$`);
/** GitLab nests groups twenty deep. */
const MAX_STEPS = 21;

function addressFault(_host: string, path: string): string | null {
  return path.endsWith('/api/v4') ? null : 'must end with /api/v4, as in https://gitlab.com/api/v4';
}

export const gitlab: Tracker<'gitlab', GitlabSettings, 'token'> = {
  kind: 'gitlab',
  events: FILED,
  fields: (rules) => ({
    apiBaseUrl: apiAddress(addressFault, rules),
    token: credential,
    defaultProject: number('project as its whole path or its number', PROJECT),
    labels: labels(plainLabel(255, /,/, 'a comma')),
    ...trackerFields,
    allowedTargets,
  }),
  target: ({ defaultProject }) => defaultProject,
  credentials: ['token'],
  credential: () => 'token',
  addressFault,
  webHost: ({ apiBaseUrl }) => new URL(apiBaseUrl).host,
  textForm: () => 'gitlab',
  findsBy: 'list',
  routing: {
    /** GitLab nests groups, so the target is the whole path, up to `/-/`, behind which the pages of a project lie. */
    toTarget(steps) {
      const path = withoutPage(steps);
      const name = path.at(-1)?.replace(/\.git$/i, '') ?? '';
      const groups = path.slice(0, -1);
      if (groups.length === 0 || path.length > MAX_STEPS || !isName(name)) return null;
      return groups.every((group) => isName(group)) ? [...groups, name].join('/') : null;
    },
    nested: true,
    publicHost: 'gitlab.com',
  },
  setup: {
    name: 'GitLab',
    standardUrl: 'https://gitlab.com/api/v4',
    example: { apiBaseUrl: 'https://gitlab.com/api/v4', defaultProject: 'group/project' },
    target: {
      option: 'project',
      field: 'defaultProject',
      text: 'Project for issues that no label of an image routes (its whole path, or its number)',
    },
    options: ['project', 'allowedTarget'],
    credentials: { token: 'Project access token with the scope api and the role Reporter (not shown)' },
    looks: [
      { form: /^glpat-/, name: 'an access token of GitLab', usable: true },
      {
        form: /^(gldt|glrt|glptt|glcbt|glft|glsoat)-/,
        name: 'a token of GitLab that is not for its API',
        usable: false,
      },
    ],
    toApiUrl({ origin }, path) {
      const root = /^(.*?)\/api\/v4(\/.*)?$/.exec(path);
      return `${origin}${root === null ? '' : (root[1] ?? '')}/api/v4`;
    },
    toTarget: (_path, steps) =>
      withoutPage(steps)
        .join('/')
        .replace(/\.git$/, ''),
  },
};
