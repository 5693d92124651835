import type { Fake, FakeIssue } from '../../../fakes/index.ts';

/** IssueChange is what happened to an issue since it was looked at last, as the tracker has it. */
export interface IssueChange {
  readonly what: 'opened' | 'commented' | 'closed';
  readonly name: string;
  readonly title: string;
  /** The text of the newest comment; of an opened issue its own. */
  readonly text: string;
}

/** IssueWatch tells what happened to the issues of a fake from one look to the next. */
export class IssueWatch {
  readonly #fake: Fake;
  readonly #seen = new Map<number, { readonly state: string; readonly comments: number }>();

  constructor(fake: Fake) {
    this.#fake = fake;
  }

  changes(): IssueChange[] {
    return this.#fake.state.issues.flatMap((issue): IssueChange[] => {
      const { id, state, title, body } = issue;
      const comments = issue.comments.filter(({ system }) => !system);
      const before = this.#seen.get(id);
      this.#seen.set(id, { state, comments: comments.length });
      const name = this.#nameOf(issue);
      if (before === undefined) return [{ what: 'opened', name, title, text: textOf(body) }];
      const said = comments.slice(before.comments).at(-1);
      if (said === undefined && before.state === state) return [];
      const what = before.state === state ? 'commented' : 'closed';
      return [{ what, name, title, text: textOf(said?.body ?? '') }];
    });
  }

  #nameOf({ project, number }: FakeIssue): string {
    return this.#fake.kind.startsWith('jira') ? `${project.path}-${number}` : `${project.path}#${number}`;
  }
}

/** textOf is a text as people see it, whatever the tracker keeps: Markdown, wiki text, or a document of Jira. */
export function textOf(body: unknown): string {
  if (typeof body === 'string')
    return body
      .replaceAll(/<!--.*?-->/gs, '')
      .replaceAll(/^(?:#+ |h\d\. )/gm, '')
      .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .replaceAll(/\[([^|\]]+)\|[^\]]+\]/g, '$1')
      .replaceAll(/\{\{(.*?)\}\}/g, '$1')
      .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
      .replaceAll('`', '')
      .trim();
  return blockText(body).trim();
}

interface Node {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly content?: readonly unknown[];
}

const LINES = new Set(['paragraph', 'heading', 'codeBlock']);

function blockText(node: unknown): string {
  if (typeof node !== 'object' || node === null) return '';
  const { type, text, content = [] } = node as Node;
  if (typeof text === 'string') return text;
  if (type === 'tableRow') return `| ${content.map((cell) => blockText(cell).trim()).join(' | ')} |\n`;
  const inside = content.map(blockText).join('');
  if (type === 'listItem') return `- ${inside}`;
  return LINES.has(String(type)) ? `${inside}\n` : inside;
}
