import { normaliseRegistry } from '../../image/index.ts';
import { registryCovers } from '../entries.ts';
import type { PolicyRule, Remark } from '../rule.ts';
import type { RuleId } from './catalogue.ts';

/** Sites where people look at images, with the registry that the references of those images name. */
const SITES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'hub.docker.com': 'docker.io',
    'www.docker.com': 'docker.io',
    'registry-1.docker.io': 'docker.io',
    'github.com': 'ghcr.io',
    'gitlab.com': 'registry.gitlab.com',
  }),
);

/** Official images of Docker Hub, which stand below `library/`; their bare names are organisations, or nobody. */
const OFFICIAL = new Set(
  (
    'alpine amazoncorretto busybox caddy cassandra composer consul debian docker eclipse-temurin elasticsearch fedora golang gradle ' +
    'haproxy httpd influxdb jenkins kibana kong logstash mariadb maven memcached mongo mysql nats neo4j nginx node openjdk perl php ' +
    'postgres python rabbitmq redis registry rockylinux ruby rust solr sonarqube telegraf tomcat traefik ubuntu vault wordpress zookeeper'
  ).split(' '),
);

/** registryRules look at entries of the allow-list that no image can stand under, or that another one covers. */
export const registryRules: PolicyRule = ({ policy }) => {
  const entries = policy.spec.allowedRegistries.map(normaliseRegistry);
  return entries.flatMap((entry, i): Remark[] => {
    const path = ['spec', 'allowedRegistries', i];
    const remark = (rule: RuleId, message: string, hint: string): Remark[] => [
      { rule, level: 'warning', path, message, hint },
    ];
    if (entries.indexOf(entry) < i)
      return remark('repeated', `${entry} is listed twice`, 'Take one of the two out');
    const [host = '', first, ...deeper] = entry.split('/');
    const instead = SITES.get(host);
    if (instead !== undefined) {
      return remark(
        'registry-unreachable',
        `no reference names the host ${host}, so this entry allows nothing`,
        `Write "${[instead, ...(first === 'r' ? deeper : [first, ...deeper])].filter(Boolean).join('/')}"`,
      );
    }
    if (host !== 'localhost' && !/[.:[]/.test(host)) {
      const meant = `docker.io/${first === undefined && OFFICIAL.has(host) ? 'library/' : ''}${entry}`;
      return remark(
        'registry-unreachable',
        `"${entry}" names no registry host, and references are compared with theirs, so this entry allows nothing`,
        `Write "${meant}" if it stands on Docker Hub`,
      );
    }
    const port = /:([0-9]+)$/.exec(host)?.[1];
    if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) {
      return remark(
        'registry-unreachable',
        `${port} is not a port, so this entry allows nothing`,
        'Write a port from 1 to 65535, or none',
      );
    }
    // An entry may be both: what is done about one of the two does not settle the other.
    const isNamed = host === 'docker.io' && first !== undefined && deeper.length === 0 && OFFICIAL.has(first);
    const official = isNamed
      ? remark(
          'registry-official',
          `docker.io/${first} is an organisation of Docker Hub; the official image ${first} is docker.io/library/${first}`,
          `Write "docker.io/library/${first}" if the official image is meant`,
        )
      : [];
    const covering = entries.find((other) => other !== entry && registryCovers(other, entry));
    if (covering === undefined) return official;
    return [
      ...official,
      ...remark(
        'registry-covered',
        `${entry} is covered by ${covering}, so this entry allows nothing more`,
        `Take it out, or take "${covering}" out if that is too wide`,
      ),
    ];
  });
};
