import type { ServiceDefinition } from './system-service.ts'

/** The property list of the agent. `logFolder`: where its output goes, absolute. See `man launchd.plist`. */
export function launchdPlist(label: string, definition: ServiceDefinition, logFolder: string): string {
  const { command, environment, folder, drainSeconds } = definition
  const variables = Object.entries(environment).sort(([one], [other]) => (one < other ? -1 : 1))
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(label)}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${string(word)}`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.map(([name, value]) => `    <key>${escaped(name)}</key>\n    ${string(value)}`).join('\n')}
  </dict>
  <key>WorkingDirectory</key>
  ${string(folder)}
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>${Math.max(60, drainSeconds + 30)}</integer>
  <key>StandardOutPath</key>
  ${string(`${logFolder}/gateway.log`)}
  <key>StandardErrorPath</key>
  ${string(`${logFolder}/gateway.error.log`)}
</dict>
</plist>
`
}

function string(text: string): string {
  return `<string>${escaped(text)}</string>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
