import { KEY } from './policy-text.ts';

/** Mistake is a policy with one thing wrong: where that stands, and what a finding must say for its reader to know the fix. */
export interface Mistake {
  readonly class: string;
  readonly name: string;
  readonly text: string;
  /** From 1. */
  readonly line: number;
  readonly fix: RegExp;
}

const key = (indent: string): string => KEY.trimEnd().replaceAll(/^/gm, indent);

/** SOUND is the policy that the mistakes are made in; nothing is found in it. */
export const SOUND = `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata:
  name: shop
  labels:
    team: web
spec:
  targetNamespaces:
    - shop
    - cart
  enforcement: Enforce
  severityThreshold: HIGH
  ignoreUnfixed: true
  admissionTiming: DenyUntilScanned
  allowedRegistries:
    - registry.example.com/shop
    - ghcr.io/acme
  denyLatestTag: true
  digestEnforcement: ignore
  signature:
    required: true
    keys:
      - |
${key('        ')}
    identities:
      - identity: https://github.com/acme/web/.github/workflows/release.yaml@refs/heads/main
        issuer: https://token.actions.githubusercontent.com
  attestations:
    - predicateType: https://spdx.dev/Document
      keys:
        - |
${key('          ')}
  provenance:
    minLevel: 2
    trustedBuilders:
      - id: https://builder.example.com/v1
        level: 3
        signer: https://builder.example.com/sign
        issuer: https://accounts.example.com
  vex:
    mode: apply
    trustedIssuers:
      - identity: https://vex.example.com/maker
        issuer: https://accounts.example.com
  knownExploited: block
  endOfLifeOS: block
  deploymentContext:
    mode: Escalate
    signals: [privileged, root]
  workloadHardening: warn
  runtimeReconciliation: audit
  sla:
    critical: 24h
    high: 168h
    medium: 720h
    low: 2160h
    triage: 2160h
  breakGlass:
    allowed: true
    groups:
      - shop-oncall
`;

const lines = SOUND.split('\n');

function lineOf(start: string): number {
  const at = lines.findIndex((line) => line.trimStart().startsWith(start));
  if (at === -1) throw new Error(`no line begins with ${start}`);
  return at;
}

/** Puts lines in the place of the one that begins so (and of more below it); the mistake stands `off` lines below its place. */
function seed(
  kind: string,
  start: string,
  change: (line: string, blank: string) => string | readonly string[],
  fix: RegExp,
  { off = 0, taken = 1 }: { readonly off?: number; readonly taken?: number } = {},
): Mistake {
  const at = lineOf(start);
  const line = lines[at] ?? '';
  const put = change(line, line.slice(0, line.length - line.trimStart().length));
  const text = lines.toSpliced(at, taken, ...[put].flat()).join('\n');
  return { class: kind, name: [put].flat().join(' ⏎ ').trim(), text, line: at + 1 + off, fix };
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Fields with the line they stand on, written as a hand slips: a letter left out, doubled, two exchanged, another case. */
function typos(): Mistake[] {
  const fields = [
    ...['targetNamespaces', 'enforcement', 'severityThreshold', 'ignoreUnfixed', 'admissionTiming'],
    ...['allowedRegistries', 'denyLatestTag', 'digestEnforcement', 'predicateType', 'minLevel'],
    ...['trustedBuilders', 'trustedIssuers', 'knownExploited', 'endOfLifeOS', 'signals'],
    ...['workloadHardening', 'runtimeReconciliation', 'critical', 'groups', 'labels'],
  ];
  return fields.flatMap((field, i) => {
    const at = 2 + (i % (field.length - 3));
    const slips = [
      field.slice(0, at) + field.slice(at + 1),
      field.slice(0, at) + field.charAt(at) + field.slice(at),
      i % 2 === 0
        ? field.slice(0, at) + field.charAt(at + 1) + field.charAt(at) + field.slice(at + 2)
        : field.charAt(0).toUpperCase() + field.slice(1),
    ];
    const start = field === 'predicateType' ? `- ${field}` : field;
    return [...new Set(slips)]
      .filter((slip) => slip !== field)
      .map((slip) =>
        seed('typos', start, (line) => line.replace(field, slip), new RegExp(`Did you mean "${field}"`)),
      );
  });
}

function enums(): Mistake[] {
  const choices: readonly (readonly [string, readonly string[]])[] = [
    ['enforcement', ['Audit', 'Enforce']],
    ['severityThreshold', ['CRITICAL', 'HIGH', 'MEDIUM']],
    ['admissionTiming', ['AllowAndScan', 'DenyUntilScanned']],
    ['digestEnforcement', ['ignore', 'warn', 'require']],
    ['knownExploited', ['block', 'warn', 'ignore']],
    ['endOfLifeOS', ['block', 'warn', 'ignore']],
    ['workloadHardening', ['ignore', 'warn', 'block']],
    ['runtimeReconciliation', ['audit', 'enforce']],
  ];
  return choices.flatMap(([field, words]) => [
    ...words.flatMap((word) => {
      const other = word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase();
      const fix = new RegExp(`Did you mean "${word}"|allowed: .*${word}`);
      return [other, word.slice(0, -1)].map((wrong) =>
        seed('enums', `${field}:`, (_, blank) => `${blank}${field}: ${wrong}`, fix),
      );
    }),
    seed(
      'enums',
      `${field}:`,
      (_, blank) => `${blank}${field}: sometimes`,
      new RegExp(`allowed: .*${words[0]}`),
    ),
  ]);
}

function types(): Mistake[] {
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ...['ignoreUnfixed', 'denyLatestTag', 'required', 'allowed'].flatMap((field) =>
      ['yes', '"true"', '1', '[true]'].map((value) => [`${field}:`, value, /Write true or false/] as const),
    ),
    ...['"2"', 'two', 'true', '[2]'].map(
      (value) => ['minLevel:', value, /whole number from 0 to 3/] as const,
    ),
    ['minLevel:', '7', /at most 3/],
    ['minLevel:', '-1', /at least 0/],
    ['signals:', 'privileged', /Write it as a list: \["privileged"\]/],
    ['signals:', '{privileged: true}', /Write a line "- value"/],
    ['enforcement:', '[Enforce]', /allowed: Audit, Enforce/],
    ['severityThreshold:', '8', /Write one of them, as a text/],
    ['knownExploited:', 'true', /Write one of them, as a text/],
    ['team:', '7', /Put it in quotes: "7"/],
    ['team:', 'true', /Put it in quotes: "true"/],
    ['critical:', '24', /Add the unit: 24h/],
  ];
  return wrong.map(([start, value, fix]) =>
    seed('types', start, (line) => line.replace(/:.*$/, `: ${value}`), fix),
  );
}

