import { randomBytes } from 'node:crypto'
import type { Environment } from '@hermes/core/agent/context.ts'
import { lanAddresses, localHost, phoneAddress, phoneAddressProblem } from './phone-address.ts'
import type { VariableFact } from './platform-facts.ts'
import { port } from './port.ts'

/** Shortest token that cannot be guessed, characters. */
const minTokenChars = 16

/** What a platform for phones is asked for: its secret, where it listens, and how phones get there. */
export function phoneVariables(given: {
  readonly prefix: 'MOBILE' | 'PHEBY'
  readonly secret: 'MOBILE_TOKEN' | 'PHEBY_SECRET'
  readonly port: number
}): readonly VariableFact[] {
  const [hostVariable, portVariable] = [`${given.prefix}_HOST`, `${given.prefix}_PORT`]
  const listens = (values: Environment) => ({
    host: values[hostVariable] || localHost,
    port: Number(values[portVariable] || given.port),
  })
  return [
    {
      name: given.secret,
      what: 'secret that every phone has to know',
      isSecret: true,
      isRequired: true,
      usual: () => randomBytes(24).toString('base64url'),
      problem: (value) =>
        value.length >= minTokenChars && /^[\x21-\x7e]+$/.test(value)
          ? undefined
          : `it must not be guessed: ${minTokenChars} characters or more, without blanks`,
    },
    {
      name: hostVariable,
      what: 'address to listen on; 0.0.0.0: all networks of this machine',
      usual: localHost,
      notes: () => [
        `With ${localHost} only this machine gets in: right behind a reverse proxy or Tailscale, which bring TLS.`,
        'With 0.0.0.0 phones in the same network get in directly, unencrypted.',
      ],
      problem: (value) => (/^[\w.:%-]+$/.test(value) ? undefined : 'it is an address of this machine'),
    },
    { name: portVariable, what: 'port', usual: String(given.port), problem: port },
    {
      name: `${given.prefix}_PUBLIC_URL`,
      what: 'address by which phones reach it',
      isRequired: true,
      usual: (values) => phoneAddress(listens(values)),
      notes(values) {
        const own = lanAddresses().map(
          ({ address, network }) => `  http://${address}:${listens(values).port} (${network})`,
        )
        return own.length === 0 ? [] : ['Addresses of this machine in its networks:', ...own]
      },
      problem: phoneAddressProblem,
    },
  ]
}
