import type { z } from 'zod'
import type { mobileClientFrame } from './client-frames.ts'
import type { capabilities, mobileServerFrame } from './server-frames.ts'

/** A frame of the device as the server has it, with defaults filled in. */
export type MobileClientFrame = z.output<typeof mobileClientFrame>
/** A frame of the device as it may be sent. */
export type MobileClientFrameInput = z.input<typeof mobileClientFrame>
export type MobileServerFrame = z.output<typeof mobileServerFrame>
export type MobileCapabilities = z.output<typeof capabilities>

/** The frame of one kind: `MobileFrameOf<MobileServerFrame, 'ready'>`. */
export type MobileFrameOf<Frame extends { t: string }, T extends Frame['t']> = Extract<Frame, { t: T }>
