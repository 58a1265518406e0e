import type { IncompletePlatform, PlatformChoice } from './configured-platforms.ts'

/** Of the platforms that are set up those that were named; of a name that none of them has it is said that it is not. */
export function chosenPlatforms({ ready, incomplete }: PlatformChoice, names: readonly string[]): PlatformChoice {
  const chosen = ready.filter(({ platform }) => names.includes(platform.name))
  const found = [...chosen.map(({ platform }) => platform.name), ...incomplete.map(({ name }) => name)]
  const absent = names
    .filter((name) => !found.includes(name))
    .map((name): IncompletePlatform => {
      return { name, label: name, reason: `it is not set up. "hermes gateway setup ${name}" asks for what it needs.` }
    })
  return { ready: chosen, incomplete: [...incomplete.filter(({ name }) => names.includes(name)), ...absent] }
}
