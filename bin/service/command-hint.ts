/** What the API names by its paths, and the command that does the same. */
const COMMANDS: readonly (readonly [path: RegExp, command: string])[] = [
  [/GET \/api\/v1\/policies\/([^/ ]+)\/revisions/, '`ipo policy revisions $1`'],
  [/GET \/api\/v1\/policies\b/, '`ipo policy list`'],
  [/GET \/api\/v1\/runtime\/policies\b/, '`ipo runtime policy list`'],
  [/GET \/api\/v1\/evidence\b/, '`ipo evidence list`'],
  [/GET \/api\/v1\/declarations\b/, '`ipo evidence declarations`'],
  [/GET \/api\/v1\/runtime\/rules\b/, '`ipo runtime rule list`'],
  [/GET \/api\/v1\/channels\b/, '`ipo channel list`'],
  [/GET \/api\/v1\/images\/\{digest\}/, '`ipo images show IMAGE`'],
  [/GET \/api\/v1\/tracking\?returned=true/, '`ipo tracking list --returned`'],
];

/** commandHint says a hint of the API in commands: who calls `ipo` writes no HTTP. Null for one that no command serves. */
export function commandHint(hint: string): string | null {
  const said = COMMANDS.reduce((text, [path, command]) => text.replace(path, command), hint);
  return /\b(?:GET|POST|PUT|PATCH|DELETE) \/api\//.test(said) ? null : said;
}
