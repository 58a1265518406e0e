import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A certificate for this machine that nobody else vouches for: its own authority. */
export async function makeCertificate(dir: string): Promise<{ readonly certFile: string; readonly keyFile: string }> {
  const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const names = 'subjectAltName=DNS:localhost,DNS:mail.example.test,IP:127.0.0.1'
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -subj /CN=mail.example.test'
  await run('openssl', [...kind.split(' '), '-addext', names, '-keyout', keyFile, '-out', certFile])
  return { certFile, keyFile }
}
