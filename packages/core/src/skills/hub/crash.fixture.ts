// Installs, updates and removes skills for as long as it lives; the test of crashes ends it at any moment.
import { openHub } from './hub.ts'
import { installSkill } from './install.ts'
import { uninstallSkill } from './uninstall.ts'

const [, , dir = '', work = ''] = process.argv
const path = (...parts: string[]) => [dir, ...parts].join('/')
const skills = { external_dirs: [], disabled: [], platform_disabled: {}, config: {}, creation_nudge_interval: 10 }
const hub = openHub({ scope: { home: { dir, path }, config: { skills }, environment: { HOME: dir } }, cwd: dir })
const { signal } = new AbortController()
const yes = { confirm: async () => true, force: true }

process.stdout.write('ready\n')
for (;;) {
  await installSkill(hub, `${work}/one/demo`, yes, signal)
  await installSkill(hub, `${work}/two/demo`, yes, signal)
  await uninstallSkill(hub, 'demo', signal)
}
