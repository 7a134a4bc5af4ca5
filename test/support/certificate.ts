import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path of a file with a self-signed certificate for 127.0.0.1 and its key, for the servers of a test. */
export const certificate = fileURLToPath(new URL('certificates/server.pem', import.meta.url))

/** The certificate as text. */
export const pem = /-----BEGIN CERT[^]+END CERTIFICATE-----/.exec(readFileSync(certificate, 'utf8'))?.[0] ?? ''

/** The options of a client that trusts the certificate. */
export const trusting = { ca: pem }
