import { HomeAssistantRefusal } from './refusal.ts'

const namePattern = /^[a-z][a-z0-9_]{0,62}$/
const entityPattern = /^[a-z][a-z0-9_]{0,62}\.[a-z0-9_]{1,190}$/

/** Domains whose services run commands, scripts or requests of their own, or rule the machine. */
const blockedDomains: ReadonlySet<string> = new Set([
  'shell_command',
  'command_line',
  'python_script',
  'pyscript',
  'hassio',
  'rest_command',
])

/** Throws `HomeAssistantRefusal` for what is no entity id. */
export function checkEntityId(id: string): string {
  if (entityPattern.test(id)) return id
  throw new HomeAssistantRefusal(`"${id.slice(0, 80)}" is no entity id: it looks like light.kitchen.`)
}

/** Throws `HomeAssistantRefusal` for what is no name, or a domain that is never called. */
export function checkService(domain: string, service: string): void {
  for (const name of [domain, service]) {
    if (!namePattern.test(name)) {
      throw new HomeAssistantRefusal(`"${name.slice(0, 80)}" is no name of a domain or service, like light or turn_on.`)
    }
  }
  if (blockedDomains.has(domain)) {
    throw new HomeAssistantRefusal(
      `Services of ${domain} are never called: they could run anything on the machine. Tell the user to do it themselves.`,
      'denied',
    )
  }
}

/** The entities that a service's data names: one, several with commas between, or a list. */
export function entityIds(value: unknown): readonly string[] {
  const texts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  return texts.map((text) => String(text).trim()).filter((text) => text !== '')
}