function durations(): Mistake[] {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['1d', /Write 24h/],
    ['2 days', /Write 48h/],
    ['1w', /Write 168h/],
    ['"24"', /Add the unit: 24h/],
    ['12 hours', /Write 12h/],
    ['P1D', /as 168h or 1h30m/],
    ['soon', /as 168h or 1h30m/],
    ['0s', /Leave the field out/],
    ['-24h', /longer than 0s|as 168h or 1h30m/],
  ];
  return ['critical', 'high', 'triage'].flatMap((field) =>
    wrong.map(([value, fix]) =>
      seed('durations', `${field}:`, (_, blank) => `${blank}${field}: ${value}`, fix),
    ),
  );
}

function references(): Mistake[] {
  const registries: readonly (readonly [string, string])[] = [
    ['https://ghcr.io/acme', 'ghcr.io/acme'],
    ['ghcr.io/acme/', 'ghcr.io/acme'],
    ['ghcr.io/acme/*', 'ghcr.io/acme'],
    ['ghcr.io/acme:1.0', 'ghcr.io/acme'],
    ['ghcr.io/Acme', 'ghcr.io/acme'],
    ['"*.example.com"', 'example.com'],
    ['oci://ghcr.io/acme', 'ghcr.io/acme'],
    ['ghcr.io/acme@sha256:abc', 'ghcr.io/acme'],
  ];
  const namespaces: readonly (readonly [string, RegExp])[] = [
    ['Shop', /Did you mean "shop"/],
    ['shop_web', /Did you mean "shop-web"/],
    ['"shop-*"', /list each namespace/],
    ['-shop', /Did you mean "shop"|lowercase/],
    ['shop-', /Did you mean "shop"/],
    ['Shop Web', /Did you mean "shop-web"/],
  ];
  return [
    ...registries.map(([value, fix]) =>
      seed('references', '- ghcr.io/acme', (_, blank) => `${blank}- ${value}`, new RegExp(literally(fix))),
    ),
    ...namespaces.map(([value, fix]) =>
      seed('references', '- cart', (_, blank) => `${blank}- ${value}`, fix),
    ),
  ];
}

