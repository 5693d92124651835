/** What the API names by its paths, and the command that does the same. Each is matched with a whole path: one that goes on is another. */
const COMMANDS: readonly (readonly [path: RegExp, command: string])[] = [
  [/^GET \/api\/v1\/policies\/([^/]+)\/revisions$/, '`ipo policy revisions $1`'],
  [/^GET \/api\/v1\/policies\/whatif\/runs$/, '`ipo whatif list`'],
  [/^GET \/api\/v1\/policies$/, '`ipo policy list`'],
  [/^GET \/api\/v1\/runtime\/policies$/, '`ipo runtime policy list`'],
  [/^GET \/api\/v1\/evidence$/, '`ipo evidence list`'],
  [/^GET \/api\/v1\/declarations$/, '`ipo evidence declarations`'],
  [/^GET \/api\/v1\/runtime\/rules$/, '`ipo runtime rule list`'],
  [/^GET \/api\/v1\/channels$/, '`ipo channel list`'],
  [/^GET \/api\/v1\/images\/\{digest\}$/, '`ipo images show IMAGE`'],
  [/^GET \/api\/v1\/images\/(sha256:[a-f0-9]+)$/, '`ipo images show $1`'],
  [/^GET \/api\/v1\/tracking\?returned=true$/, '`ipo tracking list --returned`'],
  [/^GET \/api\/v1\/system\/health$/, '`ipo doctor`'],
];
/** A command reads the ETag itself. */
const ETAG = /and send (?:its|the) new ETag as If-Match/g;
const PATH = /\b(?:GET|POST|PUT|PATCH|DELETE) \/api\/[^\s;,)]+/g;

/** commandHint says a hint of the API in commands: who calls `ipo` writes no HTTP. Null for one that no command serves. */
export function commandHint(hint: string): string | null {
  let isServed = true;
  const said = hint.replace(ETAG, 'and run the command again').replace(PATH, (path) => {
    const found = COMMANDS.find(([known]) => known.test(path));
    if (found !== undefined) return path.replace(found[0], found[1]);
    isServed = false;
    return path;
  });
  return isServed ? said : null;
}
