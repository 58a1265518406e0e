/** What runs in a gateway beside its platforms. */
const services: readonly string[] = ['api_server', 'cron', 'metrics']

/**
 * Whether the last gateway of the home had platforms, by what it has written of itself. It is read before anything is loaded,
 * and only a guess depends on it: what cannot be read says no.
 */
export function hadPlatforms({ HERMES_HOME: own, HOME: home }: Readonly<Record<string, string | undefined>>): boolean {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  try {
    const state: unknown = JSON.parse(readFileSync(`${own || `${home}/.hermes`}/gateway_state.json`, 'utf8'))
    if (typeof state !== 'object' || state === null || !('platforms' in state)) return false
    return Object.keys(Object(state.platforms)).some((name) => !services.includes(name))
  } catch {
    return false
  }
}
