import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const certificate = fileURLToPath(new URL('certificates/server.pem', import.meta.url))
const text = readFileSync(certificate, 'utf8')
export const pem = /-----BEGIN CERT[^]+END CERTIFICATE-----/.exec(text)?.[0] ?? ''
export const trusting = { ca: pem }
