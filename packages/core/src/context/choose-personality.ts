import type { AgentContext } from '../agent/context.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Personality } from './personality.ts'

/** The personalities that there are, the one in use (`current`: its text) marked. */
export function personalityListing(known: readonly Personality[], current: string): string {
  const width = Math.max(...known.map(({ name }) => name.length))
  const rows = known.map(({ name, description, text }) => {
    return `${text === current ? '❯' : ' '} ${name.padEnd(width)}  ${description}`
  })
  const isOther = current !== '' && known.every(({ text }) => text !== current)
  const note = isOther ? ['', 'In use now: other instructions, from agent.system_prompt.'] : []
  return [...rows, ...note, '', 'Choose one: /personality NAME, or none'].join('\n')
}

/**
 * Keeps a personality for sessions to come, where nothing of the person's own would be lost by it. Resolves to why it was
 * not kept, undefined where it was.
 */
export async function keepPersonality(
  text: string,
  known: readonly Personality[],
  { config, home, environment }: Pick<AgentContext, 'config' | 'home' | 'environment'>,
): Promise<string | undefined> {
  const configured = config.agent.system_prompt.trim()
  if (configured !== '' && known.every((one) => one.text !== configured)) {
    return 'It holds for this run only: agent.system_prompt has instructions of your own, which stay.'
  }
  const { editConfig } = await import('../config/edit.ts')
  try {
    await editConfig({ home, environment }, () => [{ path: ['agent', 'system_prompt'], value: text }])
    return undefined
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return `It holds for this run only: ${error.message}`
  }
}