function keys(): Mistake[] {
  const at = lineOf('-----BEGIN');
  const pem = lines.slice(at, at + 4);
  const replaced = (
    put: readonly string[],
    fix: RegExp,
    line: number,
    from = at - 1,
    taken = 5,
  ): Mistake => ({
    ...{ class: 'PEM', name: put.join(' ⏎ ').trim(), line, fix },
    text: lines.toSpliced(from, taken, ...put).join('\n'),
  });
  const bar = lines[at - 1] ?? '';
  const [begin = '', first = '', second = '', end = ''] = pem;
  const whole = /Paste the whole key/;
  return [
    replaced([bar.replace('|', begin.trim()), first, second, end], /Write \| behind/, at),
    replaced([bar.replace(' |', ''), ...pem], /Write \| behind/, at + 1),
    replaced([bar.replace('|', `"${pem.map((line) => line.trim()).join(' ')}"`)], /Write \| behind/, at),
    replaced([bar.replace('|', '>'), ...pem], /Write \| behind/, at),
    replaced([bar, begin, first, second], whole, at),
    replaced([bar, first, second, end], whole, at),
    replaced([bar, begin, first, end], whole, at),
    replaced([bar, begin, first.slice(0, -3), second, end], whole, at),
    replaced([bar, ...pem.map((line) => line.replace('PUBLIC', 'PRIVATE'))], /Give the public key/, at),
    replaced([bar, ...pem.map((line) => line.replace('PUBLIC KEY', 'CERTIFICATE'))], /openssl x509/, at),
    replaced([bar, ...pem, ...pem], /Make an entry of each/, at),
    replaced([bar, begin, first.trim(), second.trim(), end], /Indent every line of the key/, at + 2),
    replaced([bar, ...pem.map((line) => line.trim())], /Indent every line of the key/, at + 1),
    replaced([bar.replace('|', 'cosign.pub')], whole, at),
  ];
}

function syntax(): Mistake[] {
  return [
    seed('syntax', 'signals:', (_, blank) => `${blank}signals: [privileged, root`, /Add the missing \]/),
    seed('syntax', 'signals:', (_, blank) => `${blank}signals: [privileged root]`, /comma/),
    seed('syntax', 'targetNamespaces:', (_, b) => `${b}targetNamespaces: [shop cart]`, /comma/, { taken: 3 }),
    seed('syntax', 'targetNamespaces:', (_, b) => `${b}targetNamespaces: [shop, cart`, /Add the missing \]/, {
      taken: 3,
    }),
    seed(
      'syntax',
      'allowedRegistries:',
      (_, b) => `${b}allowedRegistries: [ghcr.io/acme ghcr.io/b]`,
      /comma/,
      {
        taken: 3,
      },
    ),
    seed('syntax', 'breakGlass:', (_, b) => `${b}breakGlass: {allowed: false`, /Add the missing \}/, {
      taken: 4,
    }),
    ...['enforcement', 'knownExploited', 'severityThreshold', 'minLevel', 'critical'].flatMap((field) => [
      seed('syntax', `${field}:`, (line) => line.replace(': ', ' '), new RegExp(`Write "${field}: `)),
      seed('syntax', `${field}:`, (line) => line.replace(': ', ':'), new RegExp(`Write "${field}: `)),
      seed('syntax', `${field}:`, (line) => line.replace(': ', ' = '), new RegExp(`Write "${field}: `)),
      seed('syntax', `${field}:`, (line) => line.replace(/: (.*)$/, ': "$1'), /Add the missing "/),
      seed('syntax', `${field}:`, (line) => line.replace(/: (.*)$/, ": '$1"), /Add the missing '/),
      seed('syntax', `${field}:`, (line) => line.replace(/: .*$/, ': {{ .Values.it }}'), /helm template/),
    ]),
    seed(
      'syntax',
      'enforcement:',
      (line, b) => [`${b}{{- if .Values.strict }}`, line, `${b}{{- end }}`],
      /helm/,
    ),
    seed('syntax', 'name: shop', (_, b) => `${b}name: {{ .Release.Name }}-shop`, /helm template/),
    seed(
      'syntax',
      'enforcement:',
      (line) => ['<<<<<<< HEAD', line, '=======', '  enforcement: Audit', '>>>>>>> main'],
      /Keep one side/,
    ),
    seed('syntax', 'sla:', (line) => ['<<<<<<< ours', line, '=======', '>>>>>>> theirs'], /Keep one side/),
    seed('syntax', 'knownExploited:', (line) => `${line} endOfLifeOS: warn`, /a line of its own/),
  ];
}

