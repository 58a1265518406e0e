import { z } from 'zod'
import { isTimeZone } from '../../agent/clock.ts'
import { choice, flag, freeMap, mapOf, optionalWhole, section, text, textList, whole } from '../values.ts'

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
  telemetry: section({
    enabled: flag(false).describe('Send traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names.'),
    capture_content: flag(false).describe('Put what people, models and tools say into the traces too.'),
    otlp: section({
      enabled: flag(false).describe('Send traces to the collector at telemetry.otlp.endpoint.'),
      endpoint: text().describe(
        'Collector of OpenTelemetry by HTTP and JSON, e.g. http://127.0.0.1:4318, the one when empty.',
      ),
      headers: mapOf(text()).describe('Headers that the collector wants, by name.'),
    }).describe('Traces by OpenTelemetry.'),
    metrics: section({
      enabled: flag(false).describe('Let Prometheus read metrics of the gateway.'),
      host: text('127.0.0.1').describe('Address at which they are read.'),
      port: whole(9464, { min: 0, max: 65_535 }).describe('Its port; 0 takes a free one.'),
      token: text().describe('Bearer token that readers need; without one, loopback alone is allowed.'),
    }).describe('Metrics by Prometheus.'),
  }).describe('What other programs can watch.'),
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
