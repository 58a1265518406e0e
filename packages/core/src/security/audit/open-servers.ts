import { isSwitchedOn } from './finding.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'
import { ownSecret, weaknessOf } from './own-secrets.ts'

/** Servers of ours that others may reach, and what keeps them out. */
export function checkServers(subject: AuditSubject): readonly AuditFinding[] {
  const { environment } = subject
  return [
    ...apiServer(subject),
    ...webhooks(subject),
    ...(isSwitchedOn(environment['SMS_INSECURE_NO_SIGNATURE'])
      ? [
          {
            id: 'sms-unsigned',
            severity: 'high' as const,
            where: 'SMS_INSECURE_NO_SIGNATURE',
            problem: 'Anybody who finds the address can write to the agent in anybody’s name.',
            remedy: 'Set SMS_WEBHOOK_URL, and remove this variable.',
          },
        ]
      : []),
  ]
}

/** What is set for a platform: `platforms.NAME.extra`, or the section of its name. */
function platform({ config }: AuditSubject, name: 'api_server' | 'webhook'): Readonly<Record<string, unknown>> {
  const entry = config.platforms[name]
  return { ...config[name], ...entry?.extra, ...(entry && { enabled: entry.enabled }) }
}

function apiServer(subject: AuditSubject): readonly AuditFinding[] {
  const { environment } = subject
  const settings = platform(subject, 'api_server')
  const isOn = isSwitchedOn(environment['API_SERVER_ENABLED']) || settings['enabled'] === true
  if (!isOn && !environment['API_SERVER_KEY']) return []
  const host = environment['API_SERVER_HOST'] || text(settings['host']) || '127.0.0.1'
  const key = environment['API_SERVER_KEY'] || text(settings['key']) || text(settings['api_key'])
  if (key !== '' && weaknessOf(key) === undefined) return []
  const problem = key === '' ? 'has no key' : 'has a key that can be guessed'
  return [
    isLoopback(host)
      ? {
          id: 'api-server-open',
          severity: 'medium',
          where: 'API_SERVER_KEY',
          problem: `The API server ${problem}: any program on this machine can use the agent.`,
          remedy: ownSecret('API_SERVER_KEY'),
        }
      : {
          id: 'api-server-exposed',
          severity: 'high',
          where: 'API_SERVER_HOST',
          problem: `The API server listens on ${host} and ${problem}: whoever reaches it can run commands here.`,
          remedy: `${ownSecret('API_SERVER_KEY')}, or set API_SERVER_HOST=127.0.0.1`,
        },
  ]
}

function webhooks(subject: AuditSubject): readonly AuditFinding[] {
  const { environment } = subject
  const settings = platform(subject, 'webhook')
  if (!isSwitchedOn(environment['WEBHOOK_ENABLED']) && settings['enabled'] !== true) return []
  const host = text(settings['host']) || '0.0.0.0'
  const common = environment['WEBHOOK_SECRET'] || text(settings['secret'])
  const routes = Object.entries(typeof settings['routes'] === 'object' ? (settings['routes'] ?? {}) : {})
  const open = [['WEBHOOK_SECRET', common] as const, ...routes.map(([name, route]) => [name, secretOf(route)] as const)]
  const unchecked = open.filter(([, secret]) => secret === 'INSECURE_NO_AUTH')
  const findings: AuditFinding[] = unchecked.map(([where]) => ({
    id: 'webhook-unchecked',
    severity: isLoopback(host) ? 'medium' : 'high',
    where: `webhook ${where}`,
    problem: `INSECURE_NO_AUTH: whoever reaches ${host} can give the agent tasks.`,
    remedy: ownSecret('WEBHOOK_SECRET'),
  }))
  if (common === '' && routes.some(([, route]) => secretOf(route) === '')) {
    findings.push({
      id: 'webhook-without-secret',
      severity: 'medium',
      where: 'WEBHOOK_SECRET',
      problem: 'A route has no secret and there is none for all: it does not start, or takes anything.',
      remedy: ownSecret('WEBHOOK_SECRET'),
    })
  }
  return findings
}

function secretOf(route: unknown): string {
  return typeof route === 'object' && route !== null && 'secret' in route ? text(route.secret) : ''
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host)
}
