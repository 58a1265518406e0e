import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransportError, asTransportError } from './transport-error.ts'

const told = (code: string): string => {
  const error = asTransportError(Object.assign(new Error('x'), { code }), 'host:1')
  assert.ok(error instanceof TransportError)
  return `${error.failure}: ${error.message}`
}

test('what is wrong with a secure connection is told with what helps', () => {
  assert.match(told('EPROTO'), /^refused: No secure connection to host:1 \(EPROTO\)\. Is it an http:\/\/ address\?$/)
  assert.match(told('CERT_HAS_EXPIRED'), /clock right\?$/)
  assert.match(told('ERR_TLS_CERT_ALTNAME_INVALID'), /another name: is the address right\?$/)
  for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN']) {
    assert.match(told(code), /NODE_EXTRA_CA_CERTS=FILE/)
  }
})

test('a host that cannot be reached is told by its name, and what is no failure of the transport passes', () => {
  assert.match(told('ENOTFOUND'), /^unreachable: host:1 has no address/)
  assert.match(told('ESOMETHING'), /^unreachable: The connection to host:1 failed \(ESOMETHING\)$/)
  const plain = new Error('x')
  assert.equal(asTransportError(plain, 'host'), plain)
})
