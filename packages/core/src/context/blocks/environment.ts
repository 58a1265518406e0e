import { platform, release } from 'node:os'
import { wallTime } from '../../agent/clock.ts'
import type { Clock } from '../../agent/clock.ts'
import type { PromptBlock } from './block.ts'

export const environmentBlock: PromptBlock = {
  name: 'environment',
  about: 'day, model, folder and system',
  build: ({ context, model, scope }) =>
    [
      `Conversation started: ${day(context.clock)}`,
      `Model: ${model.model}`,
      `Provider: ${model.provider.name}`,
      `Working directory: ${scope.cwd()}`,
      `System: ${platform()} ${release()}${subsystemHint(release())}`,
    ].join('\n'),
}

/** Windows' Linux says so in its release. */
function subsystemHint(kernel: string): string {
  return /microsoft/i.test(kernel)
    ? ' (WSL: the drives of Windows are under /mnt, e.g. C:\\Users is /mnt/c/Users; its programs run as name.exe)'
    : ''
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** e.g. `Sunday, 2026-11-29`: the day alone, so that sessions of one day begin with the same words. */
function day(clock: Clock): string {
  const { year, month, day: date, weekday } = wallTime(clock)
  return `${weekdays[weekday]}, ${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}
