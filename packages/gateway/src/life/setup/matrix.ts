import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { askService } from './ask-service.ts'
import type { PlatformFacts } from './platform-facts.ts'

/** https://spec.matrix.org/latest/client-server-api/#get_matrixclientv3accountwhoami */
const whoami = lazily(() => z.looseObject({ user_id: z.string() }))
const refusal = lazily(() => z.looseObject({ error: z.string() }))

export const matrix: PlatformFacts = {
  name: 'matrix',
  label: 'Matrix',
  accessPrefix: 'MATRIX',
  accessBy: 'as @name:server',
  accessProblem: (person) =>
    /^@[^:]+:.+$/.test(person) ? undefined : `people are named as @name:server, not "${person}"`,
  steps: [
    'Make an account for the bot on your homeserver.',
    'Its access token: in Element, "Settings", "Help & About"; or give its user id and password instead.',
  ],
  variables: [
    {
      name: 'MATRIX_HOMESERVER',
      what: 'address of the homeserver, e.g. https://matrix.example.org',
      isRequired: true,
      problem: (value) => (URL.canParse(value) ? undefined : 'it is no URL'),
    },
    { name: 'MATRIX_ACCESS_TOKEN', what: 'access token (or nothing: with a password)', isSecret: true },
    { name: 'MATRIX_USER_ID', what: 'user id, e.g. @hermes:example.org' },
    { name: 'MATRIX_PASSWORD', what: 'password (nothing: with an access token)', isSecret: true },
    { name: 'MATRIX_ENCRYPTION', what: 'encrypted rooms: true or false', usual: 'false' },
    { name: 'MATRIX_HOME_ROOM', what: 'room where notices and results of jobs go, by id' },
  ],
  async check(values, { apiRoot, signal }) {
    const {
      MATRIX_HOMESERVER: server = '',
      MATRIX_ACCESS_TOKEN: token = '',
      MATRIX_USER_ID: user = '',
      MATRIX_PASSWORD: password = '',
    } = values
    if (token === '' && (user === '' || password === '')) {
      return {
        state: 'refused',
        reason: 'An access token is needed (MATRIX_ACCESS_TOKEN), or MATRIX_USER_ID and MATRIX_PASSWORD.',
      }
    }
    // A password is tried when it connects: each sign-in makes a device.
    if (token === '') return { state: 'unreachable', reason: 'a password is tried when the gateway connects' }
    return askService(
      {
        url: `${apiRoot ?? server.replace(/\/+$/, '')}/_matrix/client/v3/account/whoami`,
        headers: { authorization: `Bearer ${token}` },
        read: (status, answer) =>
          status === 200
            ? { state: 'accepted', account: whoami().parse(answer).user_id }
            : {
                state: 'refused',
                reason: `The homeserver says: ${refusal().parse(answer).error}. Take a token of a new sign-in.`,
              },
      },
      signal,
    )
  },
}
