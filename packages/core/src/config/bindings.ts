import { isTimeZone } from '../agent/clock.ts'
import {
  anyText,
  list,
  oneOf,
  onOff,
  positiveNumber,
  type ReadVariable,
  someText,
  VariableError,
  whenOn,
  wholeNumber,
} from './variable-values.ts'

/** An environment variable that sets a setting. */
export interface Binding {
  readonly variable: string
  /** Path of the setting. */
  readonly path: readonly string[]
  readonly read: ReadVariable
}

const timeZone: ReadVariable = (text) => {
  const name = text.trim()
  if (name === '') return undefined
  if (isTimeZone(name)) return name
  throw new VariableError(`"${text}" is not accepted; a time zone such as Europe/Berlin is.`)
}

const table: Readonly<Record<string, readonly [key: string, read: ReadVariable]>> = {
  HERMES_MAX_ITERATIONS: ['agent.max_turns', wholeNumber(1)],
  HERMES_INFERENCE_PROVIDER: ['model.provider', someText],
  HERMES_EPHEMERAL_SYSTEM_PROMPT: ['agent.system_prompt', anyText],
  HERMES_PREFILL_MESSAGES_FILE: ['agent.prefill_messages_file', anyText],
  HERMES_YOLO_MODE: ['approvals.mode', whenOn('off')],
  HERMES_REDACT_SECRETS: ['security.redact_secrets', onOff],
  HERMES_TIMEZONE: ['timezone', timeZone],
  HERMES_AGENT_TIMEOUT: ['agent.gateway_timeout', wholeNumber(0)],
  HERMES_AGENT_TIMEOUT_WARNING: ['agent.gateway_timeout_warning', wholeNumber(0)],
  HERMES_AGENT_NOTIFY_INTERVAL: ['agent.gateway_notify_interval', wholeNumber(0)],
  HERMES_RESTART_DRAIN_TIMEOUT: ['agent.restart_drain_timeout', wholeNumber(0)],
  HERMES_GATEWAY_BUSY_INPUT_MODE: ['display.busy_input_mode', oneOf('interrupt', 'queue', 'steer')],
  HERMES_BACKGROUND_NOTIFICATIONS: ['display.background_process_notifications', oneOf('off', 'result', 'error', 'all')],
  HERMES_HUMAN_DELAY_MODE: ['human_delay.mode', oneOf('off', 'natural', 'custom')],
  HERMES_HUMAN_DELAY_MIN_MS: ['human_delay.min_ms', wholeNumber(0)],
  HERMES_HUMAN_DELAY_MAX_MS: ['human_delay.max_ms', wholeNumber(0)],
  HERMES_CRON_SCRIPT_TIMEOUT: ['cron.script_timeout_seconds', wholeNumber(1)],
  HERMES_VISION_DOWNLOAD_TIMEOUT: ['auxiliary.vision.download_timeout', wholeNumber(1)],
  DELEGATION_MAX_CONCURRENT_CHILDREN: ['delegation.max_concurrent_children', wholeNumber(1)],
  SESSION_IDLE_MINUTES: ['session_reset.idle_minutes', wholeNumber(1)],
  SESSION_RESET_HOUR: ['session_reset.at_hour', wholeNumber(0, 23)],
  GATEWAY_PROXY_URL: ['gateway.proxy_url', anyText],
  TERMINAL_ENV: ['terminal.backend', oneOf('local', 'docker', 'ssh', 'singularity', 'modal', 'daytona')],
  TERMINAL_MODAL_MODE: ['terminal.modal_mode', oneOf('auto', 'direct', 'managed')],
  TERMINAL_CWD: ['terminal.cwd', someText],
  TERMINAL_TIMEOUT: ['terminal.timeout', wholeNumber(1)],
  TERMINAL_MAX_FOREGROUND_TIMEOUT: ['terminal.max_foreground_timeout', wholeNumber(1)],
  TERMINAL_LIFETIME_SECONDS: ['terminal.lifetime_seconds', wholeNumber(0)],
  TERMINAL_PERSISTENT_SHELL: ['terminal.persistent_shell', onOff],
  TERMINAL_DOCKER_IMAGE: ['terminal.docker_image', someText],
  TERMINAL_DOCKER_FORWARD_ENV: ['terminal.docker_forward_env', list],
  TERMINAL_DOCKER_VOLUMES: ['terminal.docker_volumes', list],
  TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE: ['terminal.docker_mount_cwd_to_workspace', onOff],
  TERMINAL_SINGULARITY_IMAGE: ['terminal.singularity_image', someText],
  TERMINAL_MODAL_IMAGE: ['terminal.modal_image', someText],
  TERMINAL_DAYTONA_IMAGE: ['terminal.daytona_image', someText],
  TERMINAL_SSH_HOST: ['terminal.ssh_host', anyText],
  TERMINAL_SSH_USER: ['terminal.ssh_user', anyText],
  TERMINAL_SSH_PORT: ['terminal.ssh_port', wholeNumber(1, 65_535)],
  TERMINAL_SSH_KEY: ['terminal.ssh_key', anyText],
  TERMINAL_CONTAINER_CPU: ['terminal.container_cpu', positiveNumber],
  TERMINAL_CONTAINER_MEMORY: ['terminal.container_memory', wholeNumber(0)],
  TERMINAL_CONTAINER_DISK: ['terminal.container_disk', wholeNumber(0)],
  TERMINAL_CONTAINER_PERSISTENT: ['terminal.container_persistent', onOff],
  TERMINAL_SANDBOX_DIR: ['terminal.sandbox_dir', anyText],
  SUDO_PASSWORD: ['terminal.sudo_password', anyText],
  BROWSER_INACTIVITY_TIMEOUT: ['browser.inactivity_timeout', wholeNumber(0)],
  TIRITH_ENABLED: ['security.tirith_enabled', onOff],
  TIRITH_BIN: ['security.tirith_path', someText],
  TIRITH_TIMEOUT: ['security.tirith_timeout', wholeNumber(1)],
  TIRITH_FAIL_OPEN: ['security.tirith_fail_open', onOff],
  STT_OPENAI_MODEL: ['stt.openai.model', someText],
  STT_OPENAI_BASE_URL: ['stt.openai.base_url', anyText],
  STT_GROQ_MODEL: ['stt.groq.model', someText],
  STT_MISTRAL_MODEL: ['stt.mistral.model', someText],
  TELEGRAM_REQUIRE_MENTION: ['telegram.require_mention', onOff],
  TELEGRAM_MENTION_PATTERNS: ['telegram.mention_patterns', list],
  TELEGRAM_FREE_RESPONSE_CHATS: ['telegram.free_response_chats', list],
  TELEGRAM_IGNORED_THREADS: ['telegram.ignored_threads', list],
  TELEGRAM_REACTIONS: ['telegram.reactions', onOff],
  DISCORD_REQUIRE_MENTION: ['discord.require_mention', onOff],
  DISCORD_FREE_RESPONSE_CHANNELS: ['discord.free_response_channels', list],
  DISCORD_ALLOWED_CHANNELS: ['discord.allowed_channels', list],
  DISCORD_IGNORED_CHANNELS: ['discord.ignored_channels', list],
  DISCORD_NO_THREAD_CHANNELS: ['discord.no_thread_channels', list],
  DISCORD_AUTO_THREAD: ['discord.auto_thread', onOff],
  DISCORD_REACTIONS: ['discord.reactions', onOff],
  SLACK_REQUIRE_MENTION: ['slack.require_mention', onOff],
  SLACK_ALLOW_BOTS: ['slack.allow_bots', oneOf('none', 'mentions', 'all')],
  SLACK_FREE_RESPONSE_CHANNELS: ['slack.free_response_channels', list],
  WHATSAPP_REQUIRE_MENTION: ['whatsapp.require_mention', onOff],
  WHATSAPP_MENTION_PATTERNS: ['whatsapp.mention_patterns', list],
  WHATSAPP_FREE_RESPONSE_CHATS: ['whatsapp.free_response_chats', list],
  MATRIX_REQUIRE_MENTION: ['matrix.require_mention', onOff],
  MATRIX_FREE_RESPONSE_ROOMS: ['matrix.free_response_rooms', list],
  MATRIX_AUTO_THREAD: ['matrix.auto_thread', onOff],
  MATRIX_DM_MENTION_THREADS: ['matrix.dm_mention_threads', onOff],
  ...auxiliary('vision'),
  ...auxiliary('web_extract'),
  ...auxiliary('approval'),
}

function auxiliary(task: string): Record<string, readonly [string, ReadVariable]> {
  const prefix = `AUXILIARY_${task.toUpperCase()}`
  return {
    [`${prefix}_PROVIDER`]: [`auxiliary.${task}.provider`, someText],
    [`${prefix}_MODEL`]: [`auxiliary.${task}.model`, anyText],
    [`${prefix}_BASE_URL`]: [`auxiliary.${task}.base_url`, anyText],
    [`${prefix}_API_KEY`]: [`auxiliary.${task}.api_key`, anyText],
  }
}

/**
 * Every environment variable that sets a setting. The environment goes before `config.yaml`; what the variables accept
 * is what the settings accept.
 */
export const bindings: readonly Binding[] = Object.entries(table).map(([variable, [key, read]]) => ({
  variable,
  path: key.split('.'),
  read,
}))
