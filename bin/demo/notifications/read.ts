import type { Inbox } from '../../../fakes/index.ts';

type Taken = Inbox['taken'][number];

/** readTaken gives what a channel was sent as lines for people: what a reader of that kind of channel sees. */
export function readTaken({ path, headers, body }: Taken): readonly string[] {
  if (path.includes('mail')) return mailLines(body);
  if (path.includes('slack')) return slackLines(JSON.parse(body) as Slack);
  if (path.includes('teams')) return teamsLines(JSON.parse(body) as Teams);
  const signature = String(headers['webhook-signature'] ?? '').slice(0, 24);
  const named = [`webhook-id: ${String(headers['webhook-id'])}`, `webhook-signature: ${signature}…`];
  return [...named, ...JSON.stringify(JSON.parse(body), null, 2).split('\n')];
}

interface Slack {
  readonly blocks: readonly {
    readonly text?: { readonly text: string };
    readonly elements?: readonly { readonly text: string }[];
  }[];
}

function slackLines({ blocks }: Slack): readonly string[] {
  return blocks
    .flatMap(({ text, elements = [] }) => [...(text === undefined ? [] : [text]), ...elements])
    .flatMap(({ text }) => unescaped(text).split('\n'));
}

/** Slack shows three signs that it wants escaped. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

interface Teams {
  readonly attachments: readonly {
    readonly content: {
      readonly body: readonly { readonly inlines?: readonly { readonly text: string }[] }[];
    };
  }[];
}

function teamsLines({ attachments }: Teams): readonly string[] {
  const body = attachments[0]?.content.body ?? [];
  return body.map(({ inlines = [] }) => inlines.map(({ text }) => text).join(''));
}

/** The subject of a mail, and its part in plain text. */
function mailLines(raw: string): readonly string[] {
  const [head = ''] = raw.split('\r\n\r\n');
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(head)?.[1]?.replaceAll(/\r\n[ \t]/g, ' ') ?? '';
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? '';
  const part = raw.split(`--${boundary}`).find((one) => /^Content-Type: text\/plain/im.test(one)) ?? raw;
  const [fields = '', ...text] = part.split('\r\n\r\n');
  const written = text.join('\r\n\r\n');
  const encoded = /^Content-Transfer-Encoding: (\S+)/im.exec(fields)?.[1]?.toLowerCase();
  let plain = written;
  if (encoded === 'quoted-printable') plain = quotedPrintable(written);
  if (encoded === 'base64') plain = Buffer.from(written, 'base64').toString('utf8');
  return [`Subject: ${subject}`, ...plain.trimEnd().split(/\r?\n/)];
}

function quotedPrintable(text: string): string {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
