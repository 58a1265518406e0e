import { z } from 'zod'
import { isTimeZone } from '../../agent/clock.ts'
import { choice, flag, freeMap, mapOf, optionalWhole, section, textList, whole } from '../values.ts'

const quickCommand = z.looseObject({
  type: z.enum(['exec', 'alias']).describe('exec runs a command, alias stands for another slash command.'),
})

/** How the program itself runs. */
export const operationSettings = {
  _config_version: optionalWhole().describe('Version of the file. Kept by `hermes config migrate`.'),
  timezone: z
    .preprocess(
      (value) => value ?? undefined,
      z
        .string()
        .refine((name) => name === '' || isTimeZone(name), 'no time zone of that name is known')
        .default(''),
    )
    .describe("Time zone, e.g. Europe/Berlin; the machine's when empty."),
  logging: section({
    level: choice(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'], 'INFO', { warn: 'WARNING' }).describe(
      'Least important lines that are kept in logs/agent.log.',
    ),
    max_size_mb: whole(5, { min: 1 }).describe('Size at which agent.log is put aside, MB.'),
    backup_count: whole(3, { min: 0 }).describe('Older files of it that are kept.'),
  }).describe('Log files.'),
  network: section({
    force_ipv4: flag(false).describe('Use IPv4 only.'),
  }).describe('Network.'),
  cron: section({
    wrap_response: flag(true).describe('Put the name of the job around what it delivers.'),
    script_timeout_seconds: whole(120, { min: 1 }).describe("Seconds that a job's script gets."),
  }).describe('Scheduled jobs.'),
  quick_commands: mapOf(quickCommand).describe(
    'Slash commands of your own: name to {type: exec, command} or {type: alias, target}.',
  ),
  tools: section({
    search: choice(['auto', 'always', 'never'], 'auto').describe(
      'Whether the model looks seldom used tools up instead of seeing all of them in every request; auto: where there are many.',
    ),
  }).describe('Tools.'),
  mcp_servers: mapOf(freeMap()).describe('MCP servers by name: {command, args, env} or {url, headers, auth}.'),
  plugins: section({
    disabled: textList().describe('Plugins that are off.'),
  }).describe('Plugins.'),
}
