import { html, trustedHtml, type Html } from './html.ts';
import { PAGE_STYLE } from './page-style.ts';

/** Nothing is loaded and nothing runs; only the style of the page is allowed. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Page is a document in one file. */
export interface Page {
  readonly title: string;
  readonly body: Html;
}

/**
 * toPage writes a self-contained page: no script, no request, its style inside, light and dark, for screen and paper. The policy in its
 * head forbids everything but that style, whatever its text holds.
 */
export function toPage({ title, body }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>
          ${trustedHtml(PAGE_STYLE)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return `${page.markup.trimEnd()}\n`;
}
