import { parseDuration } from '../../base/index.ts';
import { mapping, optional, orEmpty, type Read } from '../field.ts';
import { compareReach } from '../reach.ts';
import { duration, flag, list, text } from '../schema-parts.ts';
import { specField } from './spec-field.ts';
import { admits, equal, ladder, toward, type Judge } from './strictness.ts';

const window = (severity: string) =>
  optional(duration(`Time within which a ${severity} finding is to be fixed, as a Go duration (\`168h\`).`));

const sla = optional(
  mapping(
    {
      critical: window('critical'),
      high: window('high'),
      medium: window('medium'),
      low: window('low'),
      triage: optional(duration('How long a triage decision lasts that names no end (`2160h` where unset).')),
    },
    'Remediation windows. Absent means that none is declared.',
  ),
);

type Windows = Read<typeof sla>;

/** Less time is tighter; not set is looser than any time, but for a triage, which then lasts as long as the default. */
function time(name: keyof NonNullable<Windows>): Judge<Windows> {
  const unset = name === 'triage' ? (parseDuration('2160h') ?? 0) : Infinity;
  const take = (windows: Windows): number => parseDuration(windows?.[name] ?? '') ?? unset;
  return (before, after) => toward(Math.sign(take(before) - take(after)) || 0);
}

/** people says how fast people fix what is found, and who of them may bypass the policy. */
export const people = {
  sla: specField({
    schema: sla,
    starter: () => `

# Time to fix a finding of each severity, and the duration of a triage decision without an end.
sla:
  critical: 24h
  high: 168h
  medium: 720h
  low: 2160h
  triage: 2160h`,
    directions: {
      critical: time('critical'),
      high: time('high'),
      medium: time('medium'),
      low: time('low'),
      triage: time('triage'),
    },
  }),
  breakGlass: specField({
    schema: orEmpty(
      mapping(
        {
          allowed: flag(
            'Whether the policy can be bypassed with the pod annotation `ipo.dev/break-glass: <reason>`.',
          ),
          groups: list(
            text('Name of a group as the API server gives it.', 253),
            'Groups whose members may bypass. None means nobody.',
            64,
          ),
        },
        'Who may bypass the policy.',
      ),
    ),
    starter: () => `

# Members of these groups may bypass the policy with the pod annotation ipo.dev/break-glass: <reason>.
breakGlass:
  allowed: false
  groups: []`,
    directions: {
      allowed: ladder(({ allowed }) => allowed, [true, false]),
      groups: (before, after) =>
        before.allowed && after.allowed
          ? admits(compareReach(before.groups, after.groups, equal))
          : 'neither',
    },
  }),
};
