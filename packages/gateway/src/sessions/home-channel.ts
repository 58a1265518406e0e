import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'

/** Where notices of a platform go. */
export interface HomeChannel {
  readonly chatId: string
  readonly name: string
  readonly threadId?: string
}

/** Spellings of upstream's that are not made of the platform's name. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  matrix: ['MATRIX_HOME_ROOM'],
  email: ['EMAIL_HOME_ADDRESS'],
  qqbot: ['QQ_HOME_CHANNEL'],
}

/** The variable that `/sethome` sets. */
export function homeVariable(platform: string): string {
  return `${platform.toUpperCase()}_HOME_CHANNEL`
}

/** A platform's home channel: of the environment, the root of `config.yaml`, or `platforms.<name>.home_channel`. */
export function homeChannel(
  platform: string,
  { config, environment }: { readonly config: Config; readonly environment: Environment },
): HomeChannel | undefined {
  for (const name of [homeVariable(platform), ...(otherNames[platform] ?? [])]) {
    const value = (key: string) => environment[key]?.trim() || rootValue(config, key)
    const chatId = value(name)
    if (!chatId) continue
    const threadId = value(`${name}_THREAD`)
    return { chatId, name: value(`${name}_NAME`) ?? 'Home', ...(threadId && { threadId }) }
  }
  const configured = config.platforms[platform]?.home_channel
  if (typeof configured !== 'object' || configured === null) return undefined
  const { chat_id: chatId, name } = configured as Readonly<Record<string, unknown>>
  if (typeof chatId !== 'string' && typeof chatId !== 'number') return undefined
  return { chatId: String(chatId), name: typeof name === 'string' ? name : 'Home' }
}

/** Keys at the root that are no settings are kept as they are. */
function rootValue(config: Config, key: string): string | undefined {
  const value: unknown = Object.hasOwn(config, key) ? Reflect.get(config, key) : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined
}
