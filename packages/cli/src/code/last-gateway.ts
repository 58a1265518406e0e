/** What runs in a gateway beside its platforms. */
const services: readonly string[] = ['api_server', 'cron', 'metrics']

/**
 * Whether the last gateway of a home had platforms, by what it has written of itself. It is read before anything is loaded,
 * the choice of a profile too, and only a guess depends on it: what cannot be read says no.
 */
export function hadPlatforms(home: string): boolean {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  try {
    const state: unknown = JSON.parse(readFileSync(`${home}/gateway_state.json`, 'utf8'))
    if (typeof state !== 'object' || state === null || !('platforms' in state)) return false
    return Object.keys(Object(state.platforms)).some((name) => !services.includes(name))
  } catch {
    return false
  }
}
