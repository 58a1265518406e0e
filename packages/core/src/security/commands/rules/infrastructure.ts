import { hasOption, type Invocation, readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

/** Clouds, clusters and containers. */
export const infrastructure: Rule = (call) => {
  const options = readOptions(call.args, [
    'n',
    'namespace',
    'context',
    'f',
    'profile',
    'region',
    'project',
    'chdir',
    'p',
    'H',
  ])
  const words = options.operands.map(({ text }) => text)
  switch (call.name) {
    case 'docker':
    case 'podman':
      return containers(call, words)
    case 'docker-compose':
    case 'podman-compose':
      return keysOf({ 'delete of container data': words.includes('down') && hasOption(options, 'v', 'volumes') })
    case 'kubectl':
    case 'oc':
      return keysOf({ 'delete in a cluster': words[0] === 'delete' || words[0] === 'drain' })
    case 'helm':
      return keysOf({ 'delete in a cluster': /^(?:uninstall|delete|del|un)$/.test(words[0] ?? '') })
    case 'terraform':
    case 'tofu':
    case 'terragrunt':
    case 'pulumi':
    case 'cdk':
      return keysOf({
        'destruction of infrastructure':
          words.includes('destroy') || call.args.some(({ text }) => /^--?destroy$/.test(text)),
      })
    case 'vagrant':
      return keysOf({ 'destruction of infrastructure': words[0] === 'destroy' })
    case 'aws':
      return keysOf({
        'delete in a cloud':
          words.slice(0, 3).some((word) => /^(?:delete|terminate|deregister|purge|destroy)-|^rb$/.test(word)) ||
          (words[0] === 's3' && words[1] === 'rm' && hasOption(options, 'recursive')) ||
          (words[0] === 's3' && hasOption(options, 'delete')),
      })
    case 'gcloud':
    case 'az':
    case 'doctl':
    case 'hcloud':
    case 'heroku':
    case 'fly':
    case 'flyctl':
      return keysOf({
        'delete in a cloud': words.slice(0, 5).some((word) => /^(?:delete|destroy|purge)$|:destroy$/.test(word)),
      })
    case 'gsutil':
      return keysOf({
        'delete in a cloud': words[0] === 'rb' || (words.includes('rm') && hasOption(options, 'r', 'R')),
      })
    case 'gh':
      return keysOf({ 'delete in a cloud': words[1] === 'delete' })
    default:
      return []
  }
}

function containers(call: Invocation, words: readonly string[]): string[] {
  const given = call.args.map(({ text }) => text)
  const [first, second] = words
  const prunes = second === 'prune' && given.some((arg) => /^(?:-\w*a\w*|--all|--volumes)$/.test(arg))
  const starts = words.includes('run') || words.includes('create')
  const mounts = given.some((arg) =>
    /^(?:-v|--volume=|--mount=)?(?:\/(?:etc|root|boot|dev|proc|sys|var\/run)?:|type=bind,(?:source|src)=\/,|.*docker\.sock)/.test(
      arg,
    ),
  )
  return keysOf({
    'delete of container data':
      (first === 'system' && prunes) ||
      (first === 'volume' && /^(?:rm|remove|prune)$/.test(second ?? '')) ||
      (first === 'compose' && words.includes('down') && given.some((arg) => arg === '-v' || arg === '--volumes')),
    'container with access to the whole system': starts && (mounts || given.includes('--privileged')),
  })
}