function indentation(): Mistake[] {
  const under = ['enforcement:', 'denyLatestTag:', 'knownExploited:', 'runtimeReconciliation:', 'minLevel:'];
  return [
    ...under.map((start) => seed('indentation', start, (line) => line.slice(1), /Indent it by \d+/)),
    ...['high:', 'medium:', 'issuer: https://token', 'level:'].map((start) =>
      seed('indentation', start, (line) => line.slice(1), /Indent it by \d+/),
    ),
    ...['severityThreshold:', 'endOfLifeOS:', 'high:', 'level:', 'digestEnforcement:'].flatMap((start) =>
      [1, 2].map((by) =>
        seed(
          'indentation',
          start,
          (line) => ' '.repeat(by) + line,
          /Indent it by \d+ spaces, as the field above/,
        ),
      ),
    ),
    ...['enforcement:', 'high:', 'level:'].map((start) =>
      seed('indentation', start, (line) => `\t${line.trimStart()}`, /Indent with two spaces/),
    ),
    ...['knownExploited:', 'severityThreshold:'].map((start) =>
      seed('indentation', start, (line) => line.trimStart(), /Indent it/),
    ),
  ];
}

function metadata(): Mistake[] {
  return [
    seed('metadata', 'apiVersion:', () => 'apiVersion: ipo.dev/v2', /allowed: ipo\.dev\/v1/),
    seed('metadata', 'apiVersion:', () => 'apiVersion: v1', /allowed: ipo\.dev\/v1/),
    seed('metadata', 'apiVersion:', () => [], /Add "apiVersion: ipo\.dev\/v1"/),
    seed('metadata', 'kind:', () => 'kind: ImagePolicies', /ImagePolicy/),
    seed('metadata', 'kind:', () => 'kind: imagepolicy', /Did you mean "ImagePolicy"/),
    seed('metadata', 'kind:', () => 'kind: Deployment', /allowed: ImagePolicy/),
    seed('metadata', 'name: shop', () => '  name: Shop', /Did you mean "shop"/),
    seed('metadata', 'name: shop', () => '  name: shop_web', /Did you mean "shop-web"/),
    seed('metadata', 'name: shop', () => '  name: 7', /Put it in quotes/),
    seed('metadata', 'name: shop', (line) => [line, '  namespace: shop'], /belongs to no namespace/, {
      off: 1,
    }),
    seed('metadata', 'name: shop', (line) => [line, '  naem: shop'], /Did you mean "name"/, { off: 1 }),
    seed('metadata', 'name: shop', (line) => [line, line], /Keep one of the two/, { off: 1 }),
  ];
}

function semantics(): Mistake[] {
  return [
    seed('semantics', 'minLevel:', () => '    minLevel: 0', /minLevel/, { off: 1 }),
    seed('semantics', 'level:', () => '        level: 1', /lower minLevel/, { off: -3 }),
    seed('semantics', 'mode: apply', () => '    mode: ignore', /mode/, { off: 1 }),
    seed('semantics', 'required: true', () => '    required: false', /required|requir/, { off: 1 }),
    seed('semantics', 'severityThreshold:', () => '  severityThreshold: NONE', /ignoreUnfixed/, { off: 1 }),
    seed('semantics', 'mode: Escalate', () => '    mode: Ignore', /Escalate|mode/, { off: 1 }),
    seed('semantics', 'digestEnforcement:', () => '  digestEnforcement: require', /denyLatestTag/, {
      off: -1,
    }),
    seed('semantics', 'critical:', () => '    critical: 999h', /the shorter window/, { off: 1 }),
    seed('semantics', '- cart', () => '    - shop', /one of the two|Take|once/),
    seed('semantics', '- cart', () => '    - kube-system', /kube-system|system/),
    seed('semantics', '- ghcr.io/acme', () => '    - registry.example.com/shop/web', /covers|Take/),
    seed('semantics', '- shop-oncall', () => '      - system:authenticated', /group/),
    seed('semantics', '- shop-oncall', () => '      - system:masters', /masters|group/),
    seed('semantics', 'groups:', () => '    groups: []', /group/, { taken: 2, off: -1 }),
    seed('semantics', 'allowed: true', () => '    allowed: false', /allowed/, { off: 1 }),
    seed('semantics', 'enforcement:', (line) => [line, line], /Keep one of the two/, { off: 1 }),
  ];
}

/** mistakes makes all of them. */
export function mistakes(): readonly Mistake[] {
  return [
    ...[typos(), enums(), types(), durations(), references(), keys()],
    ...[syntax(), indentation(), metadata(), semantics()],
  ].flat();
}
