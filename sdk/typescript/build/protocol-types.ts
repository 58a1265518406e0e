import { mobileClientFrame } from '@hermes/protocol/mobile/client-frames.ts'
import { capabilities, mobileServerFrame } from '@hermes/protocol/mobile/server-frames.ts'
import { attachment } from '@hermes/protocol/pheby/events/attachments.ts'
import { activeRun } from '@hermes/protocol/pheby/events/chat.ts'
import { phebyEvent } from '@hermes/protocol/pheby/events.ts'
import { phebyRequest } from '@hermes/protocol/pheby/requests.ts'
import { z } from 'zod'
import type { SchemaNode } from '@hermes/protocol/reference/json-schema.ts'
import { typeText } from './type-text.ts'

type Direction = 'input' | 'output'

/** The types of `@hermes/protocol/<file>` as they are without the schema library, by file. */
export function protocolTypes(): Readonly<Record<string, string>> {
  return {
    'mobile/types': [
      type('MobileClientFrame', mobileClientFrame, 'output'),
      type('MobileClientFrameInput', mobileClientFrame, 'input'),
      type('MobileServerFrame', mobileServerFrame, 'output'),
      type('MobileCapabilities', capabilities, 'output'),
      'export type MobileFrameOf<Frame extends { t: string }, T extends Frame["t"]> = Extract<Frame, { t: T }>\n',
    ].join('\n'),
    'pheby/types': [
      type('PhebyRequest', phebyRequest, 'output'),
      type('PhebyRequestInput', phebyRequest, 'input'),
      type('PhebyEvent', phebyEvent, 'output'),
      type('PhebyAttachment', attachment, 'output'),
      type('PhebyRun', activeRun, 'output'),
      'export type PhebyOf<Message extends { type: string }, Type extends Message["type"]> = Extract<Message, { type: Type }>\n',
    ].join('\n'),
  }
}

function type(name: string, schema: z.ZodType, io: Direction): string {
  return `export type ${name} = ${typeText(z.toJSONSchema(schema, { io }) as SchemaNode)}\n`
}
