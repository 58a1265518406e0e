import type { Config } from '../config/schema.ts'
import { builtInPersonalities } from './personality-built-in.ts'

/** A way of speaking that can be chosen by its name. */
export interface Personality {
  readonly name: string
  /** One line for people. */
  readonly description: string
  /** What the model is told. */
  readonly text: string
}

type Settings = Config['agent']['personalities'][string]

/** Names that stand for having none. */
export const noPersonality: readonly string[] = ['none', 'default', 'neutral']

/** All personalities: the built-in ones, and those of the configuration, which replace them by name. */
export function personalities(config: Pick<Config, 'agent' | 'personalities'>): readonly Personality[] {
  const all = { ...builtInPersonalities, ...config.personalities, ...config.agent.personalities }
  return Object.entries(all).flatMap(([name, settings]) => {
    const text = textOf(settings)
    return text === '' ? [] : [{ name, description: descriptionOf(settings, text), text }]
  })
}

function textOf(settings: Settings): string {
  if (typeof settings === 'string') return settings.trim()
  const { system_prompt: prompt = '', tone, style } = settings
  return [prompt.trim(), tone && `Tone: ${tone}`, style && `Style: ${style}`].filter(Boolean).join('\n')
}

function descriptionOf(settings: Settings, text: string): string {
  const own = typeof settings === 'string' ? undefined : settings.description
  const line = (own || text).replace(/\s+/g, ' ').trim()
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line
}
