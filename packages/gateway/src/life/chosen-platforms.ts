import { nearest } from '@hermes/core/text/nearest.ts'
import { platforms } from '../platforms/registry.ts'
import type { IncompletePlatform, PlatformChoice } from './configured-platforms.ts'

/** Of the platforms that are set up those that were named; of a name that none of them has it is said that it is not. */
export function chosenPlatforms({ ready, incomplete }: PlatformChoice, names: readonly string[]): PlatformChoice {
  const chosen = ready.filter(({ platform }) => names.includes(platform.name))
  const found = [...chosen.map(({ platform }) => platform.name), ...incomplete.map(({ name }) => name)]
  const setUp = ready.map(({ platform }) => platform.name)
  const absent = names
    .filter((name) => !found.includes(name))
    .map((name): IncompletePlatform => ({ name, label: name, reason: whyAbsent(name, setUp) }))
  return { ready: chosen, incomplete: [...incomplete.filter(({ name }) => names.includes(name)), ...absent] }
}

/** `setUp`: names of those that could be meant, plugins among them. */
function whyAbsent(name: string, setUp: readonly string[]): string {
  if (Object.hasOwn(platforms, name)) return `it is not set up. "hermes gateway setup ${name}" asks for what it needs.`
  const near = nearest(name, [...new Set([...setUp, ...Object.keys(platforms), 'api_server'])])
  const next = near === undefined ? '"hermes gateway setup" shows what there is.' : `Did you mean ${near}?`
  return `nothing of that name is set up. ${next}`
}
