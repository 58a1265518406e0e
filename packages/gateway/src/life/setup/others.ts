import { randomBytes } from 'node:crypto'
import type { PlatformFacts } from './platform-facts.ts'
import { port } from './port.ts'

export const email: PlatformFacts = {
  name: 'email',
  label: 'Email',
  accessPrefix: 'EMAIL',
  accessBy: 'by address',
  accessProblem: (person) => (isAddress(person) ? undefined : `people are named by their address, not "${person}"`),
  steps: [
    'Give the agent a mailbox of its own: whatever arrives there is read.',
    'Where the account has a second factor, make an app password at its provider.',
  ],
  variables: [
    {
      name: 'EMAIL_ADDRESS',
      what: 'address',
      isRequired: true,
      problem: (value) => (isAddress(value) ? undefined : 'it is no address'),
    },
    { name: 'EMAIL_PASSWORD', what: 'password or app password', isSecret: true, isRequired: true },
    { name: 'EMAIL_IMAP_HOST', what: 'IMAP server', isRequired: true },
    { name: 'EMAIL_IMAP_PORT', what: 'its port', usual: '993', problem: port },
    { name: 'EMAIL_SMTP_HOST', what: 'SMTP server', isRequired: true },
    { name: 'EMAIL_SMTP_PORT', what: 'its port', usual: '587', problem: port },
    { name: 'EMAIL_HOME_ADDRESS', what: 'address where notices and results of jobs go' },
  ],
}

export const webhook: PlatformFacts = {
  name: 'webhook',
  label: 'Webhooks',
  steps: [
    'Events of other services (GitHub, GitLab, Stripe …) become tasks. Something in front of Hermes must speak TLS.',
    'Routes are made afterwards: hermes webhook add NAME --prompt "…"',
  ],
  variables: [
    { name: 'WEBHOOK_ENABLED', what: 'take them', usual: 'true', isRequired: true },
    { name: 'WEBHOOK_PORT', what: 'port', usual: '8644', problem: port },
    { name: 'WEBHOOK_SECRET', what: 'secret of routes that have none of their own', isSecret: true },
  ],
}

export const apiServer: PlatformFacts = {
  name: 'api_server',
  label: 'API server',
  holdsAfterRestart: true,
  steps: ['Programs speak to the agent as to OpenAI’s API: http://127.0.0.1:8642/v1, with the key.'],
  variables: [
    {
      name: 'API_SERVER_KEY',
      what: 'key that programs must give',
      isSecret: true,
      isRequired: true,
      problem: (value) =>
        value.length >= 16 ? undefined : `it must not be guessed; one of 16 characters or more, e.g. ${suggestedKey()}`,
    },
    { name: 'API_SERVER_HOST', what: 'address to listen on; 0.0.0.0: all', usual: '127.0.0.1' },
    { name: 'API_SERVER_PORT', what: 'port', usual: '8642', problem: port },
  ],
}

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text)
}

function suggestedKey(): string {
  return randomBytes(24).toString('base64url')
}
