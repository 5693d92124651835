import { ACCESS, type Access } from './access.ts';
import { mayAct, ROLES } from './principal.ts';

/** rolesTable writes the table of role by route as a markdown page, the documentation of who may call what. */
export function rolesTable(access: Readonly<Record<string, Access>> = ACCESS): string {
  const lines = Object.entries(access).map(([key, needed]) => {
    const cells = [
      needed === 'anonymous',
      ...ROLES.map((role) => needed === 'anonymous' || mayAct(role, needed)),
    ];
    return `| \`${key}\` | ${cells.map((may) => (may ? 'yes' : '–')).join(' | ')} |`;
  });
  return `# Who may call what

Made from \`src/accounts/access.ts\` by \`node scripts/roles.ts\`; the service checks every call against the same table. Paths stand
under \`/api/v1\`. A disabled account, an ended session and a revoked or expired token may do what anybody may.

| Route | anybody | ${ROLES.join(' | ')} |
|---|---|${ROLES.map(() => '---|').join('')}
${lines.join('\n')}
`;
}
