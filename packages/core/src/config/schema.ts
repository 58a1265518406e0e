import { z } from 'zod'
import { agentSettings } from './sections/agent.ts'
import { auxiliarySettings } from './sections/auxiliary.ts'
import { displaySettings } from './sections/display.ts'
import { gatewaySettings } from './sections/gateway.ts'
import { memorySettings } from './sections/memory.ts'
import { modelSettings } from './sections/model.ts'
import { operationSettings } from './sections/operation.ts'
import { securitySettings } from './sections/security.ts'
import { terminalSettings } from './sections/terminal.ts'
import { voiceSettings } from './sections/voice.ts'

/**
 * Every setting of `config.yaml`, with its default. Where the several loaders of upstream disagree on a default, the
 * administrator's guide decides. Unknown keys pass through.
 */
export const configSchema = z.looseObject({
  ...modelSettings,
  ...agentSettings,
  ...terminalSettings,
  ...displaySettings,
  ...auxiliarySettings,
  ...memorySettings,
  ...securitySettings,
  ...voiceSettings,
  ...gatewaySettings,
  ...operationSettings,
})

type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] }

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

/** The effective configuration: every setting has its value. Keys as in `config.yaml`. Frozen. */
export type Config = DeepReadonly<Known<z.output<typeof configSchema>>>
