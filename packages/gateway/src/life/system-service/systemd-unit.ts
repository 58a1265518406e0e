import { configExitCode, restartExitCode } from '../exit-codes.ts'
import type { ServiceDefinition } from './system-service.ts'

/**
 * How often it may be started within how many seconds: one that cannot run is given up. People who restart it several
 * times in a row stay below.
 */
const [startLimitSeconds, startLimitBurst] = [600, 10]

/** Seconds before it is started again. */
const restartSeconds = 5

/** What the last turns need to be cut short in order, after the time that they were given, seconds. */
const endSeconds = 30

/** The text of the unit. See https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html */
export function systemdUnit(definition: ServiceDefinition): string {
  const { profile, command, environment, folder, drainSeconds, user } = definition
  const variables = Object.entries(environment).sort(([one], [other]) => (one < other ? -1 : 1))
  const online = user ? ['Wants=network-online.target', 'After=network-online.target'] : []
  return [
    '[Unit]',
    `Description=${specifier(`Hermes gateway (profile ${profile})`)}`,
    ...online,
    `StartLimitIntervalSec=${startLimitSeconds}`,
    `StartLimitBurst=${startLimitBurst}`,
    '',
    '[Service]',
    'Type=simple',
    ...(user ? [`User=${specifier(user.name)}`, `Group=${specifier(user.group)}`] : []),
    `ExecStart=${command.map(argument).join(' ')}`,
    'ExecReload=/bin/kill -HUP $MAINPID',
    `WorkingDirectory=${specifier(folder)}`,
    ...variables.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'Restart=on-failure',
    `RestartSec=${restartSeconds}`,
    `RestartForceExitStatus=${restartExitCode}`,
    `RestartPreventExitStatus=${configExitCode}`,
    // It ended by the signal before it listened for it.
    'SuccessExitStatus=143',
    'KillMode=mixed',
    'KillSignal=SIGTERM',
    `TimeoutStopSec=${Math.max(60, drainSeconds + endSeconds)}`,
    'StandardOutput=journal',
    'StandardError=journal',
    '',
    '[Install]',
    `WantedBy=${wantedBy(user ? 'system' : 'user')}`,
    '',
  ].join('\n')
}

/** What starts it. */
export function wantedBy(scope: 'user' | 'system'): string {
  return scope === 'system' ? 'multi-user.target' : 'default.target'
}

/** `%` begins a specifier everywhere. */
function specifier(text: string): string {
  return text.replaceAll('%', '%%')
}

function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${specifier(escaped)}"`
}

/** In command lines `$` begins a variable, too. */
function argument(text: string): string {
  return quoted(text).replaceAll('$', '$$$$')
}
