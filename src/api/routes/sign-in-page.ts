import { shownName, type Account, type IssuedCode } from '../../accounts/index.ts';
import { html } from '../../render/index.ts';

/** signedInPage is what a browser shows after the identity provider: that it is done, or the code for the command line. */
export function signedInPage(account: Account, code: IssuedCode | null): string {
  const said =
    code === null
      ? html`<p>This browser is signed in. You may close this page.</p>`
      : html`<p>Enter this code where you called <code>ipo login --oidc</code>:</p>
          <p>
            <strong><code>${code.code}</code></strong>
          </p>
          <p>
            It works once, for five minutes. If you did not call <code>ipo login --oidc</code> yourself, close
            this page and give the code to nobody: anyone who has it can act in your name.
          </p>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Signed in</title>
      </head>
      <body>
        <h1>Signed in as ${shownName(account)}</h1>
        ${said}
      </body>
    </html>`.markup;
}
